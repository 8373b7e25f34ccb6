"""Instruction files and own memories of all clients, in which agents write: each once."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from store.agents.client import Home
from store.agents.context_files import ContextPart, context_parts, is_loaded
from store.agents.registry import clients
from store.platform.links import real_path


def watched_files(root: Path, home: Home) -> Iterator[ContextPart]:
    """Yield the files that any client loads in a project, a link after the file that it leads to.

    Not what a checkout names or leads to outside of it: it must not choose what is kept of it.
    """
    found = [part for client in clients() for part in context_parts(client, root, home, below=True)]
    seen, inside = set[Path](), real_path(root)
    for part in sorted(found, key=lambda part: part.path is not None and part.path.is_symlink()):
        if part.path is None or (real := real_path(part.path)) in seen:
            continue
        is_imported = bool(part.importer) and not part.importer.startswith("~/")
        is_of_checkout = is_imported or part.path.is_relative_to(root)
        if real.is_relative_to(inside) or not is_of_checkout:
            seen.add(real)
            yield part


def watched_path(name: str, root: Path, home: Home) -> Path | None:
    """Return where a file of this name is, or would be; None for one that no client would load."""
    place = home.path / name[2:] if name.startswith("~/") else root / name
    path = Path(os.path.normpath(place))
    if any(is_loaded(client, path, root, home) for client in clients()):
        return path
    return next((part.path for part in watched_files(root, home) if part.name == name), None)
