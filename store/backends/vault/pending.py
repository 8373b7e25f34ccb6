"""A change to several files of a vault, made in one instant.

Until it is written, whoever reads the vault reads it over the files, and writes nothing. A file
that was edited by hand meanwhile keeps what the hand wrote: of the change, only the pieces that it
takes out and puts in are made to it. A note that was edited stays as it is, and what the change
wrote is put next to it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, Self

from store.backends.pending import FileChanges, PendingChange
from store.backends.vault.layout import ARCHIVE, PENDING, SIDECAR, is_note_path
from store.backends.vault.pieces import PieceChange, change_of, changed, is_note
from store.errors import Conflict, StoreError, Unreadable
from store.platform.read import read_if_there

_TRIES = 100
"""How often files may be edited while they are written, before the next change goes on."""


class _Change(NamedTuple):
    """A file's new content (None removes it), a digest of the old one, and what differs."""

    data: bytes | None
    was: str
    pieces: PieceChange = PieceChange()

    def to_json(self) -> Mapping[str, Any]:
        text = None if self.data is None else self.data.decode("utf-8")
        return {"was": self.was, "is": text, **self.pieces._asdict()}

    @classmethod
    def from_json(cls, kept: Mapping[str, Any]) -> Self:
        data = None if kept["is"] is None else str(kept["is"]).encode("utf-8")
        pieces = (tuple(map(str, kept.get(name, ()))) for name in PieceChange._fields)
        return cls(data, str(kept["was"]), PieceChange(*pieces))


_Changes = Mapping[str, _Change]


def read_pending(folder: Path) -> dict[str, bytes | None]:
    """Contents for files of the vault that a change did not write yet; empty for none.

    Raises `Unreadable`.
    """
    return {path: change.data for path, change in _left(folder, _kept(folder))}


def make_changes(
    folder: Path,
    changes: FileChanges,
    read: FileChanges = MappingProxyType({}),
    still_ours: Callable[[], None] = lambda: None,
) -> None:
    """Change several files in one instant, durably once this returns.

    `read` is what they held when the change was made up, of those that somebody else may edit.
    Raises `ReadOnly` and `WriteFailed`, and what `still_ours` raises right before it holds; then
    nothing is changed.
    """
    before = {
        path: read[path] if path in read else read_if_there(folder / path, folder)
        for path in changes
    }
    kept = {path: _change(path, before[path], data) for path, data in changes.items()}
    files = {path: change.to_json() for path, change in kept.items()}
    _pending(folder).keep(files, still_ours)
    # It holds by now. Where a file can't be written, the next change goes on.
    with suppress(StoreError):
        _write(folder, kept, kept)


def complete(folder: Path) -> None:
    """Write what an interrupted change left to be written. Raises as writing does.

    What it wrote itself may not have lasted yet: the names of all its files are synced.
    """
    if (folder / PENDING).exists():
        kept = _kept(folder)
        _write(folder, kept, dict(_left(folder, kept)))


def digest(data: bytes | None) -> str:
    """Digest a file's content; empty where there is none."""
    return "" if data is None else blake2b(data, digest_size=16).hexdigest()


def _pending(folder: Path) -> PendingChange[_Change]:
    return PendingChange(folder, PENDING, _Change.from_json)


def _change(path: str, was: bytes | None, data: bytes | None) -> _Change:
    pieces = PieceChange()
    if was is not None and path != SIDECAR:
        before, after = was.decode("utf-8", "replace"), (data or b"").decode("utf-8")
        if not (is_note(path, before) or is_note(path, after)):
            pieces = change_of(path, before, after)
    return _Change(data, digest(was), pieces)


def _kept(folder: Path) -> dict[str, _Change]:
    """Return the change that is kept, by file. Raises `Unreadable`."""
    kept = _pending(folder).read()
    for path in kept:
        if path != SIDECAR and not is_note_path(path.removeprefix(f"{ARCHIVE}/")):
            raise Unreadable(f"{PENDING} names a file outside the vault.", "Remove it.")
    return kept


def _left(folder: Path, kept: _Changes) -> Iterator[tuple[str, _Change]]:
    """Yield what is still to be written of a change, with what was edited meanwhile in it."""
    for path, change in kept.items():
        now = read_if_there(folder / path, folder)
        if digest(now) == change.was:
            yield path, change
        elif now != change.data and path != SIDECAR:
            yield from _edited(folder, path, now, change)


def _edited(
    folder: Path, path: str, now: bytes | None, change: _Change
) -> Iterator[tuple[str, _Change]]:
    text = (now or b"").decode("utf-8", "replace")
    after = (change.data or b"").decode("utf-8")
    is_whole = text.encode("utf-8") != (now or b"") or is_note(path, text) or is_note(path, after)
    if is_whole:
        if change.data is not None and now is None:
            yield path, _Change(change.data, "")
        elif change.data is not None:
            yield from _write_next_to(folder, path, change)
        return
    pieces = change.pieces if change.was else change_of(path, "", after)
    if (made := changed(path, text, pieces)) != text:
        yield path, _Change(made.encode("utf-8"), digest(now))


def _write_next_to(folder: Path, path: str, change: _Change) -> Iterator[tuple[str, _Change]]:
    for number in range(2, _TRIES):
        place = f"{path.removesuffix('.md')}-{number}.md"
        now = read_if_there(folder / place, folder)
        if now is None:
            yield place, _Change(change.data, "")
        if now is None or now == change.data:
            return


def _write(folder: Path, kept: _Changes, left: _Changes) -> None:
    """Write what is left of a change; what is edited while this goes on is looked at again."""
    for _ in range(_TRIES):
        was = {folder / path: change.was for path, change in left.items()}

        def check(place: Path, was: Mapping[Path, str] = was) -> None:
            if digest(read_if_there(place, folder)) != was[place]:
                raise Conflict(f"{place.name} was edited meanwhile.", "")

        try:
            contents = {path: change.data for path, change in left.items()}
            _pending(folder).finish(contents, kept, check)
            return
        except Conflict:
            left = dict(_left(folder, kept))
