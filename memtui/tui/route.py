"""A route: a value that names a screen, with what the screen needs to know.

Only the app opens screens. A screen asks for another by posting `Open` with its route; the app
then loads the module that the route names and makes the screen as `Screen(context, route)`. A new
screen is a module of its own, its route in `routes.py`, and a key that opens it.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, ClassVar, Generic, NamedTuple, TypeVar

from memtui.tui.message import Message, Valued

if TYPE_CHECKING:
    from store.pipeline import MemoryPipeline

ResultT = TypeVar("ResultT")


DEMO = "demo"
"""What the memory of the demo is called on screen."""


class Context(NamedTuple):
    """What every screen is given: memory once it is open, its name on screen, the clock.

    `refresh_every` is in seconds; 0 looks at the files only when asked.
    """

    place: str
    now: Callable[[], datetime]
    refresh_every: float
    opened: MemoryPipeline | None = None

    @property
    def is_demo(self) -> bool:
        """Whether the memory is that of the demo."""
        return self.place == DEMO

    @property
    def memory(self) -> MemoryPipeline:
        """The memory, which is open wherever a route needs it."""
        if self.opened is None:
            raise RuntimeError("no memory is open yet")
        return self.opened


class Route(Valued, Generic[ResultT]):
    """Names a screen that gives a `ResultT` when it is left, or None; with the values it names."""

    screen: ClassVar[str]
    """Its module below `memtui.tui` and its class: `reports.stats:StatsScreen`."""
    needs_memory: ClassVar[bool] = True


class Open(Message, Generic[ResultT]):
    """Asks the app for a screen; `then` is called with what that gives when it is left.

    With `replace` the screen that asks is left for it.
    """

    route: Route[ResultT]
    then: Callable[[ResultT | None], None] | None = None
    replace: bool = False
