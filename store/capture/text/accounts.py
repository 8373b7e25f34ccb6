"""What an agent says of its work: what it did, what it was about to do, and why."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from posixpath import basename

from store.agents.session import Step
from store.agents.transcript import Message
from store.capture.candidate import shorten
from store.capture.steps.tools import command_of, edits_of
from store.capture.text.causes import names_cause
from store.capture.text.chatter import WELL, is_aside, is_empty, tells_something
from store.capture.text.prose import (
    CODE_NAME,
    announces,
    capital,
    intent,
    points_back,
    prose_lines,
    sentences,
)
from store.text.phrases import Phrases
from store.text.regex import regex

_LONGEST = 620
"""Characters of an account, where nothing else is asked for."""
_GIVES_REASON, _FRAGMENT = 3, 4
"""What a reason weighs beside names of code and a change, and the words below which a line without
either tells nothing.
"""
_SHORTEST = 24
"""Characters of an aim."""
_ENOUGH = 32
"""Characters of an account, or of a line that tells a change."""
_SHORTEST_LEAD_IN = 40
"""Characters up to which a line that ends in a colon only leads in."""
_PLAIN_WORD = regex(r"[a-z]+,? ")
_ONLY_A_FILE = regex(
    r"^(?:\W*[^\w.@-])?[\w.@-]*[\w@-](?:/[\w.@-]+)*\.\w{1,8}`?(?:\s*\([^)]{1,40}\))?[.;:]?$"
)
_FORM = Phrases(
    patterns={
        "[|<": r"^\[[ x]\]|^\[(?:pr|pull request) #\d+\]\(|^<\w+>",
        "`": (
            r"^`/[\w:-]+(?: [^`]*)?`(?:$| [—–-])|^`(?:cat|ls|cd|open) [^`]+`|^\d+ `[\w-]+`, \d+ "
            r"|^`(?:make|npm|pnpm|yarn|bunx?|npx|go|cargo|pytest|uv|just|task|mise)\b[^`\n]{0,80}`"
            r"\W*(?:\w+ )?(?:all|passed|clean|\d+|including|succe\w+|completed)\b"
            r"|^`[^`]* [^`]*`[.;]?$"
        ),
        "": r"^`?(?=[a-f]*\d)[0-9a-f]{7,40}`? ",
        "🤖|generated |co-authored-by": r"^(?:🤖|generated (?:with|by)\b|co-authored-by:)",
        ": ": (
            r"^(?:(?:updated |opened |created )?(?:draft )?(?:pr|pull request)(?: #\d+)?|branch"
            r"|worktree|commit|workflow run|url|session file|file|story(?: id| key)?|status|handle"
            r"|quick task [\w-]+): \S+$|^\W*tip: |^\W*[a-z]\w+ \([a-z][\w ]+\): "
            r"|^[^:]{0,60}: https?://\S+$"
        ),
        "status": (
            r"^\W*(?:story |new |task |sprint )?status\b ?(?:[:–-]|(?:updated|set|changed) to)"
        ),
    }
)
"""What stands in a form: boxes to tick, who generated it, where it lies."""
_OPENING = regex(
    rf"^(?:(?:all )?{WELL}(?: (?:fix|catch|work|idea|point))?(?:[.!,]| [—–-])\s+"
    r"|(?:great|good) question[.!]\s+"
    r"|(?:(?:memory|todo|docs?|documentation) )?updated[.:]\s+"
    r"|(?:here['’]s|here is|this is) (?:(?:a|the) (?:\w+ )?(?:summary|overview|recap)"
    r"|what (?:was|i|we|i['’]ve|we['’]ve)\b)(?:[^.:]|[.:](?=\S))*+[.:](?:\s+|$))+",
    re.I,
)
_RATED = regex(
    r"(?:^|(?<=[;.!…] ))(?:(?-i:[A-Z]{1,2}\d{1,2})(?: [–—-]|:) )?"
    r"(?:(?:critical|high|medium|low|major|minor|nit)(?: severity| priority)?(?: [–—-]|:) )?(?=\S)",
    re.I,
)
"""How grave something was, and the number that a list gave it, say nothing of what was done."""
_LEADS_TO_CODE = regex(r"^[^\n]{1,400}:[ \t]*\n\s*(?=```|~~~)", re.M)
_I_DID = regex(
    r"^(?:i|we)(?:['’]ve| have) (?:now )?(?:(?:also|just|successfully|completely|already)[ ,]+)*"
    r"(?=(?:add|appl|chang|fix|creat|remov|updat|implement|replac|renam|mov|refactor|rewr|modif|extend"
    r"|clean|delet|embed|embedd|made|set|wired|split|extract|prepar)\w*\b)",
    re.I,
)
_REASON = regex(
    r"\b(?:so that|instead of|rather than|no longer|otherwise|to avoid|only (?:when|if|where)"
    r"|unless"
    r"|previously|which (?:broke|breaks|made|left)|never|must|ensur\w+|prevent\w*)\b|→",
    re.I,
)
_WHY = regex(
    r"\b(?:bug|problem|issue|cause|reason)s?:|\bso (?:the|it|they|we|you|a|no)\b"
    r"|\b(?:so that|otherwise|to (?:avoid|prevent)"
    r"|previously|which (?:broke|breaks|made|left|caused)"
    r"|prevent(?:s|ing|ed)?|no longer|rather than|instead of|(?:deliberate|intentional)(?:ly)?"
    r"|backwards?[- ]compat\w*|even (?:if|when|though))\b",
    re.I,
)
_TURNS = regex(
    r"\b(?:removed?|deleted?|dropped|kept|keep|unchanged|not (?:changed|touched|done)|stays?"
    r"|before|after"
    r"|skipped|deferred|left|previous\w*|old|problem|issue|(?:root )?cause|bug|fix|why|reason"
    r"|result"
    r"|behaviou?r|open|remaining|todo|caveats?|trade-?offs?|limitations?)\b",
    re.I,
)
"""Headings without which their items say something else."""
_OF_A_RUN = regex(r"\bpid \d|\bthe only (?:remaining )?issue is\b", re.I)
_BANNER = regex(r".*[►▶◆■━═]")
"""What a workflow prints above its own steps."""
_OF_A_TEST = regex(
    r"\W{0,6}(?:Test[A-Z_]\w|test_\w|[\w./-]{0,100}(?:_test|\.test|\.spec|_spec)\.\w{1,4}\b"
    r"|(?:added|new|updated|extended|unit|integration|regression|\d+) (?:[\w-]+ ){0,3}tests?\b)",
    re.I,
)
"""What a test is called and checks stands in the test."""
_ASKS_WHICH = regex(
    r"\b(?:which|what would you like|how would you like|what do you (?:want|prefer))\b.*\?\s*$",
    re.I,
)
_NUMBERED = regex(r"\s{0,3}(?:\*\*)?\d{1,2}[.)]")
_FEW_WORDS = 3
"""Words of a sentence that says nothing without a name of code."""
_AHEAD = regex(r"(?:next|open|left|remaining|to ?do|still|pending)\b", re.I)
"""What is ahead is worth telling in few words."""
_STATE = regex(
    r".{0,200} [–—-] (?:PASS(?:ED)?|FAIL(?:ED)?|SKIP(?:PED)?)\b"
    r"|\S.{0,160}[✅✓☑](?:\s*\([^)]*\))?(?: \w+)?\W*$|\W*[✅✓☑❌]"
)
"""A mark of success or failure beside a line: what was checked, not what was done."""
_NUMBER, _LETTERS = regex(r"\d[\d,.]*"), regex(r"[^\W\d_]+")
_LONGEST_COUNT = 90
"""Characters of a sentence that is nothing but counts."""
_SAYS_WHAT = 10
"""What it is worth that an account speaks of a change: more than all it may name."""
_CHANGED = regex(
    r"\b(?:add|chang|creat|delet|fix|implement|introduc|mov|new|now|no longer|remov|renam|refactor"
    r"|replac|rewr|updat|modif|extract|split|wrap|ensur|instead|appl|set|us(?:es|ed|ing)|call|return"
    r"|switch|convert|drop|clean|document|writ|reject|skip|show|display|handl|support|bump|increas"
    r"|reduc|merg|kept|keep|adjust|correct|simplif|trimm|made|make|default)|[→✓✅]|\+=|:=",
    re.I,
)
"""What an account of a change speaks of; what has none of it tells of checks, or of the rest."""
_FILES_COUNT, _MARKS_COUNT, _CLOSES = 3, 4, 3
"""Files and names of code that count at most, and what it is worth to be said last."""
_AIMS_AT_IT = regex(
    r"\w+ (?:it|them|this|that|these|those|both|the rest)\b(?! \w+ (?:to|so))", re.I
)
"""What is announced of "it" is told by nobody who reads it later."""
_AIMS_AT_LINES = regex(r"\blines? \d|\bunused\b|\bimports?\b|\bedits\b", re.I)
_FILES = regex(r"`[^`]*(?:\.\w{1,5}|/)`|(?<![\w/-])[\w/-]++\.\w{1,5}\b")
_WRITES = regex(
    r"(?:\w+ (?:up )?)?(?:create|write|implement|make|update|change|edit|rewrite|wire|fix|delete"
    r"|remove|finish)\b",
    re.I,
)


def told_work(
    said: Sequence[Message],
    steps: Sequence[Step],
    closing: Sequence[Message] = (),
    about: Callable[[str], bool] | None = None,
) -> tuple[str, Message | None]:
    """What the agent says in closing that it did by these steps, and where.

    `closing` are its last words before each message of the person: the change may be told there,
    and what came later only add to it. `about` says whether a sentence speaks of the change.
    """
    # What a commit's answer names was changed before it, and told before it.
    made = [step for step in steps if not command_of(step.call).lstrip().startswith("git ")]
    last = max((step.call.line for step in made or steps), default=0)
    names = {basename(edit.path) for step in steps for edit in edits_of(step.call)}
    best = -1
    found: tuple[str, Message | None] = ("", None)
    for each in said:
        closes = each.line > last or each in closing
        account = _RATED.sub("", closing_account(each.text, about=about)) if closes else ""
        named = min(_FILES_COUNT, sum(name in account for name in names))
        named += _CLOSES * (each in closing)
        named += min(_MARKS_COUNT, len(set(CODE_NAME.findall(account))))
        named += _SAYS_WHAT * bool(_CHANGED.search(account))
        if account and named >= best:
            best, found = named, (account, each)
    return found


def aims_of(steps: Sequence[Step]) -> list[str]:
    """What the agent announced to do by steps, as far as that says how."""
    aims = dict.fromkeys(aim for step in steps if step.before and (aim := aim_of(step.before.text)))
    return [aim for aim in aims if len(aim) >= _SHORTEST and _tells_how(aim)]


def tells_reason(sentence: str) -> bool:
    """Whether a sentence says why, or how it is now and was not before."""
    return bool(names_cause(sentence) or _REASON.search(sentence))


def tells_why(sentence: str) -> bool:
    """Whether a sentence says why, or what would be wrong without: more than how it is now."""
    return names_cause(sentence) or _WHY.search(sentence) is not None


def _tells_how(aim: str) -> bool:
    """Whether what was announced is more than the files to write, or "it"."""
    if _AIMS_AT_IT.match(aim) or _AIMS_AT_LINES.search(aim):
        return False
    return bool(CODE_NAME.search(_FILES.sub("", aim))) or not _WRITES.match(aim)


def closing_account(
    text: str, longest: int = _LONGEST, about: Callable[[str], bool] | None = None
) -> str:
    """The lines of a closing message that tell what was done; empty where none does.

    At most `longest` characters: whole lines, those that say most where not all fit. With `about`,
    only sentences that it takes.
    """
    text = _LEADS_TO_CODE.sub(_before_lead_in, _without_menu(text))
    told = list(_told_lines(text, about))
    lines = _standing(_telling_most(told, longest))
    account = " ".join(
        each if each.endswith((".", "!", "…", ";", ":")) else each + ";" for each in lines
    ).rstrip("; ")
    if _PLAIN_WORD.match(account):
        account = capital(account)
    return account if len(account) >= _ENOUGH and not account.endswith(":") else ""


def _without_menu(text: str) -> str:
    """A text without the ways to go on that it numbers before it asks which."""
    lines = text.rstrip().splitlines()
    asked = len(lines)
    if not lines or not _ASKS_WHICH.search(lines[-1]):
        return text
    while asked and (not lines[asked - 1].strip() or lines[asked - 1].rstrip().endswith("?")):
        asked -= 1
    end = asked
    while end and (not lines[end - 1].strip() or _NUMBERED.match(lines[end - 1])):
        end -= 1
    listed = sum(map(bool, map(_NUMBERED.match, lines[end:asked])))
    return "\n".join(lines[:end]) if listed > 1 else text


def _before_lead_in(line: re.Match[str]) -> str:
    """A line that leads to a block of code, without the sentence that does."""
    return " ".join(list(sentences(line[0]))[:-1]) + "\n"


def _standing(lines: list[str]) -> list[str]:
    """The lines without what leans at their beginning on something that is not told."""
    while lines:
        told = list(sentences(lines[0]))
        if told and not points_back(told[0]):
            break
        lines = [" ".join(told[1:]), *lines[1:]] if len(told) > 1 else lines[1:]
    return lines


def _told_lines(text: str, about: Callable[[str], bool] | None) -> Iterator[str]:
    """What each line tells; the first under "Removed:" or what comes after it with these words."""
    turn, has_turned = "", False
    for line in prose_lines(text, tables=True, headings=True):
        if len(line) <= _SHORTEST_LEAD_IN and line.endswith(":"):
            turn = [line, *sentences(line)][-1] if has_turned or _TURNS.search(line) else ""
            yield ""
            continue
        told = _told_in(line, about)
        yield f"{turn} {told}".strip() if told else ""
        has_turned, turn = has_turned or bool(told and turn), "" if told else turn


def _telling_most(lines: Sequence[str], longest: int) -> list[str]:
    """Of the lines those that say most, in their order; the first is what the others are about.

    Those that give no reason take two thirds of the room. What only leads to others goes with them.
    """
    telling = [at for at, line in enumerate(lines) if line and _weight(line)]
    telling = telling or [at for at, line in enumerate(lines) if line]
    first = telling[0] if telling else len(lines)
    ranked = sorted(range(len(lines)), key=lambda at: (at != first, -_weight(lines[at]), at))
    chosen: set[int] = set()
    left = longest
    for at in ranked:
        weight = _weight(lines[at])
        room = left if weight >= _GIVES_REASON else left - longest // 3
        if lines[at] and (weight or at == first) and len(lines[at]) < room:
            chosen.add(at)
            left -= len(lines[at]) + 1
    if first < len(lines) and not chosen:
        return [shorten(lines[first], longest)]
    leads = {at for at in chosen if lines[at].endswith(":") and at + 1 not in chosen}
    return [lines[at] for at in sorted(chosen - leads)]


def _weight(line: str) -> int:
    """How much a line tells that the code does not: a reason most, then names, then a change."""
    if _OF_A_TEST.match(line):
        return 0
    reason = tells_reason(line)
    if not reason and len(line.split()) < _FRAGMENT and not CODE_NAME.search(line):
        return 0
    changes = len(line) >= _ENOUGH and bool(_CHANGED.search(line))
    return _GIVES_REASON * reason + min(2, len(CODE_NAME.findall(line))) + changes


def _told_in(line: str, about: Callable[[str], bool] | None) -> str:
    """What a line of a closing message tells, without praise, checks, offers and asides."""
    if (
        _FORM.stand_in(line)
        or _BANNER.match(line)
        or (_STATE.match(line) and not _CHANGED.search(line.strip("✅✓☑❌ ")))
    ):
        return ""
    line = _crisp(line.strip("✅✓☑ "))
    if is_empty(line) or len(line) < 12 or _ONLY_A_FILE.match(line):
        return ""
    told = [_crisp(each) for each in sentences(line) if not announces(each)]
    told = [each for each in told if each and tells_something(each) and not _is_small(each)]
    told = [each for each in told if not is_aside(each) and not _OF_A_RUN.search(each)]
    return " ".join(each for each in told if about is None or about(each))


def _crisp(sentence: str) -> str:
    """A sentence without praise and lead-in: "I've successfully added X" is "Added X"."""
    bare = _I_DID.sub("", _OPENING.sub("", sentence))
    is_cut = bare != sentence and _PLAIN_WORD.match(bare)
    return capital(bare) if is_cut else bare


def _is_small(sentence: str) -> bool:
    """Whether a sentence holds three words without a name, or sizes: "18 files, +1,022 lines"."""
    if len(sentence.split()) <= _FEW_WORDS and not CODE_NAME.search(sentence):
        return not _AHEAD.match(sentence)
    if (
        len(sentence) > _LONGEST_COUNT
        or CODE_NAME.search(sentence)
        or not set(sentence).isdisjoint("=→:")
    ):
        return False
    numbers, words = len(_NUMBER.findall(sentence)), len(_LETTERS.findall(sentence))
    return words <= 3 * numbers if numbers > 1 else words <= 5 and sentence[0].isdigit()


def aim_of(text: str) -> str:
    """What a message announces to do next, looking left out."""
    announced = [aim for each in sentences(text) if (aim := intent(each))]
    return announced[-1] if announced else ""
