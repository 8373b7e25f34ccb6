"""The keys of a screen, as its bindings have them."""

from __future__ import annotations

from collections.abc import Sequence

from textual.app import App, ComposeResult
from textual.binding import ActiveBinding, Binding
from textual.content import Content
from textual.screen import ModalScreen

from memtui.formatting import fit
from memtui.tui.frame import routes
from memtui.tui.frame.keys import added_by_tooltip, bindings, key_in_use
from memtui.tui.frame.paragraphs import BLANK, Paragraph, Paragraphs, plain
from memtui.tui.frame.routes import Context, Open
from memtui.tui.widgets.panes import Reader

FIRST_PAGE = "index.md"


class HelpScreen(ModalScreen[None]):
    """Keys of the screen one came from, with a sentence for each."""

    BINDINGS = bindings("help")
    CSS_PATH = "help.tcss"
    AUTO_FOCUS = "#help-page"

    def __init__(self, context: Context, route: routes.Help) -> None:
        super().__init__()
        self._keys = list(route.bindings)
        self._page = route.page

    def compose(self) -> ComposeResult:
        with Reader(id="help-page"):
            yield Paragraphs(key_table(self._keys, self.app), id="help-keys")

    def on_mount(self) -> None:
        manual, back = (key_in_use(self.app, f"help.{name}") for name in ("manual", "back"))
        self.query_one(Reader).set_title("Keys here", f"{manual} manual · {back}")

    def action_manual(self) -> None:
        self.post_message(Open(routes.Manual(self._page or FIRST_PAGE), replace=True))


def key_table(bindings: Sequence[ActiveBinding], app: App[object]) -> list[Paragraph]:
    """Groups of keys: key, word, and what it does; below those where the window is narrow."""
    narrow = app.size.width < _WIDE
    shown = [active.binding for active in bindings if is_listed(active.binding)]
    word = max((len(binding.description) for binding in shown), default=0) + 2
    groups: dict[str, dict[str, tuple[list[str], Binding]]] = {}
    for binding in shown:
        group = binding.group.description if binding.group else "Everywhere"
        keys, _ = groups.setdefault(group, {}).setdefault(binding.action, ([], binding))
        key = app.get_key_display(binding)
        if key not in keys:
            keys.append(key)
    lines: list[Paragraph] = []
    for group in sorted(groups, key=_position):
        lines.append(plain(group, "bold"))
        for keys, binding in groups[group].values():
            lead = Content.assemble(
                "  ",
                (fit("  ".join(keys), 13), "bold $accent-text"),
                fit(binding.description, word),
            )
            meaning = Content.styled(added_by_tooltip(binding), "$dim")
            if narrow:
                lines.append(Paragraph(lead))
                lines += [Paragraph(meaning, indent=4)] if meaning else []
            else:
                lines.append(Paragraph(meaning, lead=lead))
        lines.append(BLANK)
    return lines[:-1]


def is_listed(binding: Binding) -> bool:
    return not binding.system and bool(binding.description) and binding.id is not None


_WIDE = 64
"""Columns from which a key takes one line."""
_ORDER = ("Find", "Choose", "Edit", "Move", "View", "Everywhere")


def _position(group: str) -> int:
    return _ORDER.index(group) if group in _ORDER else len(_ORDER) - 1
