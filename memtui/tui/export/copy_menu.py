"""The copy menu: what of the chosen observations goes to the clipboard, or to a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual.content import Content

from memtui.formatting import fit, memories, plural
from memtui.tui.dialogs.picker import Picker
from memtui.tui.export.save import write_text
from memtui.tui.frame import routes
from memtui.tui.frame.ask import ask, question
from memtui.tui.frame.keys import bindings, key_in_use
from memtui.tui.frame.routes import Context
from memtui.tui.frame.toasts import copied_message, toast, toast_error
from memtui.tui.memory.actions import is_message
from store import Memory
from store.errors import StoreError
from store.text.display import visible


@dataclass(frozen=True, slots=True)
class Copy:
    """Something to copy: the binding that takes it, its name and meaning, and the text itself."""

    binding: str
    name: str
    meaning: str
    text: str


class CopyScreen(Picker[Copy, None]):
    """Copies by the terminal (OSC 52), which never says whether it did; or writes a file."""

    BINDINGS = bindings("copy")

    def __init__(self, context: Context, route: routes.Copy) -> None:
        super().__init__("Copy", memories(len(route.ids)))
        self._memory = context.memory
        self._ids = route.ids
        self._keys: Sequence[str] = ()

    @question("copy")
    async def narrow(self, typed: str) -> None:  # type: ignore[override]
        copies = await ask(copies_of, self._memory, self._ids)
        self._keys = [key_in_use(self.app, copy.binding) for copy in copies]
        self.list.show(copies, typed)
        self.show_about()

    def failed(self, error: StoreError) -> None:
        toast_error(self.app, error)
        self.dismiss()

    def draw(self, row: Copy, cursor: Content, width: int) -> Content:
        size = plural(len(row.text), "character")
        widest = max(map(len, self._keys))
        key = self._keys[self.list.rows.index(row)]
        lead = Content.assemble(
            cursor, (fit(key, widest + 2), "bold $accent-text"), fit(row.name, 14)
        )
        room = max(0, width - lead.cell_length - len(size) - 2)
        return Content.assemble(lead, (fit(row.meaning, room), "$dim"), " ", (size, "$dim"), " ")

    def about(self, row: Copy) -> str:
        return row.text

    def action_take(self, index: int) -> None:
        if index < len(self.list.rows):
            self.list.cursor = index
            self.take(self.list.rows[index])

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return action != "pick" and super().check_action(action, parameters)

    def action_copy(self) -> None:
        self.pick()

    def take(self, row: Copy) -> None:
        copied = f"the {row.name}: {plural(len(row.text), 'character')}"
        message = copied_message(self.app, copied, "memory.copy", "copy.save")
        self.app.copy_to_clipboard(row.text)
        self.dismiss()
        toast(self.app, message)

    def action_save(self) -> None:
        if (copy := self.list.at) is not None:
            file = copy.name.replace(" ", "-")
            write_text(self.app, copy.name, file, f"{copy.text}\n", self.dismiss)


def copies_of(memory: Memory, identifiers: Sequence[str]) -> list[Copy]:
    """Texts to copy of some observations; what would act on a terminal is made visible.
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
