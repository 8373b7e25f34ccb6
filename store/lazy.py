"""Modules that offer names from several rooms, each room imported when a name of it is asked for.

A command starts with no more than it needs, although it imports from few modules.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module


def offered(module: str, rooms: Mapping[str, str]) -> Callable[[str], object]:
    """The `__getattr__` of a module that offers the names of each room, divided by spaces."""
    room_of = {name: room for room, names in rooms.items() for name in names.split()}

    def get(name: str) -> object:
        if name not in room_of:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        value = getattr(import_module(room_of[name]), name)
        setattr(sys.modules[module], name, value)
        return value

    return get
