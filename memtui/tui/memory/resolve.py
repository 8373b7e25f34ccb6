"""Two versions of one memory side by side, as two branches left it; one of them is chosen."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from memtui.tui import routes
from memtui.tui.operations import RunOperation
from memtui.tui.route import Context
from memtui.tui.widgets.key_bar import KeyBar
from memtui.tui.widgets.reader import Reader
from store.text import visible
from store.values import EDITED, REMOVED, Record, alternatives


class ResolveScreen(ModalScreen[None]):
    """Keeps the version that counts, or takes that of the other branch."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "1", "take(0)", "keep left", id="resolve.keep", tooltip="Keep the version on the left"
        ),
        Binding(
            "2", "take(1)", "take right", id="resolve.take", tooltip="Use the version on the right"
        ),
        Binding(
            "n", "next", "next version", id="resolve.next", tooltip="Show the next branch's version"
        ),
        Binding(
            "escape,q",
            "dismiss",
            "back",
            key_display="esc",
            id="resolve.back",
            tooltip="Keep both versions for now",
        ),
    ]
    CSS_PATH = "memory.tcss"
    AUTO_FOCUS = "#left"

    def __init__(self, context: Context, route: routes.Resolve) -> None:
        super().__init__()
        self._memory_id = route.id
        self._record = route.record
        self._others = alternatives(route.record)
        self._at = 0

    def compose(self) -> ComposeResult:
        """The version that counts, the other, and the keys."""
        with Horizontal(id="versions"):
            with Reader(id="left"):
                yield Static(id="left-text", markup=False)
            with Reader(id="right"):
                yield Static(id="right-text", markup=False)
        yield KeyBar(id="keys")

    def on_mount(self) -> None:
        """Show both."""
        self._show()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """There is a next version where more than two branches edited it."""
        return action != "next" or len(self._others) > 1

    def action_next(self) -> None:
        """Show the version of another branch at the right."""
        self._at = (self._at + 1) % len(self._others)
        self._show()

    def action_take(self, side: int) -> None:
        """Keep the left version, or take the right one."""
        choice = self._at + 1 if side else 0
        self.post_message(
            RunOperation(lambda memory: memory.apply(memory.plan_resolve(self._memory_id, choice)))
        )
        self.dismiss()

    def _show(self) -> None:
        other = self._others[self._at]
        self.query_one("#left", Reader).set_title("This version", _edited(self._record))
        self.query_one("#left-text", Static).update(_version(self._record, self._record, other))
        more = f"{self._at + 1} of {len(self._others)}" if len(self._others) > 1 else _edited(other)
        self.query_one("#right", Reader).set_title("Other branch", more)
        self.query_one("#right-text", Static).update(_version(other, self._record, other))


def _edited(version: Record) -> str:
    """When a version was edited, as far as that is known."""
    edited = version.get(EDITED)
    return visible(edited[:16].replace("T", " "), newlines=False) if isinstance(edited, str) else ""


def _version(shown: Record, one: Record, other: Record) -> Content:
    """A version's text, and the keys in which the two differ."""
    if REMOVED in shown:
        return Content.styled("Removed on another branch.", "$text-warning")
    parts: list[Content] = []
    if isinstance(content := shown.get("content"), str):
        parts.append(Content(visible(content)))
    keys = [key for key in other if key not in ("content", "summary", "tokens", EDITED, REMOVED)]
    for key in keys:
        if one.get(key) != other[key]:
            value = visible(str(shown.get(key, "")), newlines=False)
            parts.append(Content.assemble((f"{visible(key, newlines=False)}: ", "$dim"), value))
    return Content("\n\n").join(parts)
