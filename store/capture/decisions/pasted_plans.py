"""Plans, pasted into a request or approved: their context, root cause and constraints."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from store.agents.session import Session
from store.agents.transcript import Message, Speaker
from store.capture.candidate import Candidate, passage_of, shorten
from store.capture.requests.request import title_of
from store.capture.text.causes import tells_cause
from store.capture.text.prose import plain, prose_lines, sentences, without_code
from store.capture.text.trouble import says_trouble
from store.capture.text.worth import tells_looks
from store.model import Category
from store.text.phrases import Phrases
from store.text.regex import regex

_HEADING = regex(r"^(#{1,4})\s+(.+?)\s*#*$", re.M)
_WHY = regex(
    r"\b(?:context|background|problem|motivation|goal|objective|overview|summary|purpose|why"
    r"|context[eo]|kontext|hintergrund|probl[eèé]ma?e?|objecti[fu]|objetivo|ziel|pourquoi|warum)\b",
    re.I,
)
_CAUSE = regex(r"\b(?:root cause|cause|diagnosis|analysis|findings|causas?|ursache)\b", re.I)
_FAULT = regex(r"^(?:the )?(?:problem|bug|(?:root )?cause)\b", re.I)
_SETTLED = regex(
    r"\b(?:decisions?|approach|design|solution|strategy$|trade-?offs?|alternatives?|rejected"
    r"|constraints?|requirements?|non-?goals?|out of scope|scope|assumptions?|caveats?|risks?"
    r"|edge cases?|key (?:points?|insights?|behaviou?rs?)|notes?|important|why (?:not|this)"
    r"|selected|chosen"
    r"|backwards?[- ]compat\w*|decis(?:ão|ões|ió|ión|iones)|d[ée]cisions?|entscheidung(?:en)?"
    r"|contraintes?|restri[cç](?:ões|ciones|cions))\b",
    re.I,
)
_LEARNED = regex(r"\b(?:learned|takeaways?|lessons?|guidance)\b", re.I)
_PLAN = Phrases(
    patterns={
        "plan|design|proposal|spec|implement": (
            r"\b(?:plan|design|proposal|specs?\b|specification|implement)"
        )
    }
)
_OPENING = 300
"""The characters in which a message says that it is a plan."""
_FIRST_WORDS = 60
"""The characters in which an agent says so of its own."""
_LEAST_SECTIONS = 2
"""Sections of a plan."""
_PROPOSED = regex(r"<proposed_plan>\s*(.*?)(?:</proposed_plan>|\Z)", re.S)
"""How Codex marks a plan."""
_OF_A_FILE = regex(r"[\w-]/[\w-]|\w\.\w{1,5}\b|`")
"""A section that is named after a file tells a step."""
_GUESS = regex(
    r"^(?:important |coding )?(?:rules|instructions|reminders)$"
    r"|^(?:step|phase|task|part|wave|slice|stage) ?\d|^(?:already )?(?:resolved|fixed)\b"
    r"|\bmitigations?\b|^(?:risk|option) \w\b(?!.*\b(?:chosen|selected|picked)\b)"
    r"|\bdecision drivers\b|\b(?:hypothes[ie]s|open questions?|possible"
    r"|potential|to (?:verify|check))\b",
    re.I,
)
_NAMED = regex(
    r"^# (?:(?:implementation )?plan\b(?! (?:from|for|of|to|in|on)\b) *:?+ *)?(\S.{0,160}?)[ :#]*$",
    re.M | re.I,
)
_OF_THE_MOMENT = regex(
    r"\bplan mode\b|\buntracked\b|\b(?:local|stale|fresh|current|one-layer|one-branch) (?:\w+ )?"
    r"stacks?\b|\bstack initiali[sz]ation\b|`?gh stack\b|\bfast-forward\w*|\bno open (?:pr|pull)"
    r"|\bbaseline (?:\w+ )?pass(?:es|ed)\b|\bis(?: already)? merged\b"
    r"|\bcurrent branch\b"
    r"|\bstack (?:is|onto)\b|\brebase the\b|\bchecked[- ]out\b"
    r"|\btests currently pass\b|\bimplementation is authori[sz]ed\b"
    r"|\bare merged\b|\b(?:remote|local) `?main\b|\borigin/main\b|\bpush or (?:pull|pr)\b",
    re.I,
)
"""How a checkout stands when a plan is made."""
_OF_A_REVIEW = regex(
    r"\b(?:issues|findings|comments|feedback)\b.{0,20}\b(?:identified|found|raised|from|in)\b", re.I
)
_REPORTS = regex(
    r"(?:the user (?:requested|asked for|wants) an? )?(?:[\w-]+ ){0,3}(?:audit|review)"
    r" (?:of|for)\b",
    re.I,
)
"""What begins so reports what was looked at, not why something is to be done."""
_OF_THE_WORK = regex(
    r"(?:requirements|edge cases handled|key insights?|scope (?:notes?|summary))"
    r"(?:: [^(]{0,80})? \(",
    re.I,
)
_HOW = regex(
    r"(?:[\w-]+ ){0,2}(?:approach|solution|design|strategy|layout|principles|edge cases|notes?)"
    r"(?: applied)?"
    r"(?:: [^(]{0,60})? \(",
    re.I,
)
"""The sections of a plan that the work carries out, or that say what is there."""
_SETS_AGAINST = regex(
    r"\b(?:instead of|rather than|because|since|otherwise|so that|not worth)\b", re.I
)
_SAYS_MORE = regex(
    r"\b(?:no|not|never|without|must|only|because|since|so that|which|instead of|rather than"
    r"|preserve\w*|keep\w*|remains?|cause\w*|bugs?|problems?|issues?|fails?|miss\w+|\w+n['’]t|wrong|but"
    r"|currently|silently|however|risk\w*|defer\w*|allow\w*)\b",
    re.I,
)
_A_LINE = 130
"""A why of one line that only names a review says nothing."""
_OF_A_TEXT = regex(
    r"^(?:\w+: )?(?:update|expand|extend|improve|rewrite|add)\b.{0,60}"
    r"\b(?:readme|changelog|release ?notes|claude\.md|agents\.md)\b",
    re.I,
)
"""A text that is for reading says itself what it says."""
_WHERE = regex(r"(?:all|the|single|only|one) (?:\w+ )?(?:changes?|edits?|files?)\b", re.I)
_LEAD_IN = regex(r"(?:(?<=[.!?]) |^)(?:(?![.!?] ).)*:$")
_TICKED = regex(r"\[[ x]\] ", re.I)
_WRAPPED, _GOES_ON = 55, regex(r"[a-z`(]")
"""From so many characters on a line without an end goes on in one that begins in lower case."""
_LONGEST_SECTION = 700
"""Characters of a section."""
_MOST_SECTIONS = 3
"""Sections told beside the one that says why."""
_SHORTEST = 40
"""Characters of a section that says something."""


class _Section(NamedTuple):
    heading: str
    text: str
    depth: int


def pasted_plans(session: Session) -> Iterator[Candidate]:
    """What the plans say beyond their steps that a person pasted, or the agent proposed last."""
    for said in session.said:
        if said.speaker is Speaker.USER and is_plan(said.text):
            for category, text in plan_statements(said.text):
                yield _candidate(said, category, text)
    last = session.said[-1] if session.said else None
    proposed = _PROPOSED.search(last.text) if last and last.speaker is Speaker.AGENT else None
    if last and proposed and is_plan(proposed[1]):
        for category, text in plan_statements(proposed[1]):
            yield _candidate(last, category, text)


@lru_cache(maxsize=256)
def is_plan(text: str) -> bool:
    """Whether a message holds a plan: it says so, and has sections that say why or how."""
    if not _PLAN.stand_in(text[:_OPENING]):
        return False
    sections = _sections(text)
    telling = [s for s in sections if any(p.search(s.heading) for p in (_WHY, _CAUSE, _SETTLED))]
    return len(sections) >= _LEAST_SECTIONS and bool(telling)


def lays_out_plan(text: str) -> bool:
    """Whether an agent's message is a plan, by its first words or headings, not of one."""
    opening = text[:_OPENING]
    heads = (found[2] for found in _HEADING.finditer(opening))
    return is_plan(text) and any(map(_PLAN.stand_in, (*heads, opening[:_FIRST_WORDS])))


