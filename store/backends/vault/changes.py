"""From changed records to changed files: only the pieces of memories that changed are written."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from store.backends.issue_records import RecordList
from store.backends.vault.items import Item, item_of, items_of, minute_of, ms_of, note_item
from store.backends.vault.layout import ARCHIVE, SIDECAR, agent_of, file_of, owner
from store.backends.vault.markdown import Entry, Kind, Piece, front_matter, render
from store.backends.vault.pieces import insert, is_note, pieces_of
from store.backends.vault.reader import Vault
from store.backends.vault.sidecar import Fields, difference, side_key, write_sidecar
from store.errors import Unreadable, WriteFailed
from store.model import Category, Location
from store.records import RawRecord, parse_time, record_id

_ANY_TIME = datetime(1970, 1, 1, tzinfo=UTC)
_WRITTEN = ("agent", "category", "content", "tags", "timestamp")
"""The fields that a text has."""


class _Written(NamedTuple):
    key: str
    text: str
    kind: Kind = Kind.ENTRY


def changed_files(
    vault: Vault, parts: Mapping[str, RecordList], kept: Mapping[int, Item]
) -> dict[str, bytes | None]:
    """Return what each file is to hold so that the vault has the records of `parts`; `None` removes
    it.

    `kept` are the memories as they are, by the identity of their records. Raises `Unreadable`
    where a file that takes a new entry can't be read, `WriteFailed` for what is no object.
    """
    draft = Draft(vault)
    gone: defaultdict[str | None, list[Item]] = defaultdict(list)
    for part in parts.values():
        stays = set(map(id, part.records))
        for record in part.before:
            if id(record) not in stays:
                gone[record_id(record.value)].append(kept[id(record)])
    for name, part in parts.items():
        for record in part.records:
            if id(record) not in kept:
                before = gone[record_id(record.value)]
                before.sort(key=lambda one, name=name: one.location != name)  # type: ignore[misc]
                draft.put(Location(name), fields_of(record), before.pop(0) if before else None)
    for left in gone.values():
        for one in left:
            draft.remove(one)
    return draft.changes()


def fields_of(record: RawRecord) -> dict[str, Any]:
    """Return the exact value of a record. Raises `WriteFailed` where it is no object."""
    value = record.exact()
    if isinstance(value, dict):
        return value
    raise WriteFailed("A vault can't hold a record without fields. Nothing was written.")


class Draft:
    """A vault's files while memories are put into them and taken out."""

    def __init__(self, vault: Vault) -> None:
        self._vault = vault
        self._pieces: dict[str, list[Piece]] = {}
        self._at: dict[tuple[str, int], Piece] = {}
        self._sidecar = dict(vault.sidecar)
        self._forgotten = set[str]()
        # The fields of a memory that can't be read now are not given to another.
        self._taken = {name.rpartition("/")[2] for name in vault.sidecar}
        self._taken |= {item.key for item in vault.items}
        self._held = {(item.location, item.key) for item in vault.items}
        self._next: dict[int, int] = {}
        folders = (path.split("/")[0] for path in vault.files if owner(path) is not None)
        self._folders = {agent_of(folder): folder for folder in folders if folder[0] != "."}
        there = {
            name
            for path in vault.files
            for name in (path, *(path[:at] for at, sign in enumerate(path) if sign == "/"))
        }
        self._spellings = {name.casefold(): name for name in there} | {name: name for name in there}

    def put(self, location: Location, value: dict[str, Any], old: Item | None) -> None:
        """Have the vault hold a record, in the place of the memory that it was, if it was one."""
        if old is not None and old.kind is Kind.NOTE:
            self._put_note(location, value, old)
            return
        path = self._path(location, value, old)
        written = self._written(location, value, old)
        if old is not None and old.path == path:
            self._forget(old)
            piece = self._piece(old)
            end = piece.text[len(piece.text.rstrip("\n")) :]
            piece.text = written.text.rstrip("\n") + (end or "\n")
        else:
            if old is not None:
                self.remove(old)
            insert(self._pieces_of(path), int(written.key), written.text)
        dated = _ANY_TIME if old is None else parse_time(str(old.record["timestamp"]))
        item = item_of(path, 0, Piece(written.kind, written.text), dated)
        record = {**item.record, "id": written.key}
        self._add_to_sidecar(location, item._replace(key=written.key, record=record), value)

    def remove(self, old: Item) -> None:
        """Take a memory out of its file; a note's file goes with it."""
        self._forget(old)
        self._piece(old).text = ""

    def lay(self, path: str, text: str, values: Sequence[Mapping[str, Any]]) -> bool:
        """Have a new file hold a text, and the sidecar what that lacks of its memories.

        Whether it has as many memories as there are records; nothing is laid where it has not.
        Raises `Unreadable` where it is not known that the file is new.
        """
        self._check_known(path)
        items = list(items_of(path, text, _ANY_TIME))
        if len(items) != len(values) or path in self._pieces or self._spelled(path) != path:
            return False
        self._pieces[path] = pieces_of(path, text)
        for item, value in zip(items, values, strict=True):
            self._taken.add(item.key)
            self._add_to_sidecar(Location.ISSUE, item, value)
        return True

    def changes(self) -> dict[str, bytes | None]:
        """Return the files that differ; one without text is removed."""
        found: dict[str, bytes | None] = {}
        for path, pieces in self._pieces.items():
            text = "".join(piece.text for piece in pieces)
            file = self._vault.files.get(path)
            if file is None or file.text != text:
                found[path] = text.encode("utf-8") if text.strip("\ufeff \t\r\n") else None
        self._keep_times(found.keys())
        if self._sidecar != self._vault.sidecar:
            found[SIDECAR] = write_sidecar(self._sidecar)
        return found

    def _put_note(self, location: Location, value: dict[str, Any], old: Item) -> None:
        """Write a note: its properties stay word for word; it moves as it is."""
        text = self._piece(old).text
        if value.get("content") != old.value.get("content"):
            content = str(value.get("content")).encode("utf-8", "replace").decode("utf-8")
            text = front_matter(text)[0] + content.rstrip("\n") + "\n"
        path = old.path
        if location is not old.location:
            path = self._free(path.removeprefix(f"{ARCHIVE}/"), location)
            self._check_known(path)
        self.remove(old)
        pieces = self._pieces_of(path)
        pieces[:] = [Piece(Kind.NOTE, text)]
        self._at[path, 0] = pieces[0]
        mtime = parse_time(str(old.record["timestamp"]))
        written = note_item(path, text, mtime) or old
        self._add_to_sidecar(location, written, value)
        if not written.is_dated:  # its file is new, and would date it anew
            self._keep_time(side_key(location, written.key), value)

    def _free(self, path: str, location: Location) -> str:
        stem = path.removesuffix(".md")
        prefix = "" if location is Location.ISSUE else f"{ARCHIVE}/"
        found, number = f"{prefix}{stem}.md", 2
        while found in self._vault.files or found in self._pieces:
            found, number = f"{prefix}{stem}-{number}.md", number + 1
        return found

    def _path(self, location: Location, value: Mapping[str, Any], old: Item | None) -> str:
        """Return the file that holds an entry. Raises `Unreadable`."""
        agent, category = str(value.get("agent", "")), str(value.get("category", ""))
        if old is not None and (old.value.get("agent"), old.value.get("category")) == (
            agent,
            category,
        ):
            path = old.path.removeprefix(f"{ARCHIVE}/")
            path = path if location is Location.ISSUE else f"{ARCHIVE}/{path}"
        else:
            path = file_of(self._folders.get(agent, agent), category, location)
        path = self._spelled(path)
        file = self._vault.files.get(path)
        if file is not None and file.text.strip() and is_note(path, file.text):
            path = f"{path.removesuffix('.md')}-memories.md"
        self._check_known(path)
        if problem := self._vault.hides(SIDECAR):
            raise Unreadable(problem.message, "Run `memtui doctor --repair` to set it aside.")
        return path

    def _spelled(self, path: str) -> str:
        """Return a path in the letters in which it is there: many disks take `Dev` for `dev`."""
        spelled = ""
        for part in path.split("/"):
            name = f"{spelled}{part}"
            found = self._spellings.get(name)
            spelled = (found or self._spellings.setdefault(name.casefold(), name)) + "/"
        return spelled[:-1]

    def _check_known(self, path: str) -> None:
        """Raise `Unreadable` where something may be at a path that could not be read."""
        if problem := self._vault.hides(path):
            raise Unreadable(problem.message, "Nothing was written. Fix the file, or move it.")

    def _written(self, location: Location, value: Mapping[str, Any], old: Item | None) -> _Written:
        """The text of an entry: as it is, where its fields are the same and it may keep its key."""
        if old is not None and old.kind is not Kind.NOTE:
            same = all(old.value.get(name) == value.get(name) for name in _WRITTEN)
            keeps = old.key.isdecimal() and (
                location is old.location or (location, old.key) not in self._held
            )
            if same and (location is old.location or (old.kind is Kind.ENTRY and keeps)):
                return _Written(old.key, self._piece(old).text, old.kind)
            if keeps:
                return _Written(old.key, _rendered(old.key, value))
        key = self._new_key(value)
        return _Written(key, _rendered(key, value))

    def _new_key(self, value: Mapping[str, Any]) -> str:
        """Return the milliseconds of a record's time; the next ones where they are taken."""
        number = ms_of(_time(value))
        free = self._next.get(number, number)
        while str(free) in self._taken:
            free += 1
        self._next[number] = free + 1
        self._taken.add(str(free))
        return str(free)

    def _pieces_of(self, path: str) -> list[Piece]:
        if path not in self._pieces:
            file = self._vault.files.get(path)
            pieces = self._pieces[path] = pieces_of(path, "" if file is None else file.text)
            self._at |= {(path, at): piece for at, piece in enumerate(pieces)}
        return self._pieces[path]

    def _piece(self, item: Item) -> Piece:
        self._pieces_of(item.path)
        return self._at[item.path, item.piece]

    def _forget(self, old: Item) -> None:
        name = side_key(old.location, old.key)
        self._forgotten.add(name)
        self._sidecar.pop(name, None)

    def _add_to_sidecar(self, location: Location, item: Item, value: Mapping[str, Any]) -> None:
        """Put what a text lacks of a record into the sidecar."""
        fields: Fields = difference(item.record, value, is_dated=item.is_dated)
        name = side_key(location, item.key)
        self._forgotten.discard(name)
        if fields:
            self._sidecar[name] = fields
        else:
            self._sidecar.pop(name, None)

    def _keep_times(self, paths: Iterable[str]) -> None:
        changed = set(paths)
        for item in self._vault.items:
            name = side_key(item.location, item.key)
            if not item.is_dated and item.path in changed and name not in self._forgotten:
                self._keep_time(name, item.value)

    def _keep_time(self, name: str, value: Mapping[str, Any]) -> None:
        fields = self._sidecar.get(name, {})
        if "timestamp" not in fields:
            time = {"was": "undated", "is": value["timestamp"]}
            self._sidecar[name] = {**fields, "timestamp": time}


def _rendered(key: str, value: Mapping[str, Any]) -> str:
    is_task = value.get("category") == Category.TASK
    tags = value.get("tags")
    names = [str(tag) for tag in tags] if isinstance(tags, list) else []
    is_done = is_task and "done" in names
    shown = tuple(name for name in names if not (is_done and name == "done"))
    content = value.get("content")
    text = content if isinstance(content, str) else ""
    entry = Entry(key, minute_of(_time(value)), shown, text, is_done)
    return render(entry, is_task=is_task)


def _time(value: Mapping[str, Any]) -> datetime:
    try:
        return parse_time(str(value.get("timestamp", "")))
    except ValueError:
        return _ANY_TIME
