"""What a recall is asked for, each part beside the key that changes it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual.app import ComposeResult, RenderResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.reactive import reactive
from textual.style import Style
from textual.widget import Widget
from textual.widgets import Input, Static

from memtui.recalling import Wish
from memtui.words import count
from store.text.visible import visible


@dataclass(frozen=True, slots=True)
class _Part:
    """One thing that is asked for: the key shown, the one that a click presses, name, value."""

    key: str
    pressed: str
    name: str
    value: str


class WishLine(Widget):
    """Agent, issue, profile, channel and budget."""

    ALLOW_SELECT = False
    auto_links = False
    wish: reactive[Wish | None] = reactive(None)

    def render(self) -> RenderResult:
        """With names where there is room."""
        if self.wish is None:
            return ""
        parts = _parts(self.wish)
        line = _line(parts, named=True)
        if line.cell_length > self.content_size.width:
            line = _line(parts, named=False)
        return line.truncate(self.content_size.width, ellipsis=True)


class TaskBox(Input):
    """The words of the task; the recall follows as one types."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,escape", "screen.leave_task", "done", id="task.done", key_display="enter"),
    ]

    def __init__(self) -> None:
        super().__init__(
            id="task",
            compact=True,
            placeholder="none, as when a session starts",
            select_on_focus=False,
        )


class WishBar(Vertical):
    """The line of choices above the task."""

    def compose(self) -> ComposeResult:
        """Two lines."""
        yield WishLine()
        with Horizontal(id="task-line"):
            yield Static(
                Content.assemble(_key("T", "T"), ("task ", "$dim")), id="task-name", markup=False
            )
            yield TaskBox()

    def show(self, wish: Wish) -> None:
        """Show what is asked for."""
        self.query_one(WishLine).wish = wish

    @property
    def box(self) -> TaskBox:
        """The box of the task."""
        return self.query_one(TaskBox)


def _parts(wish: Wish) -> list[_Part]:
    issue = "any" if wish.issue is None else str(wish.issue)
    return [
        _Part("@", "at", "agent", visible(wish.agent or "any", newlines=False)),
        _Part("#", "number_sign", "issue", issue),
        _Part("P", "P", "profile", wish.profile),
        _Part("h", "h", "channel", str(wish.channel)),
        _Part("+ -", "plus", "budget", count(wish.budget)),
    ]


def _line(parts: list[_Part], *, named: bool) -> Content:
    return Content("   ").join(
        Content.assemble(
            _key(part.key, part.pressed),
            (f"{part.name} " if named else "", "$dim"),
            (part.value, "bold"),
        )
        for part in parts
    )


def _key(shown: str, pressed: str) -> Content:
    return Content.styled(f"{shown} ", "bold $accent-text").stylize(
        Style.from_meta({"@click": f"app.simulate_key({pressed!r})"})
    )
