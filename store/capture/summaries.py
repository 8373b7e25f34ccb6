"""The summaries that agents write of their own sessions: what their headings hold."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from store.agents.noise import without_noise
from store.agents.transcript import ContextSummary
from store.capture.candidate import Candidate, passage_of, shorten
from store.capture.steps.check_output import is_slip
from store.capture.text.causes import tells_cause
from store.capture.text.prose import plain, without_code
from store.model import Category
from store.text.content_words import content_words
from store.text.regex import regex

_HEADING = regex(
    r"^(?:#{1,4}\s+)?(?:\d{1,2}\.\s+)?\**(Primary Request and Intent|Key Technical Concepts"
    r"|Files and Code Sections|Errors? and [Ff]ix(?:es)?|Problem Solving|All [Uu]ser [Mm]essages"
    r"|Pending Tasks|Current Work|(?:Optional )?Next Steps?)\**:?\**\s*(.*)$"
)
_PART = regex(r"\s*(?:</?\w+>\s*$|#{1,3}\s)")
_TEACHES = regex(
    r"<technical_details>|#\s+(?:technical details|discover\w+|gotchas|constraints|learnings?)\b",
    re.I,
)
"""The parts of other programs' summaries that hold what was found out."""
_LONGEST_FACT = 600
"""Characters of a fact."""
_BULLET = regex(r"^(\s*)(?:[-*•]|\d{1,2}[.)])\s+(.*)$")
_PATH = regex(r"(?<![\w.@~-])`?((?:[\w.@~-]+/)*[\w.@-]+\.\w{1,8}|(?:[\w.@~-]+/){2,}[\w.@-]+)`?")
_AFTER_PATH = regex(r"^/?`?[\s:(–—-]*")
"""What stands between a path and what is told of it; `(new)` and the like tell something."""
_NOTHING = regex(
    r"^(?:(?:format\w*|lint\w*|style) (?:issues?|errors?|warnings?|fix\w*)\b"
    r"|current(?:ly)? (?:\w+ )?(?:errors?|fail\w+|issues?|problems?)\b|none"
    r"|no (?!\w+ (?:support|way|handling))|nothing|n/a"
    r"|.*\bcurrently (?:resolving|fixing|working)\b|all (?:\w+ )*(?:done|completed?))",
    re.I,
)
_FEEDBACK = regex(r"^\W*user (?:feedback|correction|asked|said|noted|preferred)", re.I)
_CORRECTED = regex(
    r"\b[Uu]ser (?:rejected|corrected|insisted|prefers|told me|redirected|asked (?:me )?not)\b"
)
_ASKED_WHY = regex(
    r"^\W*(?:user feedback[^:]*:\W*)?(?:the )?user asked\b|^\W*(?:previous|earlier"
    r"|prior) session\b",
    re.I,
)
_EXPECTED = regex(
    r"\bpre-existing\b|\bnot (?:introduced|caused) by\b|\bexpected (?:\w+ )?(?:state|behaviou?r)\b"
    r"|\bmy files had\b|\bnot mine\b|\bindex\.lock\b|\bnot a problem\b|\bresolved when\b"
    r"|\bno (?:code )?changes? (?:was |were )?(?:needed|required|made)\b",
    re.I,
)
"""What went wrong on the way, as it had to, or what was wrong before and was left so."""
_UNSOLVED = regex(
    r"\((?:current|in progress|ongoing|unresolved|open)\)"
    r"|\bnot (?:yet )?(?:fixed|resolved|solved)\b|\bnot yet (?:read|checked|looked at)\b"
    r"|\bstatus: (?:unresolved|open|in progress)\b"
    r"|\bfix (?:is |was )?(?:still )?(?:pending|in progress)\b|\bpending fix\b"
    r"|\battempted fix\b|\bneeds? (?:further )?investigation\b|\bunder investigation\b"
    r"|\b(?:currently|still) investigating\b"
    r"|^[^:]{0,60}\b(?:branch name|wrong branch|worktree|merge conflicts?|rebase|commit message"
    r"|sub-?agents?|spec|brief)\b",
    re.I,
)
"""What the session goes on to solve, and what was wrong with its branch or its helpers."""
_OF_ITSELF = regex(
    r".*\b(?:wrong (?:directory|folder|cwd)|typo)\b"
    r"|[^:]{0,50}: (?:wrote|used|forgot|missed|mistakenly|accidentally|tried)\b"
    r"|^(?!.*\b(?:never|always)\b).{0,90}\b(?:I|[Mm]y)\b(?!\.)",
    re.S | re.I,
)
"""What the agent did wrong itself is put right: it teaches where a rule was made of it."""
_OF_TOOLS = regex(
    r"\b(?:the (?:Write|Edit|Task|Bash|Read) tool|Write tool"
    r"|MCP (?:session|tools?)\b.{0,60}\b(?:terminated|not available)|unknown skill|TeamDelete"
    r"|shutdown_request|stash pop)",
    re.I,
)
"""Trouble with the agent's own tools is none of the project's."""
_MADE_OTHERWISE = regex(
    r"(?:task|step|item|todo) #?\d+\W+(?:switched|changed|moved|renamed|replaced|rewrote|rewritten"
    r"|refactored|converted)\b",
    re.I,
)
"""A step of the work that was done in another way, where nothing went wrong."""
_MISCLAIMED = regex(
    r"\b(?:I (?:incorrectly |wrongly )?claimed|(?:incorrectly|wrongly) (?:claimed|assumed|said)"
    r"|correction to|wrong rationale|(?:my|own) (?:count|fix|plan|edit)"
    r"|could not (?:take a )?screenshot|screenshots? (?:failed|timed out))\b",
    re.I,
)
"""What the agent said and took back, and what its own tools could not show."""
_MISTOOK = regex(
    r"\bI (?:had )?(?:initially |first |wrongly )?(?:thought|assumed|believed|misunderstood)\b"
    r"|\bpushed back\b|\bled to (?:deeper|further)\b",
    re.I,
)
"""What an agent had wrong for a while, and found out."""
_OF_TESTS = regex(r"(?:\w+[ -]){0,3}tests?\b", re.I)
_MENDED_A_TEST = regex(
    r"\bFix(?:ed)?(?: by|:)? (?:\w+ ){0,4}(?:the )?"
    r"(?:`\w*[Tt]est\w*`|(?:tests?|test (?:script|fixtures?|setup))\b)"
    r"|\bFix(?:ed)?(?: by|:)? [^.]{0,60}\bin (?:the )?tests?\b"
)
_NAMED_CAUSE = regex(r"\bcause[sd]?\b|\bbecause\b|\bwas (?:not )?\w+ing\b", re.I)
"""What was wrong with tests that were just written teaches nothing, unless the cause is told."""
_LABELLED = regex(
    r"(?:the )?(?:root )?(?:cause|causes|fix|fixed|fixes|solution|resolution|resolved|status|result"
    r"|error|problem|why|reason|impact|lesson)(?: \w+)?: ",
    re.I,
)
"""What says one side of the trouble named before it."""
_OWN_HEADING = regex(r"#{2,6} (?:(?:error|issue|problem) #?\d+\W+)?", re.I)
_ASIDE = regex(r"(?:[\w ]{3,20}:|(?:user feedback|status): .*)\Z", re.I)
"""A label whose text was code, and what came of it meanwhile."""
_ONLY_MENDED = regex(r"(?:errors?|issues?|problems?): (?:fix(?:ed)?|solution|resolution)\b", re.I)
"""What was done about a trouble that is not told."""
_LACKED = regex(
    r"[^:]{3,60}\b(?:missing|does not implement)\b[^:]{0,40}: (?:fix(?:ed)?|solution): "
    r"(?:added|removed|imported|implemented|defined)\b(?!.*\b(?:because|since|instead|so that)\b)"
    r"[^.;]*\.?\Z",
    re.I,
)
"""What was missing and is there now: the code has it."""
_A_FACT = 8
"""Words from which a line is a fact by itself."""
_CITED, _FEW_WORDS = regex(r"\"[^\"]+\"|“[^”]+”"), 3
_REMARK = regex(r"[\"“/,;)]")
"""A remark that the person made, in quotes, or the rest of a line that was cut."""
_CHANGED = regex(
    r"\b(?:add|chang|creat|delet|fix|implement|introduc|mov|new|now|remov|renam|refactor|replac|rewr|updat"
    r"|modif|extract|split|wrap|ensur|instead)",
    re.I,
)
_OF_THE_PROJECT = regex(
    r"`[^`]+`|(?<!\w)\w+_\w+|(?<![a-z])[a-z]+[A-Z]\w+|\w/\w|\d|\b(?:not|never|only|must)\b"
)
"""A fact without a name, path, number or limit is one of the trade in general."""
_SAYS_HOW = regex(
    r"\b(?:not|never|only|must|because|when|while|if|unless|until|instead|requires?|needs?|but|already"
    r"|before|after|fails?|can(?:not|['’]t)|(?:do|does|is|are)n['’]t|without|no longer|so that"
    r"|since"
    r"|always|default\w*|overrid\w+)\b|→|=>|->",
    re.I,
)
"""What limits, orders or explains."""
_RULES = regex(
    r"\b(?:never|always|don['’]t|do not|prefer\w*|instead|rather than|must not|too)\b", re.I
)
"""What a person corrected teaches where it says how it is to be, or not to be."""
_SETS_A_RULE = regex(
    r"\b(?:not|never|must|required?s?|cannot|because|unless|\w+n['’]t|still)\b", re.I
)
"""One of the facts tells what must be, or what fails; the others name what the code has."""
_AROUND = regex(
    r"^This session is being continued from a previous conversation\b.*$"
    r"|^If you need specific details from before compaction\b.*$|^You['’]ve hit your limit\b.*$",
    re.M,
)
"""What the program writes before a summary and after it, or instead of one."""
_CLOSING = regex(r"^(?:please )?continue (?:the conversation|from where|with the last task)", re.I)


