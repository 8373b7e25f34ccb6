"""Why an index fails: whether it is damaged or its folder can't be written, and what to say."""

from __future__ import annotations

import errno
import os
import re
from enum import Enum
from pathlib import Path

from store.errors import StoreError, Unreadable
from store.notice import Notice, notice
from store.platform.home import is_nowhere

_PROBE = b"\0" * 65_536
_UNWRITABLE = {
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the disk quota is used up",
    errno.EFBIG: "a file would be larger than the system allows",
    errno.EIO: "the disk reports an error",
    errno.EROFS: "the disk is read-only",
    errno.EACCES: "no permission to write",
    errno.EPERM: "no permission to write",
    errno.EMFILE: "too many files are open",
    errno.ENFILE: "too many files are open",
}
_NUMBER = re.compile(r"os error ([0-9]{1,3})\b|Os \{ code: ([0-9]{1,3}),")
"""How tantivy names the system's error, in a sentence or in a value printed whole."""


class Trouble(Enum):
    DAMAGED = "damaged"
    UNWRITABLE = "unwritable"


def trouble_of(error: BaseException, folder: Path | None) -> Trouble | None:
    """Classify an error of an index in `folder`; `None` where it is not about the index.

    Where tantivy gives no reason, a file is written in the folder to find out.
    """
    if isinstance(error, OSError | StoreError):
        return None if isinstance(error, Unreadable) else Trouble.UNWRITABLE
    if not is_damage(error):
        return None
    return Trouble.UNWRITABLE if reason_of(error, folder) else Trouble.DAMAGED


def reason_of(error: BaseException, folder: Path | None) -> str:
    """Reason why a folder could not be written, in words; empty where it could be."""
    number = error.errno if isinstance(error, OSError) else _number_in(str(error))
    if number is None and folder is not None:
        number = _probe(folder)
    return _UNWRITABLE.get(number or 0, "")


def why(error: BaseException, folder: Path | None) -> str:
    whole = error.full_message if isinstance(error, StoreError) else ""
    return (reason_of(error, folder) or whole or str(error)).rstrip(".")


def is_damage(error: BaseException) -> bool:
    """The error means that the index is damaged: tantivy's own, or a record cut in it."""
    damaged = isinstance(error, ValueError) and not isinstance(error, UnicodeEncodeError)
    return damaged or type(error).__name__ == "PanicException"


def _number_in(text: str) -> int | None:
    found = _NUMBER.search(text)
    return int(found[1] or found[2]) if found else None


def _probe(folder: Path) -> int | None:
    """Return the number of the error that writing a file in a folder ends in; `None` for none."""
    path = folder / f".probe-{os.getpid()}"
    try:
        try:
            path.write_bytes(_PROBE)
        finally:
            path.unlink(missing_ok=True)
    except OSError as error:
        return error.errno
    return None


def unwritable(folder: Path | None, why: str, *, stale: bool) -> Notice:
    """Notice of an index that can't be written to a folder: it is `stale`, else in memory."""
    if folder is None or is_nowhere(folder):
        return notice("index-stale-nowhere" if stale else "index-in-memory-nowhere", why=why)
    return notice("index-stale" if stale else "index-in-memory", folder=str(folder.parent), why=why)
