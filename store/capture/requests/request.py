"""What a person asked for: the words that carry a meaning, and the work that followed them.

"Yes", "commit please" and "do it again" ask for nothing new: what follows them belongs to the
request before. A plan or an issue's text that was pasted is told by its title.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from store.agents.session import Session, Step
from store.agents.transcript import Message, Speaker
from store.capture.candidate import shorten
from store.capture.text.prose import capital, plain, sentences, without_code
from store.text.regex import regex

_TITLE = regex(
    r"^#{1,3}\s+(?:(?:(?:implementation )?plan|issue|task|feature|bug)\b"
    r"(?! (?:from|for|of|to|in|on)\b)\s*:?\s*)?(.{5,160})$",
    re.I,
)
_TITLED = regex(r"(?:\A|:\s*\n+|\n\n)(#{1,2} [^\n]{5,180})$", re.M)
_PLACEHOLDER = regex(
    r"\A(?:[^\w\[<{]*[\[<{].*[\]>}][^\w\]>}]*"
    r"|(?:(?:a|your|short|clear|descriptive|feature|document|page) )*"
    r"(?:title|name|heading)(?: here)?)\Z",
    re.I,
)
"""What stands for a title in a template."""
_FIELD = regex(
    r"^[ \t]*(?:title|subject|problem_statement|summary)\s{0,9}:\s{0,9}(.{10,200})$", re.M
)
_WORD = regex(r"[^\W_]+(?:['’][^\W_]+)?")
_LEAD_IN = regex(r":\s*$")
_ROLE = regex(r"you are (?:(?:a|an|the)\b|[\w-]+ on )|your (?:role|task) is\b", re.I)
_BRIEF = regex(
    r"\W*(?:(?:context|role|system|task)\W+)?"
    r"(?:you are (?:(?:a|an|the|now)\b|[\w-]+ (?:on|for) |\w+ing (?:a|an|the) )|you own "
    r"|your (?:name|role|task|job|mission|goal) is\b)",
    re.I,
)
"""What gives an agent its part holds for one session."""
_FOR_PROGRAMS = regex(
    r"\byou(?:['’]re| are) not (?:just an ai\b|alone in (?:the|this) codebase)"
    r"|^<(\w+)\b[^>\n]*>[ \t]*$(?s:.*)^</\1>[ \t]*$",
    re.I | re.M,
)
"""What no person writes anew: an agent's frame of mind, the others beside it, steps in a tag."""
_TASK = regex(
    r"^#{1,4} +(?:(?:your|the|current|user|my) )?(?:tasks?|goal|objective|mission|assignment"
    r"|request|issue)\b[^\n]{0,40}\n",
    re.I | re.M,
)
"""Below it a brief says what is to be done."""
_ERRAND = regex(
    r"^(?:(?:and|but|so|ok(?:ay)?|now|then|first|please|no|wait|yes|great|cool|perfect)[,.!:]? )*"
    r"(?:(?:can|could|should) (?:we|you) |let['’]?s |we need to )?(?:please |also |now )*"
    r"(?:(?:commit|push|merge|rebase|pull|stash|amend|squash)\b"
    r"|(?:open|create|make|switch to) (?:a |an |the |this )?(?:\w+ )?"
    r"(?:branch|pr|pull request|commit)\b)",
    re.I,
)
"""What git is to do at once: it belongs to the work before."""
_PICK = regex(
    r"(?:(?:ok(?:ay)?|yes|yeah),? )?(?:(?:i (?:like|prefer|want|choose)|let['’]?s (?:do|go with"
    r"|implement|take|use)|go with|do|implement|use) )?(?:the )?(?:option|approach)s? \w{1,2}\W*$",
    re.I,
)
"""A choice among what the agent laid out: the work goes on."""
_POLITE = regex(
    r"(?:(?:ok(?:ay)?|yes|yeah|yep|yup|so|and|now|but|also|great|cool|nice|perfect|h+m+|ah+|oh"
    r"|alright|right|sure|please|then|hey|hi|hello|actually|just)\b[\s,.!:;…-]+)+",
    re.I,
)
_WISH = regex(
    r"(?:(?:can|could|would|will) (?:you|we)|let['’]?s|i(?:['’]d| would) like (?:you |us )?to"
    r"|i (?:want|need) (?:you |us )?to|(?:i think )?we (?:need|have) to|please)\b[\s,]+"
    r"(?:(?:please|also|now|just|then|quickly|maybe)\b[\s,]+)*",
    re.I,
)
"""How people lead to what they want: what is wanted is told without it."""
_PRINTED = regex(
    r"\S@\S{1,100} .{0,80}(?:[%$#]|[\w~)\]]>) \S|^\s*--- (?:FAIL|PASS)"
    r"|^\s*\[(?:INFO|ERROR|WARN\w*)\]|^❯|^⏺"
)
_SCREEN = regex(
    r"[⏺⎿❯]|^(?:[.FEsx]{8,}(?:[ \t]*\[ *\d{1,3}%\])?|[-_=]{5,}(?: [^\n]{1,80} [-_=]{3,})?)[ \t]*$"
    r"|^#\d{1,3} (?:\d+\.\d+|\[)",
    re.M,
)
"""With what a program marks its lines on the screen: what follows was pasted from there."""
_SEVERITY = regex(r"(?<!\s)\s*(?:\*\*)?(?:low|medium|high|critical) severity(?:\*\*)?\s+", re.I)
"""How a program that reviews rates what it found, between its title and its words."""
_LONGEST_LEAD_IN = 320
"""Characters before a pasted text that lead in to it."""
_AGAIN = regex(r"\b(?:do|try|run) (?:(?:it|that|this) )?again\b|^(?:please )?re(?:try|do)\b", re.I)
_TAKES_BACK = regex(
    r"\bwrong (?:chat|window|session|terminal|tab)\b"
    r"|\bignore (?:my |the |that )(?:last |previous )?(?:message|prompt|one)\b",
    re.I,
)
_BEGINNING = 200
"""Characters at a message's beginning in which the one before is taken back."""
_LONGEST_GO_AHEAD = 14
"""Words of a message that only lets go on."""
_A_PAGE, _FAR_ENOUGH = 1_500, 8_000
"""Characters of what asks for more than to go on; and in which a message says what it wants."""
_SHORTEST = 8
"""Characters of a request that says something."""
_GO_AHEAD = frozenset(
    "yes yeah yep yup ok okay sure right correct exactly perfect great good nice cool fine agreed"
    " thanks thank you please pls do it that this them all both go ahead on continue proceed next"
    " now then and also just so let's lets let us again retry redo try once more sorry my bad i we"
    " messed up can could would want like the a an of to for in with is was be commit push pull"
    " merge rebase pr draft branch open create make ship amend stage changes change everything"
    " option number first second third one two three answer hello hi hey done ready looks lgtm"
    " there how's it's its that's going still left anything else status any"
    " sounds works ah oh hmm well no problem sim claro pode continuar por favor faz isso obrigado"
    " obrigada continua segue vai si sí dale gracias ja bitte weiter danke oui merci".split()
)
"""The words of messages that only let the work go on: assent, politeness, what git does."""