class _Item(NamedTuple):
    """A bullet with everything under it. `lines` are its own and its children's texts."""

    lines: tuple[str, ...]

    @property
    def text(self) -> str:
        head, *rest = self.lines
        if not rest:
            return head
        return f"{head.rstrip(':')}: " + " ".join(
            line if line.endswith((".", "!", "?")) else line + "." for line in rest
        )


def sections(text: str) -> dict[str, list[_Item]]:
    """The bullets of a summary by their section's heading; code is left out."""
    found: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in without_code(text).splitlines():
        heading = _HEADING.match(line)
        if heading:
            lines = found.setdefault(heading.group(1).lower(), [])
            lines += [heading.group(2)] if heading.group(2) else []
        elif line.strip() and not _CLOSING.match(line.strip()):
            lines.append(line)
    return {heading: list(_items(lines)) for heading, lines in found.items()}


def _items(lines: list[str]) -> Iterator[_Item]:
    depth: int | None = None
    open_item: list[str] = []
    for line in lines:
        bullet = _BULLET.match(line)
        indent = len(bullet.group(1)) if bullet else len(line) - len(line.lstrip())
        if depth is None:
            depth = indent
        if open_item and (bullet is not None or indent <= depth) and indent <= depth:
            yield _Item(tuple(open_item))
            open_item = []
        open_item.append(plain(bullet.group(2) if bullet else line.strip()))
    if open_item:
        yield _Item(tuple(open_item))


