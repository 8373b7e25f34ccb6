"""A vault of Markdown, as a source and as what memory is given out as.

A memory that came from a vault keeps, under `vault`, its file and what is around its text there
wherever that is not what memtui would write: so the vault comes out as the same text.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any

from store.action import Action, ActionKind
from store.backends import is_in_vault
from store.backends.protocol import Backend
from store.backends.vault.changes import Draft, fields_of
from store.backends.vault.flat import BACKUP, flat_files, sections_of
from store.backends.vault.items import Item
from store.backends.vault.layout import OBSIDIAN, agent_of, is_note_path
from store.backends.vault.markdown import Kind
from store.backends.vault.pending import make_changes
from store.backends.vault.pieces import is_note, pieces_of
from store.backends.vault.reader import Vault, VaultFile, read_vault
from store.errors import InvalidObservation
from store.exchange.long_text import cut_whole
from store.exchange.values import Reader, Reading, check_empty
from store.model import UNDATED, Location, Observation
from store.notice import Notice, notice, quoted
from store.operations.plan import Change, Move, Plan
from store.platform.json_fields import integer, mapping, string
from store.platform.write import make_folder, replace_several
from store.records import (
    InvalidRecord,
    RawRecord,
    estimate_tokens,
    first_line,
    from_record,
    parse_time,
    to_record,
)
from store.validation.prepare import Prepared

KEY = "vault"
"""The field of a record with its place in a vault."""
_Place = dict[str, Any]


def read_vault_memories(folder: Path) -> Reading:
    vault = read_vault(folder)
    reader = Reader(str(folder))
    for problem in vault.problems:
        reader.problem(quoted(problem.message), "")
    for path, item, place in _with_places(vault):
        try:
            for observation in _observations(item, place):
                reader.add(observation, path)
        except InvalidRecord as error:
            reader.problem(notice("skipped", text=str(error)), path)
    return reader.reading()


def in_place(observations: Iterable[Observation], folder: Path) -> list[Observation]:
    """Observations of a vault with what keeps their files as they are when they are given out."""
    places = places_in(folder)
    return [
        observation
        if observation.id not in places
        else observation._replace(extra={**observation.extra, KEY: places[observation.id]})
        for observation in observations
    ]


def places_in(folder: Path) -> dict[str, Mapping[str, Any]]:
    """Place of each memory in a vault whose file memtui would write otherwise, by its id."""
    found = _with_places(read_vault(folder))
    return {str(item.value["id"]): place for _, item, place in found if place is not None}


def to_vault(observations: Sequence[Observation], folder: Path) -> int:
    """Write observations as a vault; how many. Archived ones go to its archive.

    Raises `Conflict` where the folder holds anything already, `ReadOnly` and `WriteFailed`.
    """
    check_empty(folder)
    make_folder(folder)
    files = vault_files(observations)
    for path in files:
        make_folder((folder / path).parent)
    replace_several({folder / path: data for path, data in files.items()}, folder)
    return len(observations)


def fill_vault(vault: Backend, records: Mapping[Location, Sequence[RawRecord]]) -> None:
    """Write records into a vault without memories, all in one instant; else nothing happens.

    Issue by issue each of them reads and writes the files of all: 10,000 memories of 130 issues
    take 46 s so, and 3 s at once. Raises `WriteFailed` for what is no object, and write errors.
    """
    with vault.locked():
        if vault.issues():
            return
        draft = Draft(read_vault(vault.folder))
        values = {location: list(map(fields_of, held)) for location, held in records.items()}
        make_changes(vault.folder, _filled(draft, values))


def vault_files(observations: Iterable[Observation]) -> dict[str, bytes | None]:
    """Return the files of a vault that holds observations, by their paths. Pure."""
    values: defaultdict[Location, list[dict[str, Any]]] = defaultdict(list)
    for observation in observations:
        location = Location.ARCHIVE if observation.archived else Location.ISSUE
        values[location].append(to_record(observation))
    return _filled(Draft(Vault()), values)


def _filled(
    draft: Draft, values: Mapping[Location, list[dict[str, Any]]]
) -> dict[str, bytes | None]:
    """Put records into a vault, the oldest first; return the files that it then has."""
    new = {**values, Location.ISSUE: _laid_back(draft, values.get(Location.ISSUE, []))}
    for location, held in new.items():
        for value in sorted(
            held, key=lambda value: (str(value.get("timestamp")), str(value.get("id")))
        ):
            draft.put(location, {key: field for key, field in value.items() if key != KEY}, None)
    return draft.changes()


def _laid_back(draft: Draft, values: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Lay the files of memories that came from a vault as they were; those to be written anew."""
    new: list[dict[str, Any]] = []
    placed: defaultdict[str, list[Observation]] = defaultdict(list)
    for value in values:
        path = _path_in(value.get(KEY))
        try:
            observation = from_record(value, integer(value.get("issueNumber")))
        except InvalidRecord:
            path = ""
        if path:
            placed[path].append(observation)
        else:
            new.append(value)
    for path, members in placed.items():
        new += map(to_record, _put_back(draft, path, members))
    return new


