"""The screens, each loaded when it is first named: the app starts with Browse alone.

Who opens one writes `screens.help.HelpScreen(…)`, and needs no import of its own.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memtui.screens import (
        activity,
        capture,
        compaction,
        copying,
        doctor,
        exporting,
        help,
        history,
        injection,
        issue_picker,
        observation,
        plan,
        settings,
        stats,
        writing,
    )

__all__ = [
    "activity",
    "capture",
    "compaction",
    "copying",
    "doctor",
    "exporting",
    "help",
    "history",
    "injection",
    "issue_picker",
    "observation",
    "plan",
    "settings",
    "stats",
    "writing",
]


def __getattr__(name: str) -> Any:  # noqa: ANN401 - a module whose names are checked above
    """The module of a screen, imported now."""
    if name in __all__:
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