def accounts(summaries: tuple[ContextSummary, ...]) -> dict[str, str]:
    """What summaries say was changed in which file, by the path they name."""
    found: dict[str, str] = {}
    for summary in summaries:
        for item in sections(summary.text).get("files and code sections", ()):
            path = _PATH.search(item.lines[0])
            after = _AFTER_PATH.sub("", item.lines[0][path.end() :]) if path else ""
            told = (" ".join(item.lines[1:]) or after).strip(" -–—:*")
            if told.count(")") > told.count("("):
                told = told.removesuffix(")")
            if path and _CHANGED.search(told):
                found[path.group(1)] = shorten(told, 400)
    return found


def summary_candidates(
    summary: ContextSummary, *, is_last: bool = True, is_first: bool = True
) -> Iterator[Candidate]:
    """What a summary says, as candidates; files are left to the code changes.

    What it calls pending is open only where the session did nothing more: `is_last`. What was asked
    and solved it tells only where the transcript begins with it: `is_first`.
    """
    text = _AROUND.sub("", without_noise(summary.text)).strip()
    parts = sections(text)
    if not parts:
        if text:
            yield from _by_spec(summary, text)
        return
    facts = [item.text for item in parts.get("key technical concepts", ())]
    facts = [each for each in facts if len(each) >= 40 and _teaches(each)]
    if any(map(_SETS_A_RULE.search, facts)):
        yield _candidate(summary, Category.KEY_FACT, "\n".join(facts))
    for heading in ("errors and fixes", "error and fix", "errors and fix"):
        for item in _whole(parts.get(heading, ())):
            is_feedback = _FEEDBACK.match(item.text) or _CORRECTED.search(item.text)
            told = Category.LESSON if is_feedback else Category.ERROR
            if len(item.text) >= 40 and not _passes(item.text, told):
                yield _candidate(summary, told, item.text)
    for item in parts.get("pending tasks", ()) if is_last else ():
        if not _NOTHING.match(item.text) and len(item.text) >= 15:
            yield _candidate(summary, Category.TASK, item.text)
    goal = [item.text for item in parts.get("primary request and intent", ())]
    solved = [item.text for item in parts.get("problem solving", ())]
    if is_first and (goal or solved):
        lines = ["Asked: " + "; ".join(goal)] if goal else []
        lines += ["Solved: " + "; ".join(solved)] if solved else []
        yield _candidate(summary, Category.COMPACTION_SUMMARY, "\n".join(lines))


