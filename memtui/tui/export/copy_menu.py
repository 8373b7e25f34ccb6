"""The copy menu: what of the chosen observations goes to the clipboard, or to a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from memtui.formatting import fit, memories, plural
from memtui.tui.export.save import write_text
from memtui.tui.frame import routes
from memtui.tui.frame.ask import ask, question
from memtui.tui.frame.keys import bindings, key_in_use
from memtui.tui.frame.routes import Context
from memtui.tui.frame.toasts import copied_message, tell, tell_error
from memtui.tui.memory.actions import is_message
from memtui.tui.widgets.key_bar import KeyBar
from memtui.tui.widgets.panes import Reader, Titled
from memtui.tui.widgets.row_list import RowList
from store import Memory
from store.errors import StoreError
from store.text.display import visible


@dataclass(frozen=True, slots=True)
class Copy:
    """Something to copy: the binding that takes it, its name, what it is, and the text itself."""

    binding: str
    name: str
    told: str
    text: str


class CopyList(RowList):
    """What can be copied, a line for each."""

    def __init__(self) -> None:
        super().__init__(id="copies")
        self.copies: Sequence[Copy] = ()
        self._keys: Sequence[str] = ()

    def show(self, copies: Sequence[Copy]) -> None:
        self.copies = copies
        self._keys = [key_in_use(self.app, copy.binding) for copy in copies]
        self.row_count = len(copies)
        self.reload()

    @property
    def copy(self) -> Copy | None:
        return self.copies[self.cursor] if self.copies else None

    def row(self, index: int, width: int) -> Content:
        copy = self.copies[index]
        size = plural(len(copy.text), "character")
        widest = max(map(len, self._keys))
        lead = Content.assemble(
            ("▸ " if index == self.cursor else "  ", "$accent-text"),
            (fit(self._keys[index], widest + 2), "bold $accent-text"),
            fit(copy.name, 14),
        )
        room = max(0, width - lead.cell_length - len(size) - 2)
        return Content.assemble(lead, (fit(copy.told, room), "$dim"), " ", (size, "$dim"), " ")

    def clicked(self, index: int, times: int) -> None:
        self.action_choose()


class CopyWindow(Titled, Vertical):
    """The window of the menu."""


class CopyScreen(ModalScreen[None]):
    """Copies by the terminal (OSC 52), which never says whether it did; or writes a file."""

    BINDINGS = bindings("copy")
    CSS_PATH = "export.tcss"
    AUTO_FOCUS = "#copies"

    def __init__(self, context: Context, route: routes.Copy) -> None:
        super().__init__()
        self._memory = context.memory
        self._ids = route.ids

    def compose(self) -> ComposeResult:
        with CopyWindow(id="copy"):
            yield CopyList()
            with Reader(id="copy-preview"):
                yield Static(id="copy-text", markup=False)
        yield KeyBar(id="keys")

    def on_mount(self) -> None:
        number = len(self._ids)
        self.query_one(CopyWindow).set_title("Copy", memories(number))
        self._read()

    @question("copy")
    async def _read(self) -> None:
        self._list.show(await ask(copies_of, self._memory, self._ids))
        self._preview()

    def failed(self, error: StoreError) -> None:
        tell_error(self.app, error)
        self.dismiss()

    @property
    def _list(self) -> CopyList:
        return self.query_one(CopyList)

    def on_row_list_moved(self) -> None:
        self._preview()

    def _preview(self) -> None:
        if (copy := self._list.copy) is not None:
            self.query_one("#copy-text", Static).update(Content(visible(copy.text)))
            self.query_one(Reader).scroll_home(animate=False)

    def on_row_list_chosen(self) -> None:
        self.action_copy()

    def action_take(self, index: int) -> None:
        if index < len(self._list.copies):
            self._list.cursor = index
            self.action_copy()

    def action_copy(self) -> None:
        if (copy := self._list.copy) is not None:
            copied = f"the {copy.name}: {plural(len(copy.text), 'character')}"
            said = copied_message(self.app, copied, "memory.copy", "copy.save")
            self.app.copy_to_clipboard(copy.text)
            self.dismiss()
            tell(self.app, said)

    def action_save(self) -> None:
        if (copy := self._list.copy) is not None:
            file = copy.name.replace(" ", "-")
            write_text(self.app, copy.name, file, f"{copy.text}\n", self.dismiss)


def copies_of(memory: Memory, identifiers: Sequence[str]) -> list[Copy]:
    """What can be copied of some observations; what would act on a terminal is made visible.
    Messages of sessions are none that can be injected.

    Raises the store's errors where one is gone.
    """
    found = [memory.get_redacted(identifier, fresh=False) for identifier in identifiers]
    texts = "\n\n".join(visible(item.content) for item in found)
    ids = "\n".join(visible(item.id, newlines=False) for item in found)
    copies = [
        Copy("copy.text", "text", "the content", texts),
        Copy("copy.id", "id", "for `memtui show` and scripts", ids),
    ]
    if not any(map(is_message, found)):
        block = memory.recall.prompt_block(identifiers).rstrip("\n")
        copies.append(Copy("copy.block", "prompt block", "as it is injected", block))
    return copies
