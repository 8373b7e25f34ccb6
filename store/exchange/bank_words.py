"""Categories and tags by the headings and file names of a memory bank."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType

from store.model import Category

_WORDS = {
    Category.LESSON: "pitfall gotcha lesson learning learned mistake caveat trap warning",
    Category.DECISION: "decision adr choice rationale tradeoff",
    Category.ERROR: "error bug failure incident crash postmortem",
    Category.PROCEDURE: (
        "convention procedure workflow process runbook howto step guideline guide rule practice "
        "standard pattern command playbook checklist"
    ),
    Category.TASK: "task todo backlog pending",
    Category.HANDOFF: "handoff handover status progress active current",
    Category.CODE_CHANGE: "change changelog release",
    Category.PROJECT: "project brief overview product goal purpose vision architecture",
    Category.KEY_FACT: "fact note context tech stack reference glossary environment",
}
CATEGORY_OF: Mapping[str, Category] = MappingProxyType(
    {word: category for category, words in _WORDS.items() for word in words.split()}
)
"""The category that a word in a heading or a file name means, the word in the singular."""
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


_TAG = re.compile(r"(?<![\w#&/.])#([A-Za-z][\w-]*[A-Za-z0-9])\b")
_NOT_TAG = re.compile(r"[\W_]+")


_LONGEST_TAG = 40


def category_of(titles: Iterable[str]) -> Category:
    """Return the category that the nearest title names, `key-fact` where none does.

    `titles` are headings and file name, nearest first. In one title the last word that
    names one counts: "Build decisions" are decisions, "Project conventions" conventions.
    """
    return next(filter(None, map(category_named, titles)), Category.KEY_FACT)


def category_named(title: str) -> Category | None:
    """Return the category that a title names; None where no word of it does."""
    for word in reversed(_WORD.findall(title)):
        singular = word.lower()
        for form in (singular, singular.removesuffix("s"), singular.removesuffix("es")):
            if form in CATEGORY_OF:
                return CATEGORY_OF[form]
    return None


def tags_of(text: str, heading: str) -> tuple[str, ...]:
    """Return the tags of a text: its heading in plain letters, and the `#words` in it."""
    slug = _NOT_TAG.sub("-", heading.casefold()).strip("-")
    named = (found.lower() for found in _TAG.findall(text))
    return tuple(dict.fromkeys(tag for tag in (slug, *named) if 0 < len(tag) <= _LONGEST_TAG))
