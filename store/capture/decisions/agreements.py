"""What was agreed: an agent's advice that a person takes, and answers to its points by number."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile

from store.agents.session import Session
from store.agents.transcript import Message, Speaker
from store.capture.candidate import Candidate, passage_of, shorten
from store.capture.requests.request import is_brief, title_of
from store.capture.text.grounds import OF_ANY_WORK
from store.capture.text.prose import CODE_NAME, announces, leans, plain, sentences, without_code
from store.model import Category
from store.text.content_words import code_words, content_words, covered
from store.text.phrases import Phrases
from store.text.regex import regex

_AGREES = Phrases(
    patterns={
        "ye|yup|agree|exactly|perfect|absolutely|definitely|sounds|makes|works|good |do |i like"
        "|can you|could you|go |let|that is|sim|isso|genau": (
            r"^(?:(?:ok(?:ay)?|oh|ah|and|so|well|right)\b[,.! ]*)*"
            r"(?:yes|yeah|yep|yup|agreed?|exactly|perfect|absolutely|definitely"
            r"|sounds (?:good|better|right)|makes sense|good (?:idea|point|call|plan)"
            r"|do (?:it|that)|i (?:agree|like (?:it|that|this))"
            r"|(?:can|could) you (?:please |just )*(?:do|go with|use|take|try|implement)"
            r" (?:it|that|this|(?:option |approach )?[a-e1-9])\b(?! \w+ing\b)"
            r"|go (?:ahead|with (?:it|that|your))|let['’]?s (?:do|go with) (?:it|that|this|your)"
            r"|that (?:sounds|makes|works|is better)|sim|isso|genau)\b"
        )
    }
)
_DECIDES = regex(r"(?:(?:ok(?:ay)?|yes|so|right|and|then)\b[,.! ]*)*let['’]?s (?!see\b)\w", re.I)
"""Who does what was advised agrees to it, where they name it."""
_TURNS = regex(r"\b(?:but|however|though|except|instead|rather|not|\w+n['’]t|no)\b", re.I)
_LONGEST_ASSENT = 200
"""Characters of the first sentence of an assent: who says more settles it in their own words."""
_ADVISES = regex(
    r"\b(?:i(?:['’]d| would| do)? (?:strongly )?(?:recommend|propose|go with|lean (?:towards?|to)"
    r"|vote for|favou?r|drop|keep|skip|defer)|my (?:recommendation|proposal|preference|vote)\b"
    r"|(?:recommendation|proposal|conclusion|verdict)(?: is)?:|the (?:key )?simplification is"
    r"|the (?:right|better|best|cleanest|simplest) (?:fix|approach|solution|design|call|move|place"
    r"|way|option) (?:is|would be)|(?:so|then) (?:yes, )?we (?:should|do(?:n['’]t| not) need"
    r"|can (?:drop|skip|keep))|(?:that|this) (?:means|way) we (?:should|can|don['’]t))",
    re.I,
)
_RECOMMENDS = regex(r"(?:so,? )?(?:my |the )?(?:recommendation|verdict|conclusion)(?: is)?: ", re.I)
"""What begins so is advice, and what follows it says why."""
_PROPOSES = regex(
    r"\b(?:could|can|should|shouldn['’]t|can['’]t) (?:we|it|you)\b|\bwhy (?:not|don['’]t we)\b"
    r"|\bwhat (?:about|if)\b|\b(?:rather than|instead of)\b",
    re.I,
)
_OF_ITSELF = regex(r"\(|I(?:['’](?:m|ve|ll)| (?:can|could|have|had|did|am|was))\b", re.I)
_OBJECTS = regex(r"\b(?:would|is|are|does|do|was|were)n['’]?t (?:it|that|this|they|we|you)\b", re.I)
"""Who asks whether it is not so has a doubt, and proposes nothing."""
_ADVISES_AGAINST = regex(
    r"(?:no(?:[,.!]|$)(?! problem| worries)|not (?:really|quite|without)\b"
    r"|that would (?:not|break|be (?:risky|wrong|worse|dangerous))"
    r"|that (?:won['’]t|wouldn['’]t|doesn['’]t) work|i wouldn['’]t"
    r"|i(?:['’]d| would) (?:advise against|not|keep|rather)"
    r"|i don['’]t (?:think (?:we|that|it)|recommend))",
    re.I,
)
_CONTESTS = regex(
    r"\b(?:but|still|disagree|no(?=,)|why not|are you sure|anyway|regardless|wrong|actually)\b|\?",
    re.I,
)
_OFFERS = regex(
    r"\b(?:want me to|(?:should|shall|may) i|would you like me to|want to go|is that the direction"
    r"|does that (?:sound|make|match)|sounds? (?:good|right)|agreed?\?)",
    re.I,
)
_LAST = 7
"""The last sentences of a message: there stands why what it offers is right."""
_OF_GIT = regex(
    r"\b(?:commit|push|merge|rebase|pr|pull request|branch|worktree|sub-?agents?|session|skill"
    r"|brainstorm\w*|review|tests? first|run the)\b",
    re.I,
)
"""How the work goes on is no decision of the project."""
_LOOKS = regex(r"\b(?:investigat\w*|look into|find out|fix|address) (?:it|th\w+|all)\b", re.I)
"""Who lets a fault be looked at has not settled how it is to be."""
_REASONED = regex(
    r"\b(?:because|since|so that|otherwise|which means|avoid\w*|without|instead of|rather than"
    r"|no (?:need|longer)|never|always|must|should|entirely|redundant|dead code|replaced by)\b",
    re.I,
)
_SETS = regex(
    r"^(?!the only\b).*\b(?:so that|instead of|rather than|without|no longer|should|entirely"
    r"|replaced by)\b",
    re.I,
)
"""What sets one thing against another."""
_MOST_ADVICE, _SAYS_ENOUGH, _LONGEST = 3, 5, 700
"""Sentences of advice, words of code that say what it is about, and characters of it."""
_POINT = regex(
    r"^\s{0,3}(?:#{1,5}\s+)?(?:\*\*|__)?(?:(?:item|point|question|issue|q)\s+#?)?(\d{1,2})"
    r"\s*[.):]+\s*(\S.*)$",
    re.I,
)
_ANSWER = regex(r"^\s{0,3}(\d{1,2})\s*[.):-]\s*(\S.*)$")
_LEAST_ANSWERS, _LONGEST_POINT, _LONGEST_ANSWER = 2, 110, 260
"""Answers by number, and characters of a point and of its answer."""
_SAYS_SOMETHING = 4
"""Words of an answer that says more than yes."""
_SAYS_SO = regex(
    r"(?:yes|yeah|yep|yup|no|nope|nah|ok(?:ay)?|sure|agreed?|let['’]?s|do(?:n['’]?t)?\b|keep|skip|drop"
    r"|leave|defer|ignore|we|it|i|that|this|both|neither|sim|não|ja|nein)\b",
    re.I,
)
_COPIED = 0.8
"""What has so much of a point's words copies it."""
_NO_QUESTION = 2
"""Words that an answer has of a point which asks nothing: with one it may be of another list."""
_LEAVES_OPEN = regex(r"\?\s*$|\b(?:not sure|don['’]?t know|maybe|think about)\b", re.I)


