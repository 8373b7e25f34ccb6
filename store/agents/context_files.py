"""Files that clients load into a session's context by themselves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from store.agents.client import Client, ContextFile, Home
from store.agents.files import dashed

_MOST_BYTES = 1_000_000
"""A larger file is none that a client would load whole."""


class LoadedFile(NamedTuple):
    """A file that is loaded: its category, its name for people, and as much as is loaded of it."""

    category: str
    name: str
    text: str


def loaded_files(clients: Iterable[Client], root: Path, home: Home) -> Iterator[LoadedFile]:
    """List the files that these clients load in a project: instructions, skills, agents,
    templates, memories.

    Each file once. Files that can't be read are passed over, as clients do.
    """
    kinds = dict.fromkeys(kind for client in clients for kind in client.context)
    seen: set[Path] = set()
    for kind in sorted(kinds, key=lambda kind: kind.of_user):
        base = home.path if kind.of_user else root
        pattern = kind.pattern.replace("{project}", dashed(root))
        for path in sorted(base.glob(pattern)):
            if path not in seen and (text := _text(path, kind)) is not None:
                seen.add(path)
                name = str(path.relative_to(base))
                yield LoadedFile(kind.category, f"~/{name}" if kind.of_user else name, text)


def _text(path: Path, kind: ContextFile) -> str | None:
    try:
        if not path.is_file() or path.stat().st_size > _MOST_BYTES:
            return None
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    return "".join(text.splitlines(keepends=True)[: kind.most_lines])
