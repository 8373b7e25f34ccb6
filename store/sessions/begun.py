"""A cheap look for sessions, asked at every recall, without loading what reads them."""

from __future__ import annotations

from pathlib import Path

from store.backends.protocol import Backend
from store.backends.text_kinds import TextKind
from store.errors import Unreadable
from store.search.folder import SEEN, index_name


def index_folder(backend: Backend, cache: Path | None) -> Path | None:
    """The folder of a memory's index of sessions; None where none can be kept."""
    return None if cache is None else cache / f"{index_name(backend.identity)}-sessions"


def is_begun(backend: Backend, folder: Path | None) -> bool:
    """There are sessions, kept or indexed on disk in this folder."""
    if folder is not None and (folder / SEEN).exists():
        return True
    try:
        return bool(backend.names(TextKind.SESSIONS))
    except Unreadable:  # none that can be read: there are no digests
        return False
