"""Surroundings: what a command that failed showed of the machine, the sandbox or a service."""

from __future__ import annotations

import re
from collections.abc import Iterator

from store.agents.session import Session, Step
from store.capture.candidate import Candidate, passage_of
from store.capture.checks.failures import command_head
from store.capture.steps.tools import command_of
from store.capture.text.facts import ENOUGH, teaches
from store.capture.text.prose import CODE_NAME, leans, sentences
from store.model import Category
from store.text.phrases import Phrases
from store.text.regex import regex

_OF_THE_PLACE = Phrases(
    "on path|on the path|repository rule|repository rules|forbid|forbids|non-interactive|keychain"
    "|permission denied|root-owned|owned by root|quota|invalid token|token is invalid"
    "|token is expired|cannot reach|api key",
    {
        "in this |in the ": (
            r"\bin (?:this|the) (?:\w+ )?"
            r"(?:environment|sandbox|shell|container|wsl|checkout|machine)\b"
        ),
        "sandbox": r"\bsandbox",
        "installed|available": r"\b(?:not|\w+n['’]t) (?:installed|available)\b",
        "permission": r"\b(?:due to|denied|missing) permissions?\b",
        "rate": r"\brate[- ]limit",
        "not permit": r"\bnot permit",
        "require": r"\brequires? (?:(?:node|python|go|java|rust|ruby)\b|>\b)",
        "pinned ": r"\bpinned \w",
    },
)
_LEFT_OVER = regex(
    r"\b(?:(?:stale|left-?over) (?:[\w-]+ ){0,3}(?:builds?|dist|packages?|clones?|caches?|modules?"
    r"|files?|artifacts?)|(?:built|compiled) [^.;]{1,60}\b(?:is|are) (?:stale|old|missing)"
    r"|(?:being )?picked up by)\b",
    re.I,
)
"""What earlier work left behind stands in the way again, until it is known."""
_EXPECTED = regex(r"\b(?:this|that|which) is (?:expected|fine|normal)\b|\bas expected\b", re.I)
"""What had to be so stands in nobody's way."""
_INSTALLED = regex(
    r"\b(?:not|\w+n['’]t) installed\b.{0,40}"
    r"\b(?:workspace|node_modules|locally|checkout|worktree)\b",
    re.I,
)
"""What the project's own installation puts there is missing to nobody for long."""
_LONGEST_SAID, _MOST = 900, 2
"""Characters of what is said of a failure, beyond which it is a report; and facts a session."""


def surroundings(session: Session) -> Iterator[Candidate]:
    """A fact for what an agent said, at a command that failed, of where it ran."""
    told: dict[str, Candidate] = {}
    for step in session.steps:
        fact = _fact_at(step)
        if fact and fact not in told and len(told) < _MOST:
            told[fact] = _candidate(session, step, fact)
    yield from told.values()


def _fact_at(step: Step) -> str:
    after = step.after
    if not step.failed or step.call.aside or after is None or len(after.text) > _LONGEST_SAID:
        return ""
    if not command_of(step.call):
        return ""
    return next((each for each in sentences(after.text) if _is_of_the_place(each)), "")


def _is_of_the_place(sentence: str) -> bool:
    if leans(sentence) or _EXPECTED.search(sentence) or _INSTALLED.search(sentence):
        return False
    if _LEFT_OVER.search(sentence):
        return CODE_NAME.search(sentence) is not None
    return _OF_THE_PLACE.stand_in(sentence) and teaches(sentence) >= ENOUGH - 1


def _candidate(session: Session, step: Step, fact: str) -> Candidate:
    head = command_head(command_of(step.call))
    is_whole = head[:1].isalpha() and not set(head) & set("`…()\"'")
    return Candidate(
        category=Category.KEY_FACT,
        content=f"{fact}\nAt: `{head}`" if is_whole else fact,
        summary=fact,
        line=step.after.line if step.after else step.call.line,
        at=step.call.at,
        passage=passage_of(step.after.text if step.after else fact),
        marks=session.marks([step]),
    )
