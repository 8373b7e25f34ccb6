"""Texts copied to the clipboard or saved to a file, and lists of memories exported."""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any

from textual.app import App
from textual.content import Content

from memtui.formatting import fit, memories, plural, shown_path
from memtui.tui.dialogs.picker import Picker
from memtui.tui.frame import routes
from memtui.tui.frame.ask import ask, exclusive_worker
from memtui.tui.frame.keys import bindings, key_in_use
from memtui.tui.frame.route import Context, Open
from memtui.tui.frame.toasts import copied_message, toast, toast_error
from memtui.tui.memory.actions import is_message
from memtui.tui.widgets.filter_box import FilterBox
from store import Memory
from store.errors import StoreError, WriteFailed
from store.exchange.values import Format
from store.platform.home import place_typed
from store.platform.links import is_folder, is_there, real_path
from store.text.display import visible, visible_line

FORMATS: Mapping[str, str] = MappingProxyType({".jsonl": "JSON lines", ".md": "Markdown bank"})
"""The formats that a list is exported in, by the endings of their files."""
_FORMAT_OF = {".jsonl": Format.JSON_LINES, ".md": Format.MARKDOWN}


def check_target(path: Path) -> None:
    """Raise `StoreError` where no file can be written, before anything is prepared for it."""
    if is_folder(path):
        raise StoreError(f"{path} is a folder.", "Add a file name.")
    if not is_folder(path.parent):
        raise StoreError(f"The folder {path.parent} does not exist.", "Choose an existing folder.")


def save_text(path: Path, text: str) -> None:
    """Write a text to a file; what was there stays until all of it is written.

    Raises `StoreError` where the place does not suit, `WriteFailed` where writing fails.
    """
    check_target(path)
    path = real_path(path)
    try:
        descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(text.encode("utf-8", "surrogatepass"))
            mode = path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~_umask()
            Path(name).chmod(mode)
            Path(name).replace(path)
        except OSError:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise WriteFailed(
            f"{path} could not be written: {error.strerror}.", "Choose another place."
        ) from error


