"""Files that the user asks for: which one to write is asked, and said what became of it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping
from datetime import datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any

from textual.app import App

from memtui.formatting import plural
from memtui.tui.export.files import ending_of, save_text
from memtui.tui.frame import routes
from memtui.tui.frame.routes import Open
from memtui.tui.frame.toasts import tell, tell_error
from store import Memory
from store.errors import StoreError
from store.exchange.values import Format

FORMATS: Mapping[str, str] = MappingProxyType({".jsonl": "JSON lines", ".md": "Markdown bank"})
"""The formats that a list is exported in, by the endings of their files."""
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

    async def away(path: Path) -> None:
        try:
            text = await asyncio.to_thread(write, path)
        except StoreError as error:
            tell_error(app, error)
            return
        if text:
            tell(app, f"Exported {plural(count, 'memory', 'memories')} to {path}")
        else:
            tell(app, "Nothing exported: no exact matches.")

    if not count:
        tell(app, "Nothing to export.")
        return

    def save(path: Path | None) -> None:
        if path is not None:
            app.run_worker(away(path), group="export")

    title = f"Export {plural(count, 'memory', 'memories')}"
    route = routes.SaveFile(title, f"memtui-{now:%Y-%m-%d}.jsonl", FORMATS)
    app.post_message(Open(route, save))


def write_text(
    app: App[Any], name: str, file: str, text: str, done: Callable[[], object] | None = None
) -> None:
    """Write a text called `name` to a file, `memtui-{file}.md` if the user has no better place.

    `done` follows when it stands there.
    """

    def save(path: Path | None) -> None:
        if path is None:
            return
        try:
            save_text(path, text)
        except StoreError as error:
            tell_error(app, error)
            return
        if done is not None:
            done()
        tell(app, f"Wrote the {name} to {path}")

    route = routes.SaveFile(f"Write the {name}", f"memtui-{file}.md", {".md": "As it is"})
    app.post_message(Open(route, save))
