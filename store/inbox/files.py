"""What agents changed in instruction files and in their own memories since somebody approved them.

Compared is what is kept of each file as approved. Where nothing is kept yet, nothing has changed:
`begin` keeps what is there.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import sha256
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple

from store.action import Action, ActionKind
from store.agents.client import Home
from store.agents.context_files import MOST_BYTES, ContextPart
from store.agents.watched_files import watched_files
from store.backends.approved_files import (
    ApprovedFile,
    ApprovedFiles,
    digest_of,
    kept_text,
    remove_gone,
)
from store.backends.user_data import project_root
from store.errors import Conflict, InvalidObservation
from store.inbox.commits import approved_by_others, committer_of
from store.inbox.differences import Difference, differences
from store.inbox.entry import Entry, EntryKind, EntrySource, Waiting
from store.notice import Notice, notice, quoted
from store.opened_store import OpenedStore
from store.operations.file_changes import line_change
from store.operations.passages import FORGOTTEN
from store.operations.plan import PROJECT, USER, FileChange, Plan
from store.platform.bounds import read_regular
from store.redaction.sanitizer import MARK
from store.text.markdown import whole_lines
from store.text.properties import split_properties

_MOST_KEPT = 8_000_000
"""Bytes of files that are compared: more than the context of any model holds."""
_MOST_ASKED = 20
"""Changed files of which git is asked who committed to them."""


class _File(NamedTuple):
    """A file that changed: its text as it is, as it is kept, and as it is compared, which others
    may have committed since; None where there is none. `earlier` are digests of texts that were
    approved before.
    """

    name: str
    path: Path
    approved_in: str
    text: str | None
    kept: str | None
    base: str | None
    earlier: Sequence[str] = ()
    moved_from: str = ""


class _Found(NamedTuple):
    """An entry, its file, and the lines that differ: None where the file is new or gone."""

    entry: Entry
    file: _File
    difference: Difference | None


class AgentFiles:
    """The source of entries of files that agents are given."""

    def __init__(self, store: OpenedStore) -> None:
        self._root = project_root(store.path)
        self._home = Home.of_user()
        self._approved = {PROJECT: ApprovedFiles(self._root)}
        if store.backend.files is not None:  # the journal of a database is also others'
            self._approved[USER] = ApprovedFiles(self._home.path)

    def begin(self) -> None:
        """Keep the files that are there as approved, where nobody has looked yet. Raises as writing
        does.
        """
        new = [place for place, approved in self._approved.items() if approved.read() is None]
        if not new:
            return
        remove_gone()
        found = list(self._current())
        for place in new:
            self._approved[place].keep(
                {
                    part.name: ApprovedFile.of(data)
                    for part, data in found
                    if data is not None and _place_of(part) == place
                }
            )

    def waiting(self) -> Waiting:
        return Waiting([found.entry for found in self._found()])

    def plan_approve(self, ids: Collection[str]) -> Plan:
        return _plan(ActionKind.APPROVE, self._wanted(ids), _approving)

    def plan_take_back(self, ids: Collection[str]) -> Plan:
        """Return a plan after which all is as before; of several entries, those that can't be taken
        back are left and named.
        """
        wanted, left = list[_Found](), list[Conflict]()
        for found in self._wanted(ids):
            try:
                _check_whole(found.file, found.entry.before)
                wanted.append(found)
            except Conflict as error:
                left.append(error)
        if left and not wanted:
            raise left[0]
        notes = tuple(quoted(error.message) for error in left)
        return _plan(ActionKind.TAKE_BACK, wanted, _taking_back, notes)

    def plan_edit(self, identifier: str, text: str) -> Plan:
        wanted = self._wanted([identifier])
        return _plan(ActionKind.EDIT, wanted, lambda file, found: _editing(file, found[0], text))

    def _wanted(self, ids: Collection[str]) -> list[_Found]:
        return [found for found in self._found() if found.entry.id in ids]

    # What changed.

    def _found(self) -> list[_Found]:
        """Return all entries, by file and line."""
        numbers = Counter[str]()
        found = []
        files = self._with_commits(list(self._changed()))
        for file in _with_moves([file for file in files if file.text != file.base]):
            when = _time_of(file.path)
            for difference in _differences_of(file):
                entry = _entry(file, difference, when)
                numbers[entry.id] += 1
                if numbers[entry.id] > 1:
                    entry = replace(entry, id=f"{entry.id}-{numbers[entry.id]}")
                found.append(_Found(entry, file, difference))
        return found

    def _changed(self) -> Iterator[_File]:
        """Yield the files that are not as they were approved here."""
        kept = {place: approved.read() for place, approved in self._approved.items()}
        there = set[str]()
        for part, data in self._current():
            there.add(part.name)
            files, path = kept.get(_place_of(part)), part.path
            if files is None or data is None or path is None:
                continue
            approved = files.get(part.name)
            before = None if approved is None else kept_text(approved.text)
            if approved is None or approved.digest != digest_of(data):
                text = kept_text(data.decode(errors="replace"))
                if text != before:
                    earlier = approved.earlier if approved else ()
                    yield _File(part.name, path, _place_of(part), text, before, before, earlier)
        for place, files in kept.items():
            for name, approved in (files or {}).items():
                path = self._home.path / name[2:] if name.startswith("~/") else self._root / name
                if name not in there and not os.path.lexists(path):
                    text = kept_text(approved.text)
                    yield _File(name, path, place, None, text, text)

    def _with_commits(self, files: Sequence[_File]) -> Iterator[_File]:
        """Yield files, those of a repository compared with what others committed to them."""
        inside = [file.name for file in files if file.path.is_relative_to(self._root)]
        user = committer_of(self._root) if inside else None
        for file in files:
            if user is not None and file.name in inside[:_MOST_ASKED]:
                base = approved_by_others(self._root, user, file.name, file.kept, file.earlier)
                file = file._replace(base=base)
            yield file

    def _current(self) -> Iterator[tuple[ContextPart, bytes | None]]:
        """Yield the files with what is in them; None where that can't be read, or is too much."""
        left = _MOST_KEPT
        for part in watched_files(self._root, self._home):
            data = None
            if part.path is not None and not part.problem and left > 0:
                with suppress(OSError):
                    data = read_regular(part.path, MOST_BYTES)
                    left -= len(data)
            yield part, data


