"""The screens, each loaded when it is first named: the app starts with Browse alone.

Who opens one writes `screens.help.HelpScreen(…)`, and needs no import of its own.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memtui.tui.capture import screen as capture
    from memtui.tui.compaction import screen as compaction
    from memtui.tui.dialogs import plan
    from memtui.tui.doctor import screen as doctor
    from memtui.tui.editing import form
    from memtui.tui.export import copy_menu
    from memtui.tui.export import operations as export
    from memtui.tui.help import screen as help
    from memtui.tui.injection import issue_picker
    from memtui.tui.injection import screen as injection
    from memtui.tui.memory import screen as memory
    from memtui.tui.reports import activity, history, stats
    from memtui.tui.settings import screen as settings

_MODULES = {
    "activity": "reports.activity",
    "capture": "capture.screen",
    "compaction": "compaction.screen",
    "copy_menu": "export.copy_menu",
    "doctor": "doctor.screen",
    "export": "export.operations",
    "form": "editing.form",
    "help": "help.screen",
    "history": "reports.history",
    "injection": "injection.screen",
    "issue_picker": "injection.issue_picker",
    "memory": "memory.screen",
    "plan": "dialogs.plan",
    "settings": "settings.screen",
    "stats": "reports.stats",
}

__all__ = [
    "activity",
    "capture",
    "compaction",
    "copy_menu",
    "doctor",
    "export",
    "form",
    "help",
    "history",
    "injection",
    "issue_picker",
    "memory",
    "plan",
    "settings",
    "stats",
]


def __getattr__(name: str) -> Any:  # noqa: ANN401 - a module whose names are checked above
    """The module of a screen, imported now."""
    if name in _MODULES:
        return import_module(f"memtui.tui.{_MODULES[name]}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