def plan_statements(text: str) -> Iterator[tuple[str, str]]:
    """A plan's title with its context as a decision, its root cause as a fact, what it settles."""
    title = _title(text)
    sections = _sections(text)
    why = _why(sections)
    if why and not (_OF_A_TEXT.search(title) or tells_looks(f"{title} {why.text}")):
        yield Category.DECISION, f"Plan: {title.rstrip('.')}. {why.text}"
    yield from _settled(sections, why, title)


def settled_in(text: str) -> Iterator[tuple[str, str]]:
    """What a plan settles beside its steps, and the cause it names; its context is left out."""
    sections = _sections(text)
    yield from _settled(sections, _why(sections), _title(text))


def problem_in(text: str) -> tuple[str, str]:
    """The title of a text, and what it says is wrong, or why something is wanted."""
    why = _why(_sections(text))
    return _title(text), why.text if why else ""


def fault_in(text: str) -> str:
    """What a text tells below "Problem", "Bug" or "Root cause"; empty where it has no such part."""
    if "#" not in text:
        return ""
    told = (it for it in _sections(text) if _FAULT.search(it.heading))
    return next((it.text for it in told if len(it.text) >= _SHORTEST), "")


def _title(text: str) -> str:
    heading = _NAMED.search(without_code(text))
    return plain(heading[1]) if heading else title_of(text)