def agreements(session: Session) -> Iterator[Candidate]:
    """A decision for advice that was taken, and for points that were answered by their number."""
    before: Message | None = None
    asked: Message | None = None
    for said in session.said:
        if said.speaker is Speaker.AGENT:
            before = said
            continue
        if before is not None and not is_brief(said.text):
            told = (
                _answered(before.text, said.text)
                or _taken(asked, before.text, said.text)
                or _dropped(asked, before.text, said.text)
            )
            if told:
                yield Candidate(
                    category=Category.DECISION,
                    content=told,
                    line=said.line,
                    at=said.at,
                    passage=passage_of(f"{shorten(before.text, 400)}\n{said.text}"),
                    marks=(session.mark(before.line), session.mark(said.line)),
                )
        asked, before = said, None


def _taken(asked: Message | None, advice: str, said: str) -> str:
    """The advice of a message to which a person agrees, and what it was on."""
    first = next(sentences(said, short=True), "")
    agrees = _AGREES.stand_in(first)
    if not (agrees or _DECIDES.match(first)) or len(first) > _LONGEST_ASSENT or first.endswith("?"):
        return ""
    if _TURNS.search(first):
        return ""
    kept = _advice_in(list(sentences(advice)))
    text = shorten(" ".join(kept), _LONGEST)
    words = code_words(text) - OF_ANY_WORK
    if len(words) < _SAYS_ENOUGH or not (agrees or words & code_words(first)):
        return ""
    title = title_of(asked.text) if asked else ""
    about = code_words(title) & code_words(text)
    return f"Agreed: {text}\nOn: {shorten(title, 200)}" if about else f"Agreed: {text}"