def _place_of(part: ContextPart) -> str:
    return USER if part.in_all_projects else PROJECT


def _with_moves(files: Sequence[_File]) -> Iterator[_File]:
    """Yield files, one that is gone and one that is new with the same text as one that moved."""
    gone = {(file.approved_in, file.base): file.name for file in files if file.text is None}
    moved = {
        file.name: name
        for file in files
        if file.base is None and (name := gone.pop((file.approved_in, file.text), ""))
    }
    for file in files:
        if file.name in moved:
            yield file._replace(moved_from=moved[file.name])
        elif file.text is not None or file.name not in moved.values():
            yield file


def _differences_of(file: _File) -> Sequence[Difference | None]:
    if file.base is None or file.text is None:
        return (None,)
    return differences(file.base, file.text)


def _time_of(path: Path) -> datetime:
    """Return when a file changed; of one that is gone, about when: its folder did."""
    for place in (path, *path.parents):
        with suppress(OSError):
            return datetime.fromtimestamp(place.stat().st_mtime, UTC)
    return datetime.fromtimestamp(0, UTC)


def _entry(file: _File, difference: Difference | None, when: datetime) -> Entry:
    before, after = _texts(file, difference)
    kind = EntryKind.NEW if not before else EntryKind.CHANGED if after else EntryKind.GONE
    shown, other = (after, before) if after else (before, after)
    lines = (split_properties(shown)[1].strip() or shown.strip()).splitlines()
    others = set(other.splitlines())
    own = (line.strip() for line in (*(line for line in lines if line not in others), *lines))
    title = next(filter(None, own), "blank lines")
    if file.moved_from:
        kind, title, before = EntryKind.MOVED, f"{file.moved_from} → {file.name}", after
    digest = sha256("\0".join((file.name, kind, before, after)).encode(errors="replace"))
    return Entry(
        id=f"file-{digest.hexdigest()[:10]}",
        kind=kind,
        source=EntrySource.FILE,
        origin=file.name,
        title=title,
        before=before,
        after=after,
        when=when,
        path=file.path if file.text is not None else None,
        line=1 if difference is None else difference.later_first + 1,
    )


