"""Problems of a store or its settings, in one calm line."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from memtui.formatting import plural
from memtui.words.notices import sentence
from store.platform.home import home_folder

if TYPE_CHECKING:
    from store.settings.files import Mistake
    from store.statistics import StoreState

KeyOf: TypeAlias = Callable[[str], str]
"""Gives the key of the binding with an id as it is shown; empty where none works now."""


def trouble(state: StoreState, key_of: KeyOf) -> str:
    if state.problems:
        names = list(dict.fromkeys(Path(problem.path).name for problem in state.problems))
        named = ", ".join(names[:2])
        more = len(names) - 2
        others = f" and {plural(more, 'more file', 'more files')}" if more > 0 else ""
        key = key_of("app.doctor")
        next_step = f" {key} for details." if key else ""
        return f"{named}{others} can't be read in full.{next_step}"
    if state.notice is None:
        return ""
    return sentence(state.notice)


def settings_notice(mistakes: Sequence[Mistake], key_of: KeyOf) -> str:
    if not mistakes:
        return ""
    first = mistakes[0]
    line = "" if first.line is None else f", line {first.line}"
    place = f"{short_path(first.source)}{line}"
    more = " and elsewhere" if len(mistakes) > 1 else ""
    number = plural(len(mistakes), "mistake")
    key = key_of("app.settings")
    next_step = f" · {key} for details" if key else ""
    return f"settings: {number} in {place}{more} · defaults apply{next_step}"


def short_path(text: str) -> str:
    """A text with the home folder as `~`."""
    return text.replace(f"{home_folder()}/", "~/")