def _dropped(asked: Message | None, reply: str, said: str) -> str:
    """What a person proposed and let go, since the agent said why not."""
    first, *more = list(sentences(reply, short=True)) or [""]
    if (
        asked is None
        or not _ADVISES_AGAINST.match(first)
        or _CONTESTS.search(said[:_LONGEST_ASSENT])
    ):
        return ""
    told = (each for each in sentences(asked.text) if not _OBJECTS.search(each))
    proposed = [each for each in told if _PROPOSES.search(each)]
    reasons = [each for each in (first, *more) if not each.endswith(("?", ":"))][:_MOST_ADVICE]
    if not proposed or not any(map(CODE_NAME.search, reasons)):
        return ""
    return f"Not: {shorten(proposed[-1], 240)}\nWhy: {shorten(' '.join(reasons), _LONGEST)}"


def _advice_in(told: Sequence[str]) -> list[str]:
    """What a message advises for a reason: its sentences that say so, and the last before the offer
    with which it ends.
    """
    if found := _recommended(told):
        return found
    offer = told[-1] if told and told[-1].endswith("?") else ""
    is_offered = _OFFERS.search(offer) and not (_OF_GIT.search(offer) or _LOOKS.search(offer))
    last = len(told) - _LAST if is_offered else len(told)
    kept: dict[str, None] = {}
    for at, each in enumerate(told):
        if each.endswith(("?", ":")) or _OF_ITSELF.match(each) or announces(each) or leans(each):
            continue
        advises = _ADVISES.search(each) and not _OF_GIT.search(each)
        argues = at >= last and CODE_NAME.search(each) and _SETS.search(each)
        if argues or (advises and _REASONED.search(each)):
            kept[each] = None
    return list(kept)[-_MOST_ADVICE:]


def _recommended(told: Sequence[str]) -> list[str]:
    """What a message calls its recommendation, with the sentences after it that say why."""
    at = next((at for at, each in enumerate(told) if _RECOMMENDS.match(each)), None)
    if at is None or _OF_GIT.search(told[at]) or _LOOKS.search(told[at]):
        return []
    after = takewhile(lambda it: not (it.endswith(("?", ":")) or announces(it)), told[at:])
    kept = list(after)[: _MOST_ADVICE + 1]
    return kept if any(map(_REASONED.search, kept)) else []


def _answered(points: str, said: str) -> str:
    """The points that a message of an agent numbers, each with what the person said to it."""
    answers = _numbered(said, _ANSWER)
    if len(answers) < _LEAST_ANSWERS:
        return ""
    titles = _numbered(points, _POINT)
    asks = points.endswith("?") or any(it.endswith("?") for it in titles.values())
    both = [number for number in answers if number in titles]
    fitting = [number for number in both if _fits(titles[number], answers[number])]
    if not asks or 2 * len(fitting) < len(titles):
        return ""
    lines = [
        f"- {_title(titles[number])} – {shorten(answer, _LONGEST_ANSWER)}"
        for number, answer in answers.items()
        if number in fitting and not _LEAVES_OPEN.search(answer)
        and len(answer.split()) >= _SAYS_SOMETHING
    ]  # fmt: skip
    return "Settled, point by point:\n" + "\n".join(lines) if len(lines) > 1 else ""


def _fits(point: str, answer: str) -> bool:
    """Whether an answer speaks to a point: it says yes or no to it, or uses a word of it; two words
    where that is no question.
    """
    if _SAYS_SO.match(answer):
        return True
    asked, said = content_words(_title(point)), content_words(answer)
    least = 1 if "?" in point else _NO_QUESTION
    return len(asked & said) >= least and covered(asked, said) < _COPIED


def _numbered(text: str, pattern: re.Pattern[str]) -> dict[str, str]:
    """The items of the last numbered list of a text, by their number."""
    found: dict[str, str] = {}
    for line in without_code(text).splitlines():
        match = pattern.match(line)
        if match and match[1] == "1":
            found = {}
        if match:
            found[match[1]] = match[2]
    return found


def _title(point: str) -> str:
    told = plain(point).strip("*_ ")
    head = next(iter(sentences(told)), told) or told
    return shorten(head, _LONGEST_POINT).rstrip(".:…")