def _texts(file: _File, difference: Difference | None) -> tuple[str, str]:
    """Return the lines that differ, as they were and as they are."""
    if difference is None:
        return file.base or "", file.text or ""
    before, after = whole_lines(file.base or ""), whole_lines(file.text or "")
    return (
        "".join(before[difference.first : difference.end]),
        "".join(after[difference.later_first : difference.later_end]),
    )


# What becomes of it.


def _plan(
    kind: str,
    wanted: Sequence[_Found],
    changes: Callable[[_File, Sequence[_Found]], Iterator[FileChange]],
    notes: tuple[Notice, ...] = (),
) -> Plan:
    """Return a plan of the changes of each file, its last lines first."""
    files = [
        change
        for file, found in groupby(wanted, attrgetter("file"))
        for change in changes(file, list(found)[::-1])
    ]
    hidden = (
        change for change in files if not change.approved_in and MARK in (change.before or "")
    )
    redacted = dict.fromkeys(notice("stays-redacted", id=change.name) for change in hidden)
    return Plan(
        Action(kind, {"entries": len(wanted)}), notes=(*notes, *redacted), files=tuple(files)
    )


def _approving(file: _File, found: Sequence[_Found]) -> Iterator[FileChange]:
    place = file.approved_in
    if file.moved_from:
        yield FileChange(file.moved_from, file.text, None, approved_in=place)
    if file.base is None or file.text is None:
        yield FileChange(file.name, file.kept, file.text, approved_in=place)
        return
    if file.kept != file.base:
        yield FileChange(file.name, file.kept, file.base, approved_in=place)
    lines = whole_lines(file.base)
    for entry, _, difference in found:
        if difference is not None:
            first, end = difference.first, difference.end
            yield line_change(file.name, lines, first, end, entry.after, approved_in=place)
            lines[first:end] = whole_lines(entry.after)


def _taking_back(file: _File, found: Sequence[_Found]) -> Iterator[FileChange]:
    if file.moved_from:
        yield FileChange(file.moved_from, None, file.text)
    if file.base is None or file.text is None:
        yield FileChange(file.name, file.text, file.base)
        return
    lines = whole_lines(file.text)
    for entry, _, difference in found:
        if difference is not None:
            first, end = difference.later_first, difference.later_end
            yield line_change(file.name, lines, first, end, entry.before)
            lines[first:end] = whole_lines(entry.before)


def _editing(file: _File, found: _Found, text: str) -> Iterator[FileChange]:
    """Yield the change of an entry's lines in its file; they end as they did."""
    entry, _, difference = found
    if file.moved_from or not text.strip():
        why = "A file that moved can't be edited." if file.moved_from else "The text is empty."
        raise InvalidObservation(why, "Approve the change, or take it back.")
    _check_whole(file, entry.after)
    like, ends = entry.after or entry.before, "\r\n"
    above, below = (
        like[: len(like) - len(like.lstrip(ends))],
        like[len(like.rstrip(ends)) :],
    )
    end = ends if ends in like else "\n"
    text = f"{above}{end.join(text.strip(ends).splitlines())}{below}"
    if text == entry.after:
        return
    if difference is None:
        yield FileChange(file.name, file.text, text)
        return
    lines = whole_lines(file.text or "")
    yield line_change(file.name, lines, difference.later_first, difference.later_end, text)


def _check_whole(file: _File, text: str) -> None:
    """Raise `Conflict` for a text that is to be written, where not all of it is kept."""
    for sign, what in (
        (MARK, "a secret"),
        (FORGOTTEN, "what was forgotten"),
        ("\ufffd", "what is not UTF-8"),
    ):
        if sign in text:
            raise Conflict(
                f"{file.name} had {what} there, which is not kept.",
                "Edit the file itself, then approve it.",
            )