def _path_in(place: object) -> str:
    """Return the file that a place names; empty for none of a vault's notes."""
    path = string(mapping(place).get("path"))
    return path if is_note_path(path) else ""


def _put_back(draft: Draft, path: str, members: Sequence[Observation]) -> list[Observation]:
    """Lay a file as it was; those of its memories that are to be written anew."""
    parts: defaultdict[str, list[Observation]] = defaultdict(list)
    for member in members:
        if "of" in _place_of(member):
            parts[str(_place_of(member)["of"])].append(member)
    pieces: list[tuple[int, str, dict[str, Any]]] = []
    new: list[Observation] = []
    for member in members:
        if "of" in _place_of(member):
            continue
        whole = _joined(member, parts.pop(member.id, []))
        text = _text_of(whole, _place_of(member))
        if text is None:
            new.append(whole)
        else:
            pieces.append((integer(_place_of(member).get("at")), text, _plain(whole)))
    pieces.sort(key=lambda piece: piece[0])
    new += (part for left in parts.values() for part in left)
    text = "".join(text for _, text, _ in pieces)
    if pieces and not draft.lay(path, text, [value for _, _, value in pieces]):
        return list(members)
    return new


def _joined(first: Observation, parts: list[Observation]) -> Observation:
    """Return a memory that was too long for one, whole again."""
    if not parts:
        return first
    parts.sort(key=lambda part: integer(_place_of(part).get("part")))
    content = first.content + "".join(
        f"{_place_of(part).get('gap', '')}{part.content}" for part in parts
    )
    tokens = estimate_tokens(content)
    return first._replace(content=content, tokens=tokens)


def _text_of(observation: Observation, place: Mapping[str, Any]) -> str | None:
    """Return the text of a memory in the vault; `None` once the memory has another."""
    if place.get("said") != _short_text(observation):
        return None
    text = place.get("text")
    if not isinstance(text, str):
        text = f"{place.get('head', '')}{observation.content}{place.get('tail', '')}"
    return f"{place.get('before', '')}{text}{place.get('after', '')}"


def _with_places(vault: Vault) -> Iterator[tuple[str, Item, _Place | None]]:
    """Yield the memories of a vault, each with its file and the place to keep, if any."""
    by_path: defaultdict[str, list[Item]] = defaultdict(list)
    for item in vault.items:
        by_path[item.path].append(item)
    for path, members in by_path.items():
        for item, place in zip(members, _places(path, vault.files[path], members), strict=True):
            yield path, item, place


def _places(path: str, file: VaultFile, members: Sequence[Item]) -> list[_Place | None]:
    """Places to keep for memories of a file; empty where memtui would write the same file."""
    if members[0].location is Location.ARCHIVE or _is_canonical(path, file, members):
        return [None] * len(members)
    if is_note(path, file.text):
        return [{"path": path, "at": 0, **_around(file.text, members[0])}]
    places: list[_Place] = []
    before, own = "", iter(members)
    for at, piece in enumerate(pieces_of(path, file.text)):
        if piece.kind is Kind.FILLER:
            before += piece.text
            continue
        around = _around(piece.text, next(own))
        places.append({"path": path, "at": at, **({"before": before} if before else {}), **around})
        before = ""
    if before:
        places[-1]["after"] = before
    return [*places]