def _umask() -> int:
    """Return the mask for new files, which can only be read by setting it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def ending_of(path: Path, formats: Mapping[str, str]) -> str:
    """Return the ending whose format a path has: its own, or the first."""
    return path.suffix.lower() if path.suffix.lower() in formats else next(iter(formats))


def save_prompt(
    app: App[Any], title: str, suggestion: str, formats: Mapping[str, str]
) -> routes.Prompt:
    """Asks for a file to write; `formats` names each by the ending of its files. A file that is
    there is overwritten once that was agreed to.
    """
    agreed = ""

    def check(text: str) -> str:
        nonlocal agreed
        if not text:
            return "Enter a file name."
        path = place_typed(Path(text))
        try:
            check_target(path)
        except StoreError as error:
            return error.full_message
        if is_there(path) and agreed != text:
            agreed = text
            return f"The file exists. {key_in_use(app, 'prompt.write')} again to overwrite."
        return ""

    def options(text: str) -> list[str]:
        path = Path(text.strip())
        stem = str(path.with_suffix("")) if path.suffix in formats else str(path)
        return [f"{stem}{ending}" for ending in formats]

    def describe(text: str) -> Content:
        chosen = ending_of(Path(text.strip()), formats)
        return Content("    ").join(
            Content.assemble(("● ", "$accent-text"), name)
            if ending == chosen
            else Content.styled(f"○ {name}", "$dim")
            for ending, name in formats.items()
        )

    return routes.Prompt(
        title,
        text=suggestion,
        check=check,
        options=options,
        describe=describe,
        verb="write",
        at=len(suggestion) - len(Path(suggestion).suffix),
    )


def export(
    app: App[Any],
    memory: Memory,
    query: str,
    only: Collection[str] | None,
    count: int,
    now: datetime,
) -> None:
    """Export what a query finds, or `only` these ids: `count` observations."""

    def write(path: Path) -> str:
        text = memory.exchange.export(_FORMAT_OF[ending_of(path, FORMATS)], query, only=only)
        if text:
            save_text(path, text)
        return text

    async def write_in_thread(path: Path) -> None:
        try:
            text = await asyncio.to_thread(write, path)
        except StoreError as error:
            toast_error(app, error)
            return
        if text:
            toast(app, f"Exported {memories(count)} to {shown_path(path)}")
        else:
            toast(app, "Nothing exported: no exact matches.")

    def save(name: str | None) -> None:
        if name is not None:
            app.run_worker(write_in_thread(place_typed(Path(name))), group="export")

    if not count:
        toast(app, "Nothing to export.")
        return
    name = f"memtui-{now:%Y-%m-%d}.jsonl"
    app.post_message(Open(save_prompt(app, f"Export {memories(count)}", name, FORMATS), save))


def write_text(
    app: App[Any], name: str, file: str, text: str, done: Callable[[], object] | None = None
) -> None:
    """Write a text called `name` to a file, `memtui-{file}.md` if the user has no better place.

    `done` is called once it is written.
    """

    def save(target: str | None) -> None:
        if target is None:
            return
        path = place_typed(Path(target))
        try:
            save_text(path, text)
        except StoreError as error:
            toast_error(app, error)
            return
        if done is not None:
            done()
        toast(app, f"Wrote the {name} to {shown_path(path)}")

    asked = save_prompt(app, f"Write the {name}", f"memtui-{file}.md", {".md": "As it is"})
    app.post_message(Open(asked, save))


@dataclass(frozen=True, slots=True)
class Copy:
    binding: str
    name: str
    meaning: str
    text: str


class CopyScreen(Picker[Copy, None]):
    """Copies by the terminal (OSC 52), which never confirms it; or writes a file."""

    BINDINGS = bindings("copy")

    def __init__(self, context: Context, route: routes.Copy) -> None:
        super().__init__("Copy", memories(len(route.ids)))
        self._memory = context.memory
        self._ids = route.ids
        self._copies: Sequence[Copy] = ()

    @exclusive_worker(group="copy")
    async def narrow(self, typed: str) -> None:
        self._copies = self._copies or await ask(copies_of, self._memory, self._ids)
        matches = self.query_one(FilterBox).matches
        rows = [copy for copy in self._copies if matches(f"{copy.name} {copy.meaning}")]
        self.show_message("" if rows else "Nothing matches.")
        self.show_rows(rows, typed)

    def failed(self, error: StoreError) -> None:
        toast_error(self.app, error)
        self.dismiss()

    def draw(self, row: Copy, cursor: Content, width: int) -> Content:
        size = plural(len(row.text), "character")
        keys = {copy: key_in_use(self.app, copy.binding) for copy in self._copies}
        key = fit(keys[row], max(map(len, keys.values())) + 2)
        lead = Content.assemble(cursor, (key, "bold $accent-text"), fit(row.name, 14))
        room = max(0, width - lead.cell_length - len(size) - 2)
        return Content.assemble(lead, (fit(row.meaning, room), "$dim"), " ", (size, "$dim"), " ")

    def about(self, row: Copy) -> str:
        return row.text

    def action_take(self, index: int) -> None:
        if index < len(self._copies):
            self.take(self._copies[index])

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return action != "pick" and super().check_action(action, parameters)

    def action_copy(self) -> None:
        self.pick()

    def take(self, row: Copy) -> None:
        copied = f"the {row.name}: {plural(len(row.text), 'character')}"
        message = copied_message(self.app, copied, "memory.copy", "copy.write")
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
    ids = "\n".join(visible_line(item.id) for item in found)
    copies = [
        Copy("copy.text", "text", "the content", texts),
        Copy("copy.id", "id", "for `memtui show` and scripts", ids),
    ]
    if not any(map(is_message, found)):
        block = memory.recall.prompt_block(identifiers).rstrip("\n")
        copies.append(Copy("copy.block", "prompt block", "as it is injected", block))
    return copies
