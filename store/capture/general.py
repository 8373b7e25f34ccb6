"""Standing rules that hold in every project, by their words."""

from __future__ import annotations

from store.model import FINDER, Level, Observation
from store.text.code import code_spans, paths_in

_RULES = "rules"
"""The finder of standing rules, and the tag of one that was added by hand."""
_AROUND = ".,;:!?()\"'“”‘’"


def is_for_all_projects(observation: Observation, project: str) -> bool:
    """Return whether a standing rule of the person may be theirs in all projects: it is not yet,
    nor the team's, and names no path, no code and not the project.
    """
    is_rule = observation.extra.get(FINDER) == _RULES
    if not is_rule or observation.archived or observation.level in (Level.MINE, Level.TEAM):
        return False
    text = observation.content
    words = [word.strip(_AROUND) for word in text.split()]
    names_project = project.casefold() in map(str.casefold, words)
    return not (names_project or paths_in(text) or code_spans(text) or any(map(_is_code, words)))


def _is_code(word: str) -> bool:
    """Return whether a word is written as names of code are: `read_all`, `readAll`, `v2`, `a.b`."""
    has_capitals = word[1:] != word[1:].lower() and not word.isupper()
    return has_capitals or not word.replace("-", "").replace("'", "").replace("’", "").isalpha()