def _is_canonical(path: str, file: VaultFile, members: Sequence[Item]) -> bool:
    if any(item.kind is not Kind.ENTRY for item in members):
        return False
    draft = Draft(Vault())
    for item in sorted(members, key=lambda member: str(member.value["timestamp"])):
        draft.put(item.location, item.value, None)
    return draft.changes().get(path) == file.text.encode("utf-8")


def _around(text: str, item: Item) -> _Place:
    """Text around a memory's content in its piece; all of it where that is not in it."""
    observation = from_record(item.value, 0)
    digest = {"said": _short_text(observation)}
    at = text.find(observation.content)
    if at < 0:
        return {**digest, "text": text}
    return {**digest, "head": text[:at], "tail": text[at + len(observation.content) :]}


def _observations(item: Item, place: _Place | None) -> Iterator[Observation]:
    """Yield the memory, in several parts where it is too long for one. Raises `InvalidRecord`."""
    number = item.value.get("issueNumber")
    whole = from_record(item.value, number if isinstance(number, int) else 0)
    if place is not None:
        whole = whole._replace(extra={**whole.extra, KEY: place})
    if item.location is Location.ARCHIVE:
        whole = whole._replace(archived=True)
    (_, first), *others = cut_whole(whole.content)
    yield whole if not others else whole._replace(content=first)
    for part, (gap, content) in enumerate(others, 2):
        extra = {KEY: {"path": item.path, "of": whole.id, "part": part, "gap": gap}}
        summary = first_line(content)
        yield whole._replace(id=f"{whole.id}-{part}", content=content, summary=summary, extra=extra)


def _short_text(observation: Observation) -> str:
    fields = (observation.agent, observation.category, observation.content, observation.tags)
    return blake2b(repr(fields).encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()


def _place_of(observation: Observation) -> Mapping[str, Any]:
    return mapping(observation.extra.get(KEY))


def _plain(observation: Observation) -> dict[str, Any]:
    record = to_record(observation)
    record.pop(KEY, None)
    return record


def plan_migration(backend: Backend, prepare: Callable[[Observation], Prepared]) -> Plan:
    """Plan entries for the flat files of a vault. Those that are there are not added again.

    Raises `InvalidObservation` where the memory is no vault, or one of Obsidian's, whose notes
    are where they are meant to be.
    """
    folder = backend.folder
    if not is_in_vault(backend) or (folder / OBSIDIAN).exists():
        raise InvalidObservation(
            f"{folder} has no flat files to migrate.", "Give a vault, for example `--dir .memory`."
        )
    vault = read_vault(folder)
    held = {
        (memory.value["agent"], memory.value["category"], memory.value["content"])
        for memory in vault.items
    }
    known = {memory.value["id"] for memory in vault.items}
    changes: list[Change] = []
    moves: list[Move] = []
    notes: list[Notice] = []
    for path in flat_files(vault.files):
        if (folder / f"{path}{BACKUP}").exists():
            notes.append(notice("not-migrated", file=path, backup=f"{path}{BACKUP}"))
            continue
        file, agent, before = vault.files[path], agent_of(path.removesuffix(".md")), len(changes)
        time = next(
            (memory.value["timestamp"] for memory in vault.items if memory.path == path),
            None,
        )
        reader = Reader(path)
        for section in sections_of(file.text):
            for _, content in cut_whole(section.content):
                new = Observation(agent, 0, section.category, content, timestamp=UNDATED)
                new = new._replace(id=reader.make_id(new))
                dated = new if time is None else new._replace(timestamp=parse_time(str(time)))
                made = prepare(dated).observation
                if (agent, section.category, made.content) not in held and made.id not in known:
                    changes.append(Change(Location.ISSUE, 0, made.id, None, to_record(made)))
        moves.append(Move(path, f"{path}{BACKUP}"))
        number = len(changes) - before
        notes.append(notice("migrated", file=path, backup=moves[-1].target, memories=number))
    action = Action(ActionKind.IMPORT, {"memories": len(changes)})
    return Plan(action, tuple(changes), tuple(notes), tuple(moves), moves_last=True)
