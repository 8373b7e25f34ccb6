"""The versions of a memory that branches left, side by side, for the user to choose."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from memtui.tui.frame import routes
from memtui.tui.frame.keys import bindings
from memtui.tui.frame.route import Context
from memtui.tui.operations import RunOperation
from memtui.tui.widgets.key_bar import KeyBar
from memtui.tui.widgets.panes import Reader
from store.merge.versions import EDITED, PROPOSED, REMOVED, Record, alternatives
from store.text.display import visible, visible_line


class ResolveScreen(ModalScreen[None]):
    """Keeps the version that counts, or takes that of the other branch."""

    BINDINGS = bindings("versions")
    CSS_PATH = "memory.tcss"
    AUTO_FOCUS = "#left"

    def __init__(self, context: Context, route: routes.Resolve) -> None:
        super().__init__()
        self._memory_id = route.id
        self._record = route.record
        self._others = alternatives(route.record)
        self._at = 0

    def compose(self) -> ComposeResult:
        with Horizontal(id="versions"):
            with Reader(id="left"):
                yield Static(id="left-text", markup=False)
            with Reader(id="right"):
                yield Static(id="right-text", markup=False)
        yield KeyBar(id="keys")

    def on_mount(self) -> None:
        self._show()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return action != "next" or len(self._others) > 1

    def action_next(self) -> None:
        self._at = (self._at + 1) % len(self._others)
        self._show()

    def action_take(self, side: int) -> None:
        choice = self._at + 1 if side else 0
        self.post_message(
            RunOperation(lambda memory: memory.apply(memory.plan.resolve(self._memory_id, choice)))
        )
        self.dismiss()

    def _show(self) -> None:
        other = self._others[self._at]
        self.query_one("#left", Reader).set_title("This version", _edited(self._record))
        self.query_one("#left-text", Static).update(_version(self._record, self._record, other))
        more = f"{self._at + 1} of {len(self._others)}" if len(self._others) > 1 else _edited(other)
        by = other.get(PROPOSED)
        whose = visible_line(f"Proposed by {by}") if by else "Other branch"
        self.query_one("#right", Reader).set_title(whose, more)
        self.query_one("#right-text", Static).update(_version(other, self._record, other))


def _edited(version: Record) -> str:
    edited = version.get(EDITED)
    return visible_line(edited[:16].replace("T", " ")) if isinstance(edited, str) else ""


def _version(shown: Record, one: Record, other: Record) -> Content:
    if REMOVED in shown:
        return Content.styled("Removed on another branch.", "$text-warning")
    parts: list[Content] = []
    if isinstance(content := shown.get("content"), str):
        parts.append(Content(visible(content)))
    keys = [key for key in other if key not in ("content", "summary", "tokens", EDITED, REMOVED)]
    for key in keys:
        if one.get(key) != other[key]:
            value = visible_line(str(shown.get(key, "")))
            parts.append(Content.assemble((f"{visible_line(key)}: ", "$dim"), value))
    return Content("\n\n").join(parts)
