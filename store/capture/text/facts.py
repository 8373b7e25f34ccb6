"""Facts: sentences of an agent that say how things are, as neither git nor the code tells it.

How much a sentence teaches is a sum of what stands in it: a limit or a demand, a reason, names and
figures count for it; the agent and the person, guesses and how far the work is count against it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import lru_cache

from store.capture.text.chatter import is_aside, tells_something
from store.capture.text.prose import CODE_NAME, announces, leans, sentences, stopped
from store.capture.text.trouble import tells_deed
from store.text.regex import regex

ENOUGH, MUCH = 4, 5
"""From what a sentence teaches enough: in an answer or advice; and where nobody asked.

Of 13 such facts of 60 sessions that were not read before, 10 were wanted.
"""
_SHORTEST, _LONGEST = 45, 420
"""Characters of a sentence that states a fact."""
_LIMITS = regex(
    r"\b(?:only (?:when|if|where|works?|supports?|accepts?|reads?|runs?|allows?|one|via|by|on|in"
    r"|for|from|after|exists?|handles?|applies)|must(?: not)? (?!have\b)|can(?:not|['’]t)"
    r"|(?:does|do|did|is|are|was|were|will|wo|has|have)(?:n['’]t| not)|never"
    r"|no (?:way|separate|built-in|longer|direct|native|bulk|public|automatic|such|official)"
    r"|requires?|needs? (?:to be|the|an?|both|at least)|expects?|refus(?:es?|ed)|reject(?:s|ed)?"
    r"|ignor(?:es?|ed)|silently|by design|deliberate(?:ly)?|intentional(?:ly)?|unless"
    r"|even (?:if|when|though)|rather than|instead of|breaks?|fails?|limit(?:s|ed)?|rate-limit\w*"
    r"|expires?|at most|at least|unsupported|invisible|overwrit(?:es?|ten)|reserved|depends on"
    r"|assumes?|defaults? to|without|drops?|strips?|forces?)\b",
    re.I,
)
_REASON = regex(
    r"\b(?:because|due to|since|so that|which (?:is why|means|makes|breaks|broke|causes|caused)"
    r"|that['’]s why|root cause|caused by|turns out|the reason"
    r"|would (?:break|fail|lose|leak|require|cause|make|violate|have (?:also )?worked)|trade-?offs?"
    r"|downside|caveat|gotcha|pitfall|trap|beware|workaround|catch is|otherwise)\b",
    re.I,
)
_FIGURE = regex(
    r"(?<![\w.#])\d+(?:\.\d+)?\s?(?:%|ms|s|seconds?|min(?:utes?)?|hours?|days?|[KMG]i?B|x|req\w*"
    r"|tokens?|chars?|characters|bytes|rows)\b|\bv?\d+\.\d+",
    re.I,
)
_PROPER = regex(r"\b(?:[A-Z][a-z]+[A-Z]\w*|[A-Z]{3,}|(?<=[a-z,] )[A-Z][a-z]{3,})\b")
_PERSONS = regex(
    r"\b(?:I|I['’](?:m|ve|ll|d)|my|me|you|your|you['’](?:re|ll|ve|d)|let['’]s|we['’]ll|worker"
    r"|reviewer|CodeRabbit)\b"
)
_GUESSES = regex(
    r"\b(?:probably|perhaps|maybe|might|may (?:be|have|need)|likely|seems?|appears?|looks like"
    r"|should (?:now|be fine|work)|could be|unclear|not sure|presumably|potential(?:ly)?)\b",
    re.I,
)
_OF_THE_WORK = regex(
    r"\b(?:tests? (?:pass|cover|suite|are|for)|lint\w*|typecheck|suite|uncommitted|committed|pushed"
    r"|working tree|diff|worktree|review(?:ed|er|s)?|findings?"
    r"|this (?:session|turn|pass|change|fix|commit|plan|task|pr|branch)|lines? \d+|next steps?"
    r"|phase \d|step \d|follow-?up|remaining|pre-existing|unrelated|untouched|unchanged"
    r"|out of scope|files? (?:created|changed)|verified|confirmed|in the description|survived|stale"
    r"|superseded|close as)\b"
    r"|https?://|[✅❌⚠🎉]|^\W*(?:high|medium|low|critical)\b",
    re.I,
)
_OF_NOW = regex(
    r"\b(?:now|currently|yet|so far|already|still|again|just|no longer)\b"
    r"|^(?:the|this) (?:\w+ )?(?:issue|bug|problem) (?:is|was)\b",
    re.I,
)
_DEED = regex(
    r"(?:add|fix|remov|chang|updat|creat|mov|renam|replac|extract|implement|wir|convert|clean|bump"
    r"|delet|extend|refactor|introduc|rewr|simplif|document|expos|ensur|us|return|skip|report|pass"
    r"|log|wrap|handl|set|mak|made|kept|keep|wrote|new)\w*\b",
    re.I,
)
_HEAD = regex(r"(?:\W*(?:also|now|both|all|then|`[^`]+`)(?: \([^)]*\))?[ ,:—–-]*)*")
_A_STEP = regex(r"(?:if (?:not|so)\b|on \w+:)", re.I)
_ANSWERS = regex(
    r"(?:so,? )?(?:(?:yes|no)(?= ?[,:.–—-])|short answer|bottom line|in short"
    r"|the (?:short )?answer is)\b"
    r"[ ,:.–—-]+(?!problem|worries|I (?:read|checked|looked|went|see|can)\b)\w.{20,240}$",
    re.I,
)
"""What says yes or no, and more than that: it comes first, whatever else is told."""
_AT_ONCE = regex(
    r"(?:\w+, )?(?:yes|no|nope|correct|right|exactly|neither|both|not|only|because|it(?:['’]s| is)"
    r"|for the|when)\b",
    re.I,
)
"""What answers a question with its first word."""
_NAMED = regex(r"\b(?:[A-Z][a-z]+[A-Z]\w*|[A-Z]{3,})\b")
_MOST_DIRECT, _MANY_NAMES = 4, 3
_MOST_NAMES, _MOST_TOLD, _ROOM, _OPENING = 2, 4, 480, 12
"""Names of code that count, sentences and characters that are told, and the sentences among which
the answer stands.
"""


@lru_cache(maxsize=512)
def teaches(sentence: str) -> int:
    """How much a sentence teaches of how things are; below 0 where it tells of the work."""
    if not _SHORTEST <= len(sentence) <= _LONGEST or sentence.endswith(("?", ":")):
        return -1
    limits, reason = _LIMITS.search(sentence), _REASON.search(sentence)
    if not (limits or reason) or _is_cut(sentence):
        return 0
    if announces(sentence) or is_aside(sentence) or not tells_something(sentence):
        return -1
    if not reason and tells_deed(sentence):
        return -1
    names = min(_MOST_NAMES, len(CODE_NAME.findall(sentence)))
    names = names or bool(_PROPER.search(sentence))
    told = 2 * bool(limits) + 2 * bool(reason) + names + bool(_FIGURE.search(sentence))
    against = (_PERSONS, _GUESSES, _OF_THE_WORK)
    told -= 2 * sum(bool(each.search(sentence)) for each in against)
    return told - bool(_OF_NOW.search(sentence)) - _begins_with_deed(sentence)


def _is_cut(sentence: str) -> bool:
    """Whether a sentence is a part of one, as what follows "e.g." is, or a step of a list."""
    if sentence.count("`") % 2 or sentence.count("(") != sentence.count(")"):
        return True
    return _A_STEP.match(sentence) is not None


def _begins_with_deed(sentence: str) -> bool:
    head = _HEAD.match(sentence)
    return _DEED.match(sentence, head.end() if head else 0) is not None


def teaches_enough(text: str, least: int = ENOUGH) -> bool:
    """Whether a sentence of a text teaches at `least` so much, or two nearly do."""
    told = sorted(map(teaches, sentences(text)), reverse=True)
    return any(it >= least for it in told[:1]) or any(it >= least - 1 for it in told[1:2])


def answer_in(text: str, besides: Collection[str] = ()) -> str:
    """What an answer teaches, in a few sentences; `besides` are those told otherwise.

    Empty where what teaches most leans on something that is not told.
    """
    told = [each for each in sentences(text) if each not in besides]
    weights = [teaches(each) for each in told]
    best = sorted((at for at, it in enumerate(weights) if it > 1), key=lambda at: -weights[at])
    if not best or _grounds(told, best[0]) is None:
        return ""
    fact = _joined(told, best)
    answer = next((each for each in told[:_OPENING] if _ANSWERS.match(each)), "")
    return fact if answer in fact else f"{stopped(answer)} {fact}"


def direct_answer(text: str) -> str:
    """How a message answers at once: its first sentences, as far as one says a limit or a reason;
    empty where it opens otherwise, and where it guesses or tells of the work.
    """
    kept: list[str] = []
    for each in sentences(text):
        if each.endswith(("?", ":")) or announces(each) or len(kept) == _MOST_DIRECT:
            break
        if _length(kept, set(range(len(kept)))) + len(each) > _ROOM:
            break
        kept.append(each)
    told = " ".join(map(stopped, kept)).replace("**", "")
    if not _AT_ONCE.match(told) or _GUESSES.search(told) or _OF_THE_WORK.search(told):
        return ""
    names = {*CODE_NAME.findall(told), *_NAMED.findall(told)}
    is_enough = len(names) >= _MANY_NAMES or (names and any(map(_says_limit, kept)))
    return told if is_enough and len(kept) > 1 else ""


def answers_at_once(text: str) -> bool:
    """Whether a text answers a question with its first word."""
    return _AT_ONCE.match(text) is not None


def _says_limit(sentence: str) -> bool:
    return _LIMITS.search(sentence) is not None or _REASON.search(sentence) is not None


def _joined(told: Sequence[str], chosen: Sequence[int]) -> str:
    """The chosen sentences that fit, the best of them first chosen, in the order they stood in."""
    kept: set[int] = set()
    for at in chosen:
        both = _grounds(told, at)
        if both and len(kept | both) <= _MOST_TOLD and _length(told, kept | both) <= _ROOM:
            kept |= both
    return " ".join(stopped(told[at]) for at in sorted(kept))


def _grounds(told: Sequence[str], at: int) -> set[int] | None:
    """A sentence's place, with that before it where it leans on that; none where it can't."""
    if not leans(told[at]):
        return {at}
    can_lean = at > 0 and teaches(told[at - 1]) >= 0 and not leans(told[at - 1])
    return {at - 1, at} if can_lean else None


def _length(told: Sequence[str], kept: set[int]) -> int:
    return sum(len(told[at]) + 1 for at in kept)
