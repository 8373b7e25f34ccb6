"""Plan, apply, journal, undo, redo: every change that can be previewed and taken back.

The modules are imported when they are first used: most starts of memtui change nothing.
"""

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from store.operations import apply, changes, forget, journal, layout, undo

__all__ = ["apply", "changes", "forget", "journal", "layout", "undo"]


def __getattr__(name: str) -> ModuleType:
    """One of the modules, imported now."""
    if name in __all__:
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
