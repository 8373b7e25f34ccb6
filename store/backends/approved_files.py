"""Files that agents are given, as somebody last approved them: kept in the user's data folder, for
this user alone, without secrets.

One file of JSON for each project, and one for what is loaded in all projects.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from store.platform.bounds import load_json, read_regular
from store.platform.home import user_folder
from store.platform.json_fields import mapping, string, strings
from store.platform.links import is_folder, real_path
from store.platform.write import make_private, remove_file, replace_durably, write_error
from store.records import as_json
from store.redaction.private_blocks import remove_private
from store.redaction.sanitizer import MARK, cleaned_text

_MOST_BYTES = 64_000_000
"""Bytes of such a file: what is kept of a project are 8 MB of text, which JSON makes longer."""

_MOST_EARLIER = 50
"""Texts of a file that are known again: as many as it has on branches that are worked on."""


class ApprovedFile(NamedTuple):
    """What was approved of a file: its text, without secrets.

    `digest` is that of the file's bytes where these were approved as a whole, else empty. `earlier`
    are digests of the texts that were approved before, the newest last.
    """

    text: str
    digest: str = ""
    earlier: Sequence[str] = ()

    @classmethod
    def of(cls, data: bytes) -> ApprovedFile:
        return cls(kept_text(data.decode(errors="replace")), digest_of(data))

    @classmethod
    def after(cls, before: ApprovedFile | None, text: str, data: bytes | None) -> ApprovedFile:
        """Return what is kept once a text without secrets is approved of a file that holds `data`.

        Where it was approved earlier, as an undo brings it back, so is what was earlier than it.
        """
        earlier: Sequence[str] = ()
        if before is not None:
            known, digest = before.earlier, digest_of(text.encode())
            earlier = [*known, digest_of(before.text.encode())][-_MOST_EARLIER:]
            if digest in known:
                earlier = known[: known.index(digest)]
        whole = None if data is None else cls.of(data)
        is_whole = whole is not None and whole.text == text
        return cls(text, whole.digest if whole and is_whole else "", earlier)


def kept_text(text: str) -> str:
    """Return a file's text with marks in place of secrets: all that is compared and kept of it."""
    return cleaned_text(remove_private(text, f"{MARK}private]")[0])


def digest_of(data: bytes) -> str:
    return sha256(data).hexdigest()


class ApprovedFiles:
    """The approved files of one project, or those of all, by their names: `place` is its root, or
    the user's home.
    """

    def __init__(self, place: Path) -> None:
        self._place = str(real_path(place))
        name = sha256(os.fsencode(self._place)).hexdigest()[:16]
        self._path = _folder() / f"{name}.json"

    def read(self) -> Mapping[str, ApprovedFile] | None:
        """Return the files; None where nobody has looked yet, or what is kept can't be read."""
        kept = _read(self._path)
        return None if kept is None else kept.files

    def keep(self, files: Mapping[str, ApprovedFile]) -> None:
        """Keep these files, and no others. Raises `ReadOnly`, `WriteFailed`, `StoreError`."""
        _write(self._path, _Kept(self._place, files))


def change_all(change: Callable[[str], str]) -> None:
    """Change the texts of all approved files, of all projects. Raises as writing does."""
    for path in sorted(_folder().glob("*.json")):
        if (kept := _read(path)) is None:
            continue
        files = {name: file._replace(text=change(file.text)) for name, file in kept.files.items()}
        if files != kept.files:
            _write(path, kept._replace(files=files))


def remove_gone() -> None:
    """Remove what is kept of projects that are gone. Raises as writing does."""
    for path in sorted(_folder().glob("*.json")):
        kept = _read(path)
        if kept is None or not is_folder(kept.place):
            remove_file(path, path.parent)


class _Kept(NamedTuple):
    """The approved files, by their names, and the folder that they are of."""

    place: str
    files: Mapping[str, ApprovedFile]


def _folder() -> Path:
    return user_folder("data") / "approved"


def _read(path: Path) -> _Kept | None:
    try:
        kept = mapping(load_json(read_regular(path, _MOST_BYTES)))
    except (OSError, ValueError):
        return None
    files = {
        name: ApprovedFile(
            string(file.get("text")), string(file.get("digest")), strings(file.get("earlier"))
        )
        for name, file in (
            (name, mapping(held)) for name, held in mapping(kept.get("files")).items()
        )
    }
    return _Kept(string(kept.get("place")), files)


def _write(path: Path, kept: _Kept) -> None:
    try:
        make_private(path.parent)
    except OSError as error:
        raise write_error(path.parent, error) from error
    files = {name: file._asdict() for name, file in sorted(kept.files.items())}
    record = {"version": 1, "place": kept.place, "files": files}
    replace_durably(path, as_json(record), path.parent)
