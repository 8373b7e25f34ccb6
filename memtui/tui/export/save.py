"""Texts and memories saved to a file that the user names."""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections.abc import Callable, Collection, Mapping
from datetime import datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any

from textual.app import App
from textual.content import Content

from memtui.formatting import memories
from memtui.tui.frame import routes
from memtui.tui.frame.keys import key_in_use
from memtui.tui.frame.routes import Open
from memtui.tui.frame.toasts import toast, toast_error
from store import Memory
from store.errors import StoreError, WriteFailed
from store.exchange.values import Format
from store.platform.home import place_typed
from store.platform.links import real_path
from store.platform.named import is_folder, is_there


def check_target(path: Path) -> None:
    """Raise `StoreError` where no file can be written, before anything is prepared for it."""
    if is_folder(path):
        raise StoreError(f"{path} is a folder.", "Add a file name.")
    if not is_folder(path.parent):
        raise StoreError(f"The folder {path.parent} does not exist.", "Choose an existing folder.")


def save_text(path: Path, text: str) -> None:
    """Write a text to a file; what stood there stays until all of it is written.

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
    """The mask for new files, which can only be read by setting it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def ending_of(path: Path, formats: Mapping[str, str]) -> str:
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
            return error.told
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


FORMATS: Mapping[str, str] = MappingProxyType({".jsonl": "JSON lines", ".md": "Markdown bank"})
_FORMAT_OF = {".jsonl": Format.JSON_LINES, ".md": Format.MARKDOWN}


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
            toast(app, f"Exported {memories(count)} to {path}")
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
        toast(app, f"Wrote the {name} to {path}")

    asked = save_prompt(app, f"Write the {name}", f"memtui-{file}.md", {".md": "As it is"})
    app.post_message(Open(asked, save))