def _settled(
    sections: Sequence[_Section], why: _Section | None, title: str
) -> Iterator[tuple[str, str]]:
    left = _MOST_SECTIONS
    for section in (_with_those_below(sections, at) for at in range(len(sections))):
        if (why and section.heading == why.heading) or not left or len(section.text) < _SHORTEST:
            continue
        if (
            section.heading == title
            or _OF_A_FILE.search(section.heading)
            or _GUESS.search(section.heading)
        ):
            continue
        is_cause, is_learned = _CAUSE.search(section.heading), _LEARNED.search(section.heading)
        if is_cause and not _says_wrong(section.text):
            continue
        if is_cause or is_learned or (_SETTLED.search(section.heading) and _tells(section.text)):
            left -= 1
            about = f" ({title.rstrip('.')})" if title else ""
            told = Category.LESSON if is_learned else Category.DECISION
            category = Category.KEY_FACT if is_cause else told
            yield category, f"{plain(section.heading)}{about}: {section.text}"


def _says_wrong(told: str) -> bool:
    """Whether what is called a cause says what was wrong, or how it comes to that."""
    return bool(_SAYS_MORE.search(told)) or says_trouble(told) or tells_cause(told)


def _with_those_below(sections: Sequence[_Section], at: int) -> _Section:
    """A section that says nothing itself with what the ones below it say, each by its heading."""
    section = sections[at]
    if len(section.text) >= _SHORTEST:
        return section
    below: list[str] = []
    for number in range(at + 1, len(sections)):
        each = sections[number]
        if each.depth <= section.depth:
            break
        if each.text:
            below.append(f"{each.heading}: {each.text}")
    return _Section(section.heading, shorten(" ".join(below), _LONGEST_SECTION), section.depth)


def says_what_is_done(told: str) -> bool:
    """Whether what is told of a plan says what is done, and neither why nor what is not done."""
    if _OF_THE_WORK.match(told) or not _SAYS_MORE.search(told):
        return True
    return _HOW.match(told) is not None and not _SETS_AGAINST.search(told)


def why_of(text: str) -> str:
    """Why a plan is made, as it says itself; empty where a message is none or does not say."""
    why = _why(_sections(text)) if is_plan(text) else None
    return why.text if why else ""


def _why(sections: Sequence[_Section]) -> _Section | None:
    told = (it for it in sections if _WHY.search(it.heading) and len(it.text) >= _SHORTEST)
    why = next(told, None)
    if why is None or _REPORTS.match(why.text):
        return None
    return None if len(why.text) < _A_LINE and _OF_A_REVIEW.search(why.text) else why


def _tells(text: str) -> bool:
    """Whether a section says more than where the changes are made."""
    return not _WHERE.match(text)


def _sections(text: str) -> list[_Section]:
    """The sections of a Markdown text, each with the prose under its own heading."""
    parts = _HEADING.split(without_code(text))
    found = []
    for marks, heading, body in zip(parts[1::3], parts[2::3], parts[3::3], strict=False):
        prose = prose_lines("\n".join(_unwrapped(body.splitlines())), tables=True)
        lines = [_ended(_lasting(line)) for line in prose]
        lines = [line for line in lines if line]
        if sum(map(bool, map(_TICKED.match, lines))) * 2 > len(lines):
            lines = []  # a list to tick off says how far a plan is
        while lines and lines[-1].endswith(":"):
            lines[-1] = _LEAD_IN.sub("", lines[-1])  # what it leads to is no prose
            lines = lines if lines[-1] else lines[:-1]
        told = shorten(" ".join(lines), _LONGEST_SECTION)
        found.append(_Section(plain(heading), told, len(marks)))
    return found


def _unwrapped(lines: Iterable[str]) -> Iterator[str]:
    """The lines of a text, those together that one of fixed width was cut into."""
    held = ""
    for line in map(str.rstrip, lines):
        goes_on = (
            len(held) >= _WRAPPED and held[-1] not in ".!?:;" and _GOES_ON.match(line.lstrip())
        )
        if not goes_on:
            yield held
        held = f"{held} {line.lstrip()}" if goes_on else line
    yield held


def _lasting(line: str) -> str:
    """A line without the sentences that tell of the checkout at the time."""
    if not _OF_THE_MOMENT.search(line):
        return line
    return " ".join(each for each in sentences(line) if not _OF_THE_MOMENT.search(each))


def _ended(line: str) -> str:
    return line if not line or line.endswith((".", "!", "?", ":", ";", ",")) else line + "."


def _candidate(said: Message, category: str, text: str) -> Candidate:
    return Candidate(
        category=category,
        content=text,
        line=said.line,
        at=said.at,
        passage=passage_of(said.text),
    )
