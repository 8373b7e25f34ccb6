"""Of several issues, headings, bullets, labels and parts in a source: which of them counts."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from store import open_memory
from store.backends import open_backend
from store.backends.files.backend import FilesBackend
from store.backends.memory.backend import Held, MemoryBackend
from store.backends.protocol import Backend
from store.errors import Conflict
from store.exchange.agentx import read_memory
from store.exchange.copy import copy_memory
from store.exchange.import_ import held_contents
from store.exchange.json_lines import read_json_lines
from store.exchange.memory_bank import read_markdown_bank
from store.exchange.memory_bank_text import to_markdown_bank
from store.exchange.sources import read_source
from store.exchange.vault import read_vault_memories, vault_files
from store.model import UNDATED, Location, Observation
from tests.store.backends.vault.vaults import make_vault
from tests.store.factories import NOW, make_memory, observation, record, write_issue


def _bank(text: str, name: str = "notes.md") -> list[Observation]:
    return [it.observation for it in read_markdown_bank(text, name).incoming]


def _vault_texts(observations: list[Observation]) -> dict[str, str]:
    files = vault_files(observations)
    return {path: (it or b"").decode() for path, it in files.items() if path.endswith(".md")}


def test_what_is_wrong_in_each_issue_is_told_and_where_the_rest_stands(tmp_path: Path) -> None:
    write_issue(tmp_path, 29, record("a", huge=10**30), {"id": "no content"})
    write_issue(tmp_path, 29, record("b"), archived=True)
    write_issue(tmp_path, 7, record("c", issueNumber=7))
    for number in (3, 5, 31):
        (tmp_path / f"issue-{number}.json").write_text("{")
    reading = read_memory(open_backend(tmp_path))
    told = [(it.observation.id, it.observation.archived, it.place) for it in reading.incoming]
    assert told == [
        ("c", False, "issue-7.json"),
        ("a", False, "issue-29.json"),
        ("b", True, "archive/issue-29-archived.json"),
    ]
    assert reading.incoming[1].observation.extra == {"huge": 10**30}
    said = [str(it.values["text"]) for it in reading.problems]
    assert [it.split(".json")[0] for it in said] == [f"issue-{at}" for at in (3, 5, 29, 31)]


def test_what_stands_in_an_issue_is_what_is_held_and_not_what_its_archive_says(
    tmp_path: Path,
) -> None:
    write_issue(tmp_path, 29, record("a", content="Now"), record("b", content=7))
    write_issue(
        tmp_path, 29, record("a", content="Once"), record("c", content="Old"), archived=True
    )
    write_issue(tmp_path, 31, record("a", content="Elsewhere"), record("d", content="There"))
    held = held_contents(open_backend(tmp_path))
    assert held == {"a": "Now", "b": "", "c": "Old", "d": "There"}


def test_of_a_source_that_names_an_id_twice_the_first_comes_in(tmp_path: Path) -> None:
    line = {"agent": "a", "issueNumber": 3, "category": "lesson"}
    told = [("x", "One"), ("x", "Two"), ("x", "One"), ("y", "Two"), ("", "New"), ("", "New")]
    source = tmp_path / "x.jsonl"
    source.write_text("\n".join(
        json.dumps({**line, "content": said} | ({"id": name} if name else {}))
        for name, said in told))  # fmt: skip
    with make_memory(tmp_path / "project") as memory:
        plan = memory.exchange.plan_import(source)
        assert [(it.after or {})["content"] for it in plan.changes] == ["One", "Two", "New", "New"]
        assert [(it.kind, it.place) for it in plan.notes] == [
            ("already-stored", ""),
            ("exists", "x.jsonl, line 2"),
        ]
        assert plan.notes[0].values == {"memories": 1, "of": 6}


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("# 2026-01-01\n## 2026-01-02\n- one", [2]),
        ("# 2026-01-01\n## Two\n- one", [1]),
        ("# 2026-01-01\n## 2026-01-02\n# Other\n- one", [0]),
        (
            "## 2026-01-02\n- 2026-01-03: one\n  - two\n    - 2026-01-04: three\n- four",
            [3, 3, 4, 2],
        ),
        ("## 2026-01-02\n- 2026-01-03: one\n  - two\n    - three", [3, 3, 3]),
        ("## 2026-01-02\n- one (2026-01-05)\n- two", [5, 2]),
        (f"- {'many words of it ' * 9}(2026-01-05).", [5]),
        (f"- (2026-01-05) {'many words of it ' * 9}", [5]),
        ("- Of (2026-01-05) it was said", [0]),
        ("- 2026-01-06: one (2026-01-05)", [6]),
    ],
)
def test_the_nearest_date_is_that_of_a_note(text: str, days: list[int]) -> None:
    times = [datetime(2026, 1, day, tzinfo=UTC) if day else UNDATED for day in days]
    assert [it.timestamp for it in _bank(text)] == times


@pytest.mark.parametrize(
    ("text", "name", "categories"),
    [
        ("# Decisions\n## Bugs\n- one", "lessons.md", ["error"]),
        ("# Bugs\n## Weather\n- one", "lessons.md", ["error"]),
        ("# Weather\n## Rain\n- one", "lessons.md", ["lesson"]),
        ("- one", "bugs/lessons.md", ["lesson"]),
        ("- one", "bugs/rain.md", ["error"]),
        ("- one", "decisions/bugs/rain.md", ["error"]),
        ("# Bugs\n- one\n# Weather\n- two", "x.md", ["error", "key-fact"]),
        ("# Bugs\n- [ ] one\n  - two\n    - three\n- four", "x.md", ["task"] * 3 + ["error"]),
        ("# Bugs\n- one\n  - [ ] two\n  - three", "x.md", ["error", "task", "error"]),
    ],
)
def test_the_nearest_that_names_a_kind_is_that_of_a_note(
    text: str, name: str, categories: list[str]
) -> None:
    assert [it.category for it in _bank(text, name)] == categories


@pytest.mark.parametrize("mark", ["x", "X", " "])
def test_a_box_is_ticked_by_either_letter(mark: str) -> None:
    first, inner = _bank(f"# Bugs\n- [{mark}] Ship #it\n  - by hand\n")
    assert first.tags == (*(["done"] if mark != " " else []), "bugs", "it")
    assert first.is_open_task is (mark == " ")
    assert inner.tags == ("bugs",)
    assert inner.content == "Ship #it\nby hand"


def test_a_bullet_inside_several_is_told_with_all_of_them() -> None:
    text = "- one\n  - two\n    - three\n      - four\n    - five\n  - six\n- seven\n"
    assert [it.content for it in _bank(text)] == [
        "one",
        "one\ntwo",
        "one › two\nthree",
        "one › two › three\nfour",
        "one › two\nfive",
        "one\nsix",
        "seven",
    ]


@pytest.mark.parametrize(
    ("text", "contents"),
    [
        ("- a\n - b", ["a", "b"]),
        ("- a\n  - b\n\n\nfar out", ["a", "a\nb", "far out"]),
        ("- a\n  - b\n\n  of a", ["a\nof a", "a\nb"]),
        ("One.\n\n\nTwo.\n\n# H\n\nThree.", ["One.\n\n\nTwo.", "H\nThree."]),
        ("- a\n***\nOne.", ["a", "One."]),
        ("- a\n# H\nOne.", ["a", "H\nOne."]),
        ("- a\n  # b\nOne.", ["a\n# b\nOne."]),
        ("2026-01-02: a\n\n2026-01-03: b\nmore", ["a", "b\nmore"]),
    ],
)
def test_where_a_note_ends(text: str, contents: list[str]) -> None:
    assert sorted(it.content for it in _bank(text)) == sorted(contents)


@pytest.mark.parametrize("content", ["One", "One\n", "\nOne", "One\n\nTwo", " One ", "a\x1bb"])
@pytest.mark.parametrize("keys", [{"tokens": 7}, {"tokens": 1}, {"summary": "Another"}])
def test_a_bank_gives_back_exactly_what_it_was_given(content: str, keys: dict[str, object]) -> None:
    said = observation(content, id="a", timestamp=NOW, **{"summary": "One", "tokens": 1, **keys})
    assert _bank(to_markdown_bank([said])) == [said]


def test_each_label_and_link_of_an_issue_is_a_tag_and_its_last_change_its_time() -> None:
    links = [{"type": "blocks", "depends_on_id": "b"}, {"depends_on_id": "c"}]
    issue = {
        "id": "a",
        "title": "One",
        "status": "closed",
        "issue_type": "bug",
        "labels": ["x", "y", "x"],
        "priority": 0,
        "dependencies": links,
        "description": "First.",
        "design": " ",
        "acceptance_criteria": "Second.",
        "close_reason": "Third.",
        "created_at": "2026-01-02T00:00:00Z",
        "updated_at": "2026-01-03T00:00:00Z",
    }
    (one,) = (it.observation for it in read_json_lines(json.dumps(issue), "x.jsonl").incoming)
    assert one.tags == ("done", "closed", "bug", "x", "y", "p0", "blocks:b", "depends:c")
    assert one.timestamp == datetime(2026, 1, 3, tzinfo=UTC)
    assert one.content.split("\n") == [
        "One (a)",
        "Description: First.",
        "Acceptance criteria: Second.",
        "Close reason: Third.",
    ]
    odd = json.dumps({**issue, "updated_at": "lately"})
    (one,) = (it.observation for it in read_json_lines(odd, "x.jsonl").incoming)
    assert one.timestamp == datetime(2026, 1, 2, tzinfo=UTC)


def test_each_relation_is_told_where_it_begins() -> None:
    told = [
        {"type": "relation", "from": "a", "to": "b", "relationType": "uses"},
        {"type": "relation", "from": "a", "to": "c", "relationType": "Reads from"},
        {"type": "entity", "name": "b", "entityType": "service", "observations": ["in Go"]},
    ]
    text = "\n".join(map(json.dumps, told))
    first, second = read_json_lines(text, "x.jsonl").incoming
    assert first.observation.content == "a:\n- a uses b.\n- a Reads from c."
    assert first.observation.tags == ("uses:b", "reads-from:c")
    assert [first.place, second.place] == ["x.jsonl, line 1", "x.jsonl, line 3"]
    assert second.observation.content == "b (service):\n- in Go"


def _long(parts: int) -> str:
    words = "\n\n".join(f"Part {number}. {'word ' * 370}end" for number in range(parts))
    return f"---\ntags: x\n---\n{words}\n"


def test_the_parts_of_a_long_note_come_back_in_their_order(tmp_path: Path) -> None:
    files = {"notes/Long.md": _long(12)}
    found = [it.observation for it in read_vault_memories(make_vault(tmp_path, files)).incoming]
    assert len(found) == 12
    assert _vault_texts(found) == files
    assert _vault_texts(sorted(found, key=lambda it: it.id)) == files


def test_parts_whose_first_is_gone_are_memories_of_their_own(tmp_path: Path) -> None:
    files = {"notes/Long.md": _long(3), "notes/Other.md": _long(2).replace("Part", "Piece")}
    found = [it.observation for it in read_vault_memories(make_vault(tmp_path, files)).incoming]
    gone = next(it for it in found if it.content.startswith("Part 0"))
    written = _vault_texts([it for it in found if it is not gone])
    assert written["notes/Other.md"] == files["notes/Other.md"]
    rest = "".join(text for path, text in written.items() if path != "notes/Other.md")
    assert [rest.count(f"Part {number}.") for number in range(3)] == [0, 1, 1]


def test_what_stands_before_between_and_after_the_entries_of_a_file_comes_back(
    tmp_path: Path,
) -> None:
    entry = "<!-- id:177367987{} -->\n## 2026-03-16T16:51\n\nSaid {}\n\n---\n"
    text = (
        f"# Mine\n\n{entry.format(1, 1)}\n# Between\n\n{entry.format(2, 2)}\n# Last\n\n<!-- c -->\n"
    )
    files = {"dev/lessons.md": text}
    found = [it.observation for it in read_vault_memories(make_vault(tmp_path, files)).incoming]
    assert len(found) == 2
    assert _vault_texts(found) == _vault_texts(found[::-1]) == files
    away = [it._replace(archived=it.content == "Said 1") for it in found]
    written = _vault_texts(away)
    assert "Said 1" not in written["dev/lessons.md"]
    assert "Said 1" in written[".vault/archive/dev/lessons.md"]


@pytest.mark.parametrize(("front", "day"), [("", "2020-01-01"), ("date: 2026-01-02", "2026-01-02")])
def test_what_is_migrated_is_of_its_files_time(tmp_path: Path, front: str, day: str) -> None:
    text = "## Lessons\nOne\n\n## Decisions\nTwo\n\n## Lessons\nOne\n"
    folder = make_vault(tmp_path / ".memory", {
        "dev.md": f"---\n{front}\n---\n{text}" if front else text, "qa.md": text})  # fmt: skip
    for path, time in (("dev.md", "2020-01-01"), ("qa.md", "2021-01-01")):
        seconds = datetime.fromisoformat(f"{time}T12:00:00+00:00").timestamp()
        os.utime(folder / path, (seconds, seconds))
    with open_memory(folder, cache=tmp_path / "cache", clock=lambda: NOW) as memory:
        changes = memory.exchange.plan_migration().changes
        told = [(it.after or {}) for it in changes]
        assert {(it["agent"], it["timestamp"][:10]) for it in told} == {
            ("dev", day),
            ("qa", "2021-01-01"),
        }
        assert [it["content"] for it in told] == ["One", "Two", "One"] * 2
        assert len({it["id"] for it in told}) == 6


@pytest.mark.parametrize("left", [0, 1])
def test_recalls_of_a_log_that_is_gone_are_counted_into_the_copy(tmp_path: Path, left: int) -> None:
    source, target = FilesBackend(tmp_path / "a", lambda: NOW), MemoryBackend(Held("b"))
    write_issue(source.folder, 29, record("a"), record("b"))
    entry = {"type": "recalled", "timestamp": "2026-02-28T10:00:00Z", "observationIds": ["a"]}
    for _ in range(3):
        source.append_activity(entry)
    assert source.activity_summary(complete=True).until
    log = source.folder / "activity.jsonl"
    log.write_bytes(b"".join(log.read_bytes().splitlines(keepends=True)[:left]))
    with source.changing(29) as records:
        records.put(Location.ISSUE, record("c"))
    copy_memory(source, target, "elsewhere")
    assert [it.recall_count for it in target.read(29).observations()] == [3, 0, 0]
    with source.changing(29) as records:
        records.put(Location.ISSUE, {**record("a"), "pinned": True})
    assert [it.recall_count for it in source.read(29).observations()] == [3, 0, 0]


def test_what_others_write_into_a_copy_meanwhile_is_not_written_over(tmp_path: Path) -> None:
    """The source changed once more: what the copy itself wrote is replaced, and nothing else."""
    source, target = MemoryBackend(Held("a")), MemoryBackend(Held("b"))

    def put(backend: Backend, name: str) -> None:
        with backend.changing(29) as records:
            records.put(Location.ISSUE, record(name))

    for others in ((), ("theirs",)):
        put(source, f"first {others}")

        def change(done: int, total: int, others: tuple[str, ...] = others) -> None:
            if source.read(29).find(Location.ISSUE, f"second {others}") is None:
                put(source, f"second {others}")
                for name in others:
                    put(target, name)

        if not others:
            copy_memory(source, target, "elsewhere", progress=change)
            assert list(target.read(29).values()) == list(source.read(29).values())
            continue
        with pytest.raises(Conflict, match="1 of issue #29 is not in the one to copy"):
            copy_memory(source, target, "elsewhere", progress=change)
        assert target.read(29).find(Location.ISSUE, "theirs") is not None


def test_the_files_of_a_bank_come_in_by_their_names(tmp_path: Path) -> None:
    names = ["m.md", "z.md", "a.md", "b/y.md", "b/c.md", "A.md"]
    for name in names:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(f"- 2026-03-08: said in {name}\n")
    found = [it.observation.content for it in read_source(tmp_path).incoming]
    assert found == [f"said in {name}" for name in sorted(names)]


def test_a_line_without_an_id_is_named_by_its_time_and_by_what_it_says() -> None:
    line = {"agent": "a", "category": "lesson"}
    times = ("2026-01-02T00:00:00Z", "2026-01-03T00:00:00Z", "2026-01-03T09:00:00Z", None)
    told = [
        {**line, "content": said} | ({"timestamp": time} if time else {})
        for time in times
        for said in ("One", "Two")
    ]
    lines = "\n".join(map(json.dumps, told))
    ids = [it.observation.id for it in read_json_lines(lines, "x").incoming]
    assert [name.split("-")[2] for name in ids] == [
        day for day in ("20260102", "20260103", "20260103", "undated") for _ in range(2)
    ]
    assert len(set(ids)) == 8
    turned = "\n".join(map(json.dumps, told[::-1]))
    assert [it.observation.id for it in read_json_lines(turned, "x").incoming] == ids[::-1]