def _teaches(fact: str) -> bool:
    """Whether a fact is of this project, and says more than that something is there."""
    if len(fact.split()) < _A_FACT:
        return False
    return bool(_OF_THE_PROJECT.search(fact) and _SAYS_HOW.search(fact))


def _passes(text: str, told: Category) -> bool:
    """Whether what a summary lists as trouble teaches nothing: a slip, a remark, no cause."""
    if is_slip(text) or any(each.match(text) for each in (_NOTHING, _REMARK, _ASKED_WHY)):
        return True
    if (
        _ONLY_MENDED.match(text)
        or _LACKED.match(text)
        or _EXPECTED.search(text)
        or _UNSOLVED.search(text)
        or _cites(text)
    ):
        return True
    if _MISCLAIMED.search(text) or (told is Category.ERROR and _OF_TOOLS.search(text)):
        return True
    if told is Category.ERROR and (_OF_ITSELF.match(text) or _MADE_OTHERWISE.match(text)):
        return True
    if told is Category.LESSON and (_MISTOOK.search(text) or not _RULES.search(text)):
        return True
    if told is Category.ERROR and _MENDED_A_TEST.search(text) and "because" not in text:
        return True
    if _OF_TESTS.match(text) and not _NAMED_CAUSE.search(text):
        return True
    return told is Category.ERROR and not tells_cause(text)


def _whole(items: Iterable[_Item]) -> Iterator[_Item]:
    """The items, each with those after it that only say its cause or its fix; those below a heading
    of their own are one.
    """
    held: _Item | None = None
    is_headed = False
    for item in items:
        heading = _OWN_HEADING.match(item.lines[0])
        if held is not None and not heading and (is_headed or _LABELLED.match(item.text)):
            more = [line for line in item.lines if not (is_headed and _ASIDE.match(line))]
            held = _Item((*held.lines, *more))
            continue
        if held is not None:
            yield held
        is_headed = heading is not None
        held = _Item((item.lines[0][heading.end() :], *item.lines[1:])) if heading else item
    if held is not None:
        yield held


def _cites(text: str) -> bool:
    """Whether an item is what the person said, word by word, and nothing on what it was about."""
    cited = _CITED.findall(text)
    return len(cited) > 1 and len(content_words(_CITED.sub("", text))) <= _FEW_WORDS


def _by_spec(summary: ContextSummary, text: str) -> Iterator[Candidate]:
    """What a summary in another form teaches; one without any list is kept whole."""
    from store.capture.extractor import extract_observations

    for item in _taught(text):
        if _teaches(item.text):
            yield _candidate(summary, Category.KEY_FACT, shorten(item.text, _LONGEST_FACT))
    extracted = extract_observations(text)
    is_whole = len(extracted) == 1 and extracted[0].content == text.strip()
    for observation in extracted:
        if is_whole or observation.category != Category.COMPACTION_SUMMARY:
            yield _candidate(summary, observation.category, observation.content)


def _taught(text: str) -> list[_Item]:
    """The items of the parts of a summary that say how things are, not what was done."""
    lines: list[str] = []
    inside = False
    for line in without_code(text).splitlines():
        if _PART.match(line):
            inside = bool(_TEACHES.search(line))
        elif inside and line.strip():
            lines.append(line)
    return list(_items(lines))


def _candidate(summary: ContextSummary, category: str, text: str) -> Candidate:
    return Candidate(
        category=category,
        content=text,
        line=summary.line,
        at=summary.at,
        passage=passage_of(text),
    )