class Exchange(NamedTuple):
    """A person's message, what the agent said to it and the tools it called, up to the next."""

    asked: Message | None
    said: tuple[Message, ...] = ()
    steps: tuple[Step, ...] = ()


class Request(NamedTuple):
    """A message that asks for something, and the exchanges that work on it, the first its own."""

    asked: Message | None
    exchanges: tuple[Exchange, ...]

    @property
    def said(self) -> tuple[Message, ...]:
        """What the agent said while it worked on the request."""
        return tuple(said for exchange in self.exchanges for said in exchange.said)

    @property
    def steps(self) -> tuple[Step, ...]:
        """The tools it called."""
        return tuple(step for exchange in self.exchanges for step in exchange.steps)

    @property
    def title(self) -> str:
        """What was asked for, in a line of at most 240 characters; empty where nobody asked."""
        text = self.asked.text if self.asked else ""
        return title_of(task_in(text) if is_brief(text) else text)


def exchanges_of(session: Session) -> list[Exchange]:
    """A session cut at each message of the person."""
    cuts = [said for said in session.said if said.speaker is Speaker.USER]
    lines = [said.line for said in cuts]
    found: list[Exchange] = []
    for number, start in enumerate([-1, *lines]):
        end = lines[number] if number < len(lines) else None
        said = tuple(
            each
            for each in session.said
            if each.speaker is Speaker.AGENT
            and each.line >= start
            and (end is None or each.line < end)
        )
        asked = cuts[number - 1] if number else None
        steps = tuple(step for step in session.steps if step.asked is asked)
        if asked or said or steps:
            found.append(Exchange(asked, said, steps))
    return found


