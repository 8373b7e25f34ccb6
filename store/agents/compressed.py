"""Session files that their client has compressed, as Codex does with those that rest for a week."""

from __future__ import annotations

import errno
import io
import sys
from pathlib import Path
from typing import BinaryIO, cast

from store.platform.bounds import open_regular

MAX_SESSION = 1_000_000_000
"""Bytes of the largest session that is read."""
ENDING = ".zst"


def plain_path(path: Path | str) -> str:
    return str(path).removesuffix(ENDING)


def open_session_file(path: Path) -> BinaryIO:
    """Open a session file to be read, decompressed where its name ends so.

    Raises `OSError`, also for what is no file, too large or damaged.
    """
    file = open_regular(path, MAX_SESSION)
    return cast("BinaryIO", io.BufferedReader(_Zstd(file, path))) if path.suffix == ENDING else file


class _Zstd(io.RawIOBase):
    """The decompressed bytes of a file, to be read from the beginning to the end."""

    def __init__(self, file: BinaryIO, path: Path) -> None:
        if sys.version_info >= (3, 14):
            from compression import zstd
        else:
            from backports import zstd
        self._file = file
        self._path = path
        self._bytes = zstd.ZstdFile(file)
        self._damage = (zstd.ZstdError, EOFError)
        self._done = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object, /) -> int:
        view = memoryview(cast("bytearray", buffer))
        try:
            found = self._bytes.read(len(view))
        except self._damage as error:
            raise OSError(errno.EIO, "damaged", str(self._path)) from error
        self._done += len(found)
        if self._done > MAX_SESSION:
            raise OSError(errno.EFBIG, "too large", str(self._path))
        view[: len(found)] = found
        return len(found)

    def close(self) -> None:
        self._file.close()
        super().close()
