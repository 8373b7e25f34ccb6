"""Whatever a list or a screen leaves to its subclasses, those that are shown give.

Textual's widgets have a metaclass of their own, so nothing refuses one that lacks a method when it
is made: mypy does where it is written, and this test where mypy can't see it.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pkgutil import walk_packages

import pytest

from memtui import tui
from memtui.tui.dialogs.picker import Picker
from memtui.tui.memory.actions import ObservationActions
from memtui.tui.reports.overview import OverviewList, OverviewScreen
from memtui.tui.widgets.row_list import RowList


def leaves(cls: type) -> Iterator[type]:
    """The classes below one that have none below them."""
    below: list[type] = cls.__subclasses__()
    if not below:
        yield cls
    for each in below:
        yield from leaves(each)


def lacking(cls: type) -> set[str]:
    """The names of the methods that a class leaves open."""
    return {name for name in dir(cls) if getattr(_plain(cls, name), "__isabstractmethod__", False)}


def _plain(cls: type, name: str) -> object:
    """What a class or its nearest base says of a name, a property as itself."""
    return next((base.__dict__[name] for base in cls.__mro__ if name in base.__dict__), None)


@pytest.mark.parametrize(
    ("base", "open_names"),
    [
        (RowList, {"row"}),
        (OverviewList, {"row", "row_key"}),
        (OverviewScreen, {"read", "details"}),
        (ObservationActions, {"memory", "at"}),
        (Picker, {"narrow", "draw", "value_of"}),
    ],
)
def test_what_is_left_open_is_given_in_the_end(base: type, open_names: set[str]) -> None:
    for module in walk_packages(tui.__path__, "memtui.tui."):
        if module.name != "memtui.tui.dev":
            import_module(module.name)
    ours = [leaf for leaf in leaves(base) if leaf.__module__.startswith("memtui")]
    assert lacking(base) == open_names
    assert base not in ours
    assert {leaf: lacking(leaf) for leaf in ours if lacking(leaf)} == {}