def requests_of(exchanges: Sequence[Exchange]) -> list[Request]:
    """The exchanges by the request they work on, in order."""
    found: list[Request] = []
    for exchange in exchanges:
        if found and (exchange.asked is None or lets_go_on(exchange.asked.text)):
            last = found[-1]
            found[-1] = Request(last.asked, (*last.exchanges, exchange))
        else:
            asked = exchange.asked if exchange.asked and _asks(exchange.asked.text) else None
            found.append(Request(asked, (exchange,)))
    return found


@lru_cache(maxsize=512)
def lets_go_on(text: str) -> bool:
    """Whether a message asks for nothing of its own: assent, politeness, or what git is to do."""
    if len(text) > _A_PAGE:
        return False
    words = [word.lower().replace("’", "'") for word in _WORD.findall(text)]
    if len(words) > _LONGEST_GO_AHEAD:
        return False
    if any(each.match(text) for each in (_ERRAND, _PICK)) or _AGAIN.search(text):
        return True
    return all(word in _GO_AHEAD or word.isdigit() for word in words)


def is_taken_back(messages: Sequence[Message], at: int) -> bool:
    """Whether the person's next message says that this one was meant for somebody else."""
    following = (it for it in messages[at + 1 :] if it.speaker is Speaker.USER)
    later = next(following, None)
    return later is not None and _TAKES_BACK.search(later.text[:_BEGINNING]) is not None


@lru_cache(maxsize=256)
def is_brief(text: str) -> bool:
    """Whether a message gives an agent its part: it holds for one session, whatever it says."""
    return bool(_BRIEF.match(text) or _FOR_PROGRAMS.search(text[:_A_PAGE]))


def task_in(brief: str) -> str:
    """What a brief gives an agent to do, below its heading; empty where it has none."""
    at = _TASK.search(brief)
    return brief[at.end() :] if at else ""


@lru_cache(maxsize=256)
def title_of(text: str) -> str:
    """A request in a line: the title of what was pasted, else its first sentences that say it."""
    typed = _SCREEN.split(text, maxsplit=1)[0]
    text = typed if len(typed.strip()) >= _SHORTEST else text
    bare = without_code(text)
    field = _FIELD.search(bare)
    if field:
        return shorten(plain(field.group(1)), 240)
    heading = _TITLED.search(bare)
    if heading and _leads_in(bare[: heading.start(1)].strip()):
        title = _TITLE.match(heading.group(1))
        if title and not _PLACEHOLDER.match(title.group(1)):
            return shorten(plain(title.group(1)), 240)
    words = _unprinted(sentences(text[:_FAR_ENOUGH]))
    told = [each for each in words if not _LEAD_IN.search(each) and not lets_go_on(each)]
    told = [each for each in told if not _ROLE.match(each)] or told
    told = [each for each in map(crisp, told) if each]
    first = ""
    for sentence in told[:4]:
        if first and len(first) + len(sentence) > 220:
            break
        first = f"{first} {sentence}".strip()
        if len(first) >= 120:
            break
    return shorten(plain(first), 240) if len(first) >= _SHORTEST else ""


def _unprinted(words: Iterable[str]) -> list[str]:
    """What a person typed before what they pasted of a terminal, which may only lead to it; where
    they began with that, what follows.
    """
    words = list(words)
    at = next((at for at, each in enumerate(words) if _PRINTED.search(each)), None)
    if not at:
        return [each for each in words if not _PRINTED.search(each)]
    return [*words[: at - 1], _LEAD_IN.sub("", words[at - 1])]


def crisp(sentence: str) -> str:
    """A request without what only leads to it: "ok, can you also sort it?" is "Sort it"."""
    sentence = _SEVERITY.sub(": ", sentence)
    polite = _POLITE.match(sentence)
    bare = sentence[polite.end() :] if polite else sentence
    if wish := _WISH.match(bare):
        bare = bare[wish.end() :].rstrip("? ")
    elif not bare or lets_go_on(bare):
        return ""
    elif not polite:
        return sentence
    return capital(bare) if _PLAIN_START.match(bare) else bare


_PLAIN_START = regex(r"[a-z]+(?:['’][a-z]*)?[ ,?!]")


def _leads_in(before: str) -> bool:
    """Whether the words before a heading only lead to it: what comes later is a part of a text."""
    return len(before) <= _LONGEST_LEAD_IN or before.endswith(":")


def _asks(text: str) -> bool:
    return not lets_go_on(text)
