"""The line above the panes of Browse: what is wrong with the files, or with the settings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from memtui.formatting import plural, short_path
from memtui.words.notices import sentence

if TYPE_CHECKING:  # what a first frame does without
    from store.settings.files import Mistake
    from store.store_state import StoreState

KeyOf = Callable[[str], str]
"""Returns the key of a binding, empty where it has none."""


def notice_of(state: StoreState, mistakes: Sequence[Mistake], key_of: KeyOf) -> str:
    """Return what to know of a memory and of the settings' mistakes; empty where all is well."""
    if state.problems:
        return _unread_files(state, key_of("app.doctor"))
    if state.notice is not None:
        return sentence(state.notice)
    return _mistakes_in_words(mistakes, key_of("app.settings")) if mistakes else ""


def _unread_files(state: StoreState, key: str) -> str:
    names = list(dict.fromkeys(Path(problem.path).name for problem in state.problems))
    more = len(names) - 2
    others = f" and {plural(more, 'more file', 'more files')}" if more > 0 else ""
    details = f" {key} for details." if key else ""
    return f"{', '.join(names[:2])}{others} can't be read in full.{details}"


def _mistakes_in_words(mistakes: Sequence[Mistake], key: str) -> str:
    first = mistakes[0]
    line = "" if first.line is None else f", line {first.line}"
    place = f"{short_path(first.source)}{line}"
    more = " and elsewhere" if len(mistakes) > 1 else ""
    details = f" · {key} for details" if key else ""
    return (
        f"settings: {plural(len(mistakes), 'mistake')} in {place}{more} · defaults apply{details}"
    )
