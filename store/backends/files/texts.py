"""The named texts of a memory, as files: a folder for each kind."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

from store.backends.files.layout import GITIGNORE, IGNORE_ALL
from store.backends.text_kinds import TextKind, check_text_name, expired_before, text_path
from store.errors import NotFound, Unreadable
from store.platform.file_stamp import stamp_of
from store.platform.read import read_bytes
from store.platform.write import make_folder, remove_file, replace_derived, replace_durably


class FileTexts:
    """The named texts in one folder. Safe to share between threads."""

    def __init__(self, folder: Path, begin: Callable[[], None]) -> None:
        """`begin` makes the folder where there is none."""
        self._folder = folder
        self._begin = begin

    def keep(
        self, kind: TextKind, name: str, data: bytes, *, durable: bool = True, private: bool = False
    ) -> None:
        path = self._path(kind, name)
        self._begin()
        make_folder(path.parent)
        ignore = path.with_name(GITIGNORE)
        if private and not ignore.exists():
            replace_derived(ignore, IGNORE_ALL, self._folder)
        replace = replace_durably if durable else replace_derived
        replace(path, data, self._folder)

    def read(self, kind: TextKind, name: str) -> bytes:
        try:
            return read_bytes(self._path(kind, name), self._folder)
        except FileNotFoundError as error:
            raise NotFound(f"{name!r} not found in {kind}.", "It may have expired.") from error

    def names(self, kind: TextKind) -> list[str]:
        place = self._folder / kind
        try:
            files = os.listdir(place)
        except (FileNotFoundError, NotADirectoryError):
            return []
        except OSError as error:
            raise Unreadable(
                f"The folder {place} can't be listed: {error.strerror}.", "Check its permissions."
            ) from error
        ending = text_path(kind, "").removeprefix(f"{kind}/")
        texts = (name for name in files if name.endswith(ending) and not name.startswith("."))
        return [name.removesuffix(ending) for name in texts]

    def stamps(self, kind: TextKind) -> Mapping[str, str]:
        stamps = {name: stamp_of(self._path(kind, name)) for name in self.names(kind)}
        return {name: " ".join(map(str, stamp)) for name, stamp in stamps.items() if stamp}

    def remove(self, kind: TextKind, name: str) -> None:
        remove_file(self._path(kind, name), self._folder)

    def expire(
        self, kind: TextKind, now: datetime, keep: timedelta, most: int, newest: str
    ) -> None:
        just_kept = stamp_of(self._path(kind, newest)) if newest else None
        most -= just_kept.size if just_kept is not None else 0
        paths = (self._path(kind, name) for name in self.names(kind) if name != newest)
        stamps = [(stamp, path) for path in paths if (stamp := stamp_of(path)) is not None]
        times = (datetime.fromtimestamp(stamp.mtime / 1e9, UTC) for stamp, _ in stamps)
        before = expired_before(now, times, keep)
        limit = before.timestamp() * 1e9 if before is not None else 0
        for stamp, path in sorted(stamps, key=lambda pair: -pair[0].mtime):
            most -= stamp.size
            if stamp.mtime < limit or most < 0:
                path.unlink(missing_ok=True)

    def _path(self, kind: TextKind, name: str) -> Path:
        """Return the file of a text. Raises `NotFound` for a name that would lead elsewhere."""
        check_text_name(kind, name)
        return self._folder / text_path(kind, name)
