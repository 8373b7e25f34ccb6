"""One offer of Set up: its name, its state, and what it would do, in words and as a change.

The screen lists these values, and knows none of them by name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from textual.message import Message

from memtui.tui.frame.paragraphs import Paragraph
from memtui.tui.frame.route import Route
from store.backends import Location

Change = Callable[[], str]
"""Changes what is set up, in a thread; returns a sentence about it. Raises `StoreError`."""


class LeaveFor(Message):
    """Asks the app to end, and to be opened on the sample store (`demo`), `again`, or on the memory
    at a location.

    Who comes back from there finds the screen of the route `back_to`.
    """

    def __init__(self, wanted: Location, back_to: Route[None] | None = None) -> None:
        super().__init__()
        self.wanted, self.back_to = wanted, back_to


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """One thing that can be set up; `done` where it is.

    `take` is what Enter does: a change, a message or an action of the app; None where there is
    nothing to do. `remove` takes it out again. `details` are read in a thread. With `asks_place`
    it is asked first where memory begins.
    """

    name: str
    title: str
    state: str
    details: Callable[[], Iterable[Paragraph]]
    done: bool = False
    take: Change | Message | str | None = None
    remove: Change | None = None
    asks_place: bool = False
