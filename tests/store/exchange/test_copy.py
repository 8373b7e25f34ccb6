"""A memory is copied whole from any backend to any other, verified, and resumed after a break."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from copy import copy
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from store.backends import open_backend
from store.backends.files.backend import FilesBackend
from store.backends.issue_records import IssueRecords
from store.backends.location import FOLDER
from store.backends.protocol import Backend
from store.backends.text_kinds import TextKind
from store.backends.vault.backend import VaultBackend
from store.errors import Conflict, NotFound, WriteFailed
from store.exchange.copy import Copy, IssueCopy, copy_memory, plan_copy
from store.model import Location
from tests.postgres import project_of
from tests.store.backends.vault.vaults import make_vault
from tests.store.factories import NOW, record, records_in, write_issue

_KINDS = ["files", "vault", "memory", "postgres"]
_LINE = {"type": "recalled", "timestamp": "2026-02-28T10:00:00.000Z", "observationIds": ["a"]}


class Places:
    """Opens empty memories of any kind, and closes them at the end."""

    def __init__(self, request: pytest.FixtureRequest, folder: Path, stack: ExitStack) -> None:
        self._request, self._folder, self._stack = request, folder, stack
        self._count = 0

    def location(self, kind: str) -> str:
        self._count += 1
        place = self._folder / str(self._count)
        if kind == "postgres":
            return project_of(self._request.getfixturevalue("postgres"))
        if kind == "files":
            return str(place / FOLDER)
        return f"{kind}://{place}"

    def open(self, location: str) -> Backend:
        backend = open_backend(location, lambda: NOW)
        self._stack.callback(backend.release)
        return backend

    def new(self, kind: str) -> Backend:
        return self.open(self.location(kind))


@pytest.fixture
def places(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Places]:
    with ExitStack() as stack:
        yield Places(request, tmp_path, stack)


def fill(backend: Backend, *, log: bool = True) -> None:
    """Put what is odd into a memory: unknown keys, an archive, exact numbers, texts, a log."""
    unknown = {"mood": {"b": [1.50, None], "a": "\u2028 \ud800"}, "huge": 10**30}
    for issue, location, value in (
        (29, Location.ISSUE, record("a", content="Two lines\n\n## of it", **unknown)),
        (29, Location.ISSUE, record("b", category="vibe", tags=["x y"], pinned=True)),
        (29, Location.ARCHIVE, record("c", timestamp="2026-02-27T10:00:00Z", archived=True)),
        (7, Location.ISSUE, record("d", issueNumber=7, agent="ux-designer", tokens="many")),
        (0, Location.ISSUE, record("e", issueNumber=0, timestamp="2026-01-01T00:00:00.500Z")),
    ):
        with backend.changing(issue) as records:
            records.put(location, value)
    backend.texts.keep(TextKind.OPERATIONS, "20260227T100000123-a1b2", b'{"id": 1}')
    backend.texts.keep(TextKind.RECALLS, "abc", b"\x00 what was told \xff")
    backend.texts.keep(TextKind.SESSIONS, "s-1", b"{}", private=True)
    backend.texts.keep(TextKind.MESSAGES, "s-1", b"packed", private=True)
    backend.texts.keep(TextKind.CHECKPOINTS, "engineer", b"{}", private=True)
    if log:
        backend.log.append(_LINE)
        backend.log.append(_LINE)
        backend.log.append({"type": "x", "timestamp": "2026-02-28T10:00:01Z", "\0": "\ud800"})


def values_in(backend: Backend) -> dict[int, dict[str, list[dict[str, Any]]]]:
    """All records of a memory, by issue and location, by their ids."""
    held = {issue: backend.read(issue) for issue in sorted(backend.issues())}
    return {
        issue: {
            str(where): sorted(
                (one.record.exact() for one in records.held() if one.location is where),
                key=lambda value: str(value["id"]),
            )
            for where in Location
        }
        for issue, records in held.items()
    }


def beside(backend: Backend) -> tuple[object, ...]:
    """The texts that are copied, and the log."""
    kinds = (TextKind.OPERATIONS, TextKind.RECALLS, TextKind.SESSIONS)
    texts = {
        (kind, name): backend.texts.read(kind, name)
        for kind in kinds
        for name in backend.texts.names(kind)
    }
    return texts, list(map(json.loads, backend.log.lines()[0]))


def copied(source: Backend, target: Backend) -> Copy:
    plan = plan_copy(source, target, "elsewhere")
    assert copy_memory(source, target, "elsewhere") == plan.memories
    return plan


@pytest.mark.parametrize(
    ("here", "there"),
    [
        *(("files", kind) for kind in _KINDS[1:]),
        ("vault", "files"),
        ("postgres", "vault"),
    ],
)
def test_a_copy_holds_the_same(places: Places, here: str, there: str) -> None:
    source, target = places.new(here), places.new(there)
    fill(source)
    plan = copied(source, target)
    assert plan.issues == (
        IssueCopy(0, 1, 0, is_there=False),
        IssueCopy(7, 1, 0, is_there=False),
        IssueCopy(29, 3, 1, is_there=False),
    )
    assert plan.texts == {"operations": 1, "recalls": 1, "sessions": 1}
    assert (plan.memories, plan.archived, plan.entries) == (5, 1, 3)
    assert _without_places(values_in(target)) == values_in(source)
    assert beside(target) == beside(source)
    for kind, name in ((TextKind.MESSAGES, "s-1"), (TextKind.CHECKPOINTS, "engineer")):
        with pytest.raises(NotFound):
            target.texts.read(kind, name)


def test_files_that_went_to_a_database_come_back_byte_for_byte(places: Places) -> None:
    first, database, last = places.new("files"), places.new("postgres"), places.new("files")
    fill(first)
    minified = json.dumps(record("m", issueNumber=3, zeta=1, alpha=1.10), separators=(",", ":"))
    issue = first.folder / "issue-3.json"
    issue.write_text(f'{{"version":1,"issueNumber":3,"observations":[{minified},{{"no":"id"}},3]}}')
    copied(first, database)
    copied(database, last)
    for number in first.issues():
        for name, part in first.read(number).parts.items():
            again = last.read(number).parts[name]
            assert [it.text for it in again.records] == [it.text for it in part.records]
    for name in ("issue-29.json", "issue-7.json", "archive/issue-29-archived.json"):
        assert (last.folder / name).read_bytes() == (first.folder / name).read_bytes()


class Break(Exception):
    """The program ends here."""


@pytest.mark.parametrize("there", ["files", "memory", "postgres"])
def test_a_copy_that_broke_off_is_resumed(places: Places, there: str) -> None:
    source, target = places.new("files"), places.new(there)
    fill(source)

    def stop(done: int, total: int) -> None:
        if done == 2:
            raise Break

    with pytest.raises(Break):
        copy_memory(source, target, "elsewhere", progress=stop)
    plan = plan_copy(source, target, "elsewhere")
    assert [it.is_there for it in plan.issues] == [True, True, False]
    assert (plan.already_there, plan.memories, plan.is_empty) == (2, 5, False)
    written: list[int] = []
    copy_memory(source, _noting(target, written), "elsewhere")
    assert written == [29]
    assert values_in(target) == values_in(source)
    assert beside(target) == beside(source)
    assert plan_copy(source, target, "elsewhere").is_empty


def _noting(target: Backend, written: list[int]) -> Backend:
    """A memory that notes which issues it wrote."""
    changing = target.changing

    @contextmanager
    def noted(issue: int, lookup: object = None) -> Iterator[IssueRecords]:
        with changing(issue) as records:
            before = [list(part.records) for part in records.parts.values()]
            yield records
            if [list(part.records) for part in records.parts.values()] != before:
                written.append(issue)

    target.changing = noted  # type: ignore[method-assign]
    return target


@pytest.mark.parametrize("there", _KINDS)
@pytest.mark.parametrize(
    "what", ["another memory", "the same once more", "another issue", "another text"]
)
def test_another_memory_is_refused_and_left_alone(places: Places, there: str, what: str) -> None:
    source, target = places.new("files"), places.new(there)
    fill(source)
    if what == "another memory":
        with target.changing(29) as records:
            records.put(Location.ISSUE, record("a", content="Something else"))
    elif what == "the same once more":
        if there == "vault":
            pytest.skip("a vault tells two alike apart by their ids")
        copy_memory(source, target, "elsewhere")
        with target.changing(7) as records:
            (name, first), *_ = records.distinct()
            records.parts[name].records = [*records.parts[name].records, copy(first)]
    elif what == "another issue":
        with target.changing(31) as records:
            records.put(Location.ARCHIVE, record("z", issueNumber=31))
    else:
        target.texts.keep(TextKind.SESSIONS, "s-1", b'{"of": "another"}')
    before = values_in(target), beside(target)
    with pytest.raises(Conflict, match="elsewhere holds another memory"):
        plan_copy(source, target, "elsewhere")
    assert (values_in(target), beside(target)) == before


def test_what_another_program_put_there_meanwhile_is_left_alone(places: Places) -> None:
    source, target = places.new("files"), places.new("memory")
    fill(source)
    for identifier, others in (("z", "1 of issue #0 is"), ("y", "2 of issue #0 are")):
        with target.changing(0) as records:
            records.put(Location.ISSUE, record(identifier, issueNumber=0))
        with pytest.raises(Conflict, match=f"{others} not in the one to copy"):
            copy_memory(source, target, "elsewhere")
    assert target.issues() == {0}


def test_what_is_written_meanwhile_is_copied_too(places: Places) -> None:
    source, target = places.new("files"), places.new("memory")
    fill(source)
    changed: list[int] = []

    def change(done: int, total: int) -> None:
        if not changed:
            changed.append(done)
            with source.changing(0) as records:
                records.put(Location.ISSUE, record("e", issueNumber=0, content="As it is now"))
                records.put(Location.ISSUE, record("f", issueNumber=0))

    assert copy_memory(source, target, "elsewhere", progress=change) == 6
    assert values_in(target) == values_in(source)


def test_a_source_that_never_rests_is_told(places: Places) -> None:
    source, target = places.new("memory"), places.new("memory")
    fill(source)

    def change(done: int, total: int) -> None:
        with source.changing(0) as records:
            records.append(Location.ISSUE, record(f"g{values_in(source)!r}", issueNumber=0))

    with pytest.raises(Conflict, match="changed while it was copied"):
        copy_memory(source, target, "elsewhere", progress=change)


def test_what_does_not_read_as_it_was_written_is_told(
    places: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, target = places.new("memory"), places.new("files")
    fill(source)
    read = target.read

    def lose(issue: int) -> IssueRecords:
        records = read(issue)
        for part in records.parts.values():
            part.records = part.records[1:]
        return records

    monkeypatch.setattr(target, "read", lose)
    with pytest.raises(WriteFailed, match="does not hold issue #0 as it is: 1 of 1"):
        copy_memory(source, target, "elsewhere")


def test_a_vault_refuses_what_markdown_has_no_place_for(places: Places) -> None:
    source, target = places.new("files"), places.new("vault")
    write_issue(source.folder, 29, record("a"), "no object")
    with pytest.raises(WriteFailed, match="A vault can't hold a record without fields"):
        copy_memory(source, target, "elsewhere")
    assert records_in(source.folder / "issue-29.json")[1] == "no object"


def test_recalls_of_a_shortened_log_are_counted_into_the_copy(places: Places) -> None:
    source, target = places.new("files"), places.new("postgres")
    fill(source, log=False)
    for number in range(120):
        time = f"2025-01-01T00:00:{number % 60:02}.000Z"
        source.log.append({**_LINE, "timestamp": time, "about": "x" * 20_000})
    source.log.settle(NOW, timedelta(days=36_500), 2_000_000)
    assert source.log.stamp().begin > 0
    plan = copied(source, target)
    assert 0 < plan.entries < 120
    value = target.read(29).find(Location.ISSUE, "a")
    assert value is not None
    assert (value["recallCount"], value["lastRecalled"]) == (120, "2025-01-01T00:00:59.000Z")
    assert plan_copy(source, target, "elsewhere").is_empty


def _without_places(values: Any) -> Any:  # noqa: ANN401 - any JSON
    """Values without where they stood in a vault, which is for the way back."""
    if isinstance(values, dict):
        return {key: _without_places(it) for key, it in values.items() if key != "vault"}
    return list(map(_without_places, values)) if isinstance(values, list) else values


NOTES = {
    "_project.md": "# Project\n\nThe shop sells tea.\n",
    "dev/decisions.md": "# Mine\n\n## 2026-02-01\n\nUse Postgres.\n\n## 2026-02-02\n\nUse Redis.\n",
    "qa/ideas.md": "Thought of on a walk.\n\nTest the tax.\n",
    "qa/lessons.md": "<!-- id:1769990400000 -->\n## 2026-02-02T00:00\n\nOurs.\n\n---\n",
}


def test_a_vault_comes_back_as_it_was(tmp_path: Path) -> None:
    """Ids, places and texts, though the files between have no place for most of that."""
    vault = VaultBackend(make_vault(tmp_path / ".memory", NOTES))
    files = FilesBackend(tmp_path / "files", lambda: NOW)
    back = VaultBackend(tmp_path / "back")
    copy_memory(vault, files, files.folder)
    copy_memory(files, back, back.folder)
    assert values_in(back) == values_in(vault)
    paths = (it for it in back.folder.rglob("*.md") if it.is_file())
    assert {str(it.relative_to(back.folder)): it.read_text() for it in paths} == NOTES
