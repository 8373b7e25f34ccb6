"""The digests of a memory on disk: `sessions/<id>.json`, each replaced atomically."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from store.backends.files.layout import SESSIONS
from store.disk import (
    make_folder,
    read_bytes,
    remove_file,
    replace_derived,
    replace_durably,
)
from store.errors import Unreadable
from store.records import InvalidRecord
from store.search.stamps import Stamp, stamp_of
from store.sessions.model import SessionDigest
from store.sessions.record import as_bytes, file_name, from_bytes

_GITIGNORE = b"# Written by memtui: what was said in sessions stays on this machine.\n*\n"
_MOST = 1 << 20
"""Bytes of a file that is still read as a digest; ours have 4 KB."""


class SessionRecords:
    """The digests kept in one memory folder. Reading skips what is no digest, and says so."""

    def __init__(self, store: Path) -> None:
        self._store = store
        self._folder = store / SESSIONS

    def stamps(self) -> Mapping[str, Stamp]:
        """The files that may hold a digest, by name, with their stamps."""
        try:
            paths = {path.name: path for path in self._folder.iterdir() if _is_digest(path.name)}
        except OSError:  # no folder, or none that can be read: there are no digests
            return {}
        stamps = ((name, stamp_of(path)) for name, path in paths.items())
        return {name: stamp for name, stamp in stamps if stamp is not None}

    def read(self, name: str) -> SessionDigest | None:
        """The digest in a file; None where it is gone or is none."""
        try:
            return from_bytes(read_bytes(self._folder / name, self._store, most=_MOST))
        except (FileNotFoundError, Unreadable, InvalidRecord):
            return None

    def of(self, session_id: str) -> SessionDigest | None:
        """The digest of a session; None where none is kept."""
        return self.read(file_name(session_id))

    def all(self) -> Iterator[SessionDigest]:
        """Every digest that can be read, in no order."""
        return (digest for name in self.stamps() if (digest := self.read(name)) is not None)

    def write(self, digest: SessionDigest, *, shared: bool = False) -> str:
        """Keep a digest, durable when this returns: the name of its file.

        `shared` leaves the folder to git. Raises `ReadOnly`, `WriteFailed`.
        """
        make_folder(self._folder)
        ignored = self._folder / ".gitignore"
        if not shared and not ignored.exists():
            replace_derived(ignored, _GITIGNORE, self._store)
        name = file_name(digest.id)
        replace_durably(self._folder / name, as_bytes(digest), self._store)
        return name

    def remove(self, session_id: str) -> None:
        """Remove a digest; nothing where there is none. Raises `ReadOnly`, `WriteFailed`."""
        remove_file(self._folder / file_name(session_id), self._store)


def _is_digest(name: str) -> bool:
    return name.endswith(".json") and not name.startswith(".")
