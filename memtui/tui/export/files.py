"""Writing a text to a file of the user's choice: all of it or nothing."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

from store.disk.links import real_path
from store.disk.named import is_folder
from store.errors import StoreError, WriteFailed


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
    """The ending whose format a path has: its own, or the first."""
    return path.suffix.lower() if path.suffix.lower() in formats else next(iter(formats))
