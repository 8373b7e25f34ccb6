"""The app as screens know it: it opens those that routes name, and loads each only then."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

from memtui.tui.route import Context, Open, ResultT, Route
from memtui.tui.type_ahead import TypeAhead

if TYPE_CHECKING:
    from textual.screen import Screen
    from textual.widget import AwaitMount


def screen_class(route: type[Route[ResultT]] | Route[ResultT]) -> type[Screen[ResultT | None]]:
    """The class of the screen that a route names, imported now."""
    module, _, name = route.screen.partition(":")
    found: type[Screen[ResultT | None]] = getattr(import_module(f"memtui.tui.{module}"), name)
    return found


class NavigatingApp(TypeAhead):
    """An app whose screens open others by their routes."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self.context = context

    def can_open(self, route: Route[Any]) -> bool:
        """Whether there is what the screen needs."""
        return self.context.opened is not None or not route.needs_memory

    def screen_for(self, route: Route[ResultT]) -> Screen[ResultT | None]:
        """The screen that a route names."""
        make: Callable[..., Screen[ResultT | None]] = screen_class(route)
        return make(self.context, route)

    def open_screen(
        self, route: Route[ResultT], then: Callable[[ResultT | None], None] | None = None
    ) -> AwaitMount:
        """Open a screen; `then` is called with what it gives when it is left."""
        return self.push_screen(self.screen_for(route), then)

    def on_open(self, event: Open[Any]) -> None:
        """A screen asks for another."""
        event.stop()
        if self.can_open(event.route):
            if event.replace:
                self.switch_screen(self.screen_for(event.route))
            else:
                self.open_screen(event.route, event.then)
