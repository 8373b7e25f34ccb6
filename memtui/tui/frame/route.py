"""How one screen opens another.

Only the app opens screens. A screen asks for another by posting `Open` with its route; the app
then loads the module that the route names and makes the screen as `Screen(context, route)`. A
screen's class may name its page of the manual, below `docs`, as `MANUAL_PAGE`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from importlib import import_module
from typing import TYPE_CHECKING, ClassVar, Generic, NamedTuple, TypeVar, dataclass_transform

from textual.message import Message
from textual.screen import Screen

if TYPE_CHECKING:  # what a first frame does without
    from store import Memory

ResultT = TypeVar("ResultT")

DEMO = "demo"
"""What the memory of the demo is called on screen."""


class Context(NamedTuple):
    """The context of every screen: memory once it is open, its name on screen, the clock.

    `refresh_every` is in seconds; 0 looks at the files only when asked.
    """

    place: str
    now: Callable[[], datetime]
    refresh_every: float
    opened: Memory | None = None

    @property
    def is_demo(self) -> bool:
        return self.place == DEMO

    @property
    def memory(self) -> Memory:
        """The memory, which is open wherever a route needs it."""
        if self.opened is None:
            raise RuntimeError("no memory is open yet")
        return self.opened


@dataclass_transform(frozen_default=True)
class Route(Generic[ResultT]):
    """Names a screen that gives a `ResultT` when it is left, or None; with the values it needs.

    `screen` is its module below `memtui.tui` and its class. Every route is a frozen dataclass.
    """

    screen: ClassVar[str]
    needs_memory: ClassVar[bool]

    def __init_subclass__(cls, *, screen: str, needs_memory: bool = True) -> None:
        super().__init_subclass__()
        cls.screen, cls.needs_memory = screen, needs_memory
        dataclass(frozen=True)(cls)


@dataclass
class Open(Message, Generic[ResultT]):
    """Asks the app for a screen; `then` is called with what that gives when it is left.

    With `replace` the screen that asks is left for it. `memory` is what it shows, if not the app's.
    """

    route: Route[ResultT]
    then: Callable[[ResultT | None], None] | None = None
    replace: bool = False
    memory: Memory | None = None


@dataclass
class Find(Message):
    """Asks for the memories that a query finds: those screens are left that lie over their list."""

    query: str


class MemoryChanged(Message, bubble=False):
    """Other programs changed memory, and the index has caught up, or want to change it."""


def screen_class(route: type[Route[ResultT]] | Route[ResultT]) -> type[Screen[ResultT | None]]:
    """Return the class of the screen that a route names, imported now."""
    module, _, name = route.screen.partition(":")
    found: type[Screen[ResultT | None]] = getattr(import_module(f"memtui.tui.{module}"), name)
    return found


def screen_for(context: Context, route: Route[ResultT]) -> Screen[ResultT | None]:
    make: Callable[..., Screen[ResultT | None]] = screen_class(route)
    return make(context, route)
