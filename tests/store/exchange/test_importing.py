"""What is imported, and memory that is copied to another place."""

from __future__ import annotations

from pathlib import Path

import pytest

from store import Memory
from store.backends.location import FOLDER
from store.errors import InvalidObservation, NotFound, Unreadable
from store.exchange.sources import detect, read_source
from store.exchange.values import Format
from tests.store.factories import NOW, make_memory, observation, record, write_issue

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
BANK = "# Decisions\n\n- 2026-03-01: Chose plain files\n- 2026-03-02: Chose tantivy\n"


@pytest.fixture
def bank(tmp_path: Path) -> Path:
    path = tmp_path / "decisions.md"
    path.write_text(BANK)
    return path


def _written(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def test_formats_are_told_apart(tmp_path: Path, bank: Path) -> None:
    project = tmp_path / "project"
    store = project / FOLDER
    store.mkdir(parents=True)
    write_issue(store, 1, record())
    lines = tmp_path / "odd.txt"
    lines.write_text('\n {"agent": "a"}')
    plain = tmp_path / "plain"
    plain.write_text("- note")
    for name in ("NOTES.MD", "notes.Markdown"):
        assert detect(_written(tmp_path / name, "{")) is Format.MARKDOWN
    for name in ("OLD.JSONL", "old.NDJson"):
        assert detect(_written(tmp_path / name, "- note")) is Format.JSON_LINES
    assert detect(bank) is Format.MARKDOWN
    assert detect(plain) is Format.MARKDOWN
    assert detect(lines) is Format.JSON_LINES
    assert detect(tmp_path) is Format.MARKDOWN
    for path in (project, store):
        assert detect(path) is Format.AGENTX
    for path in (project, store, store / "issue-1.json"):
        assert [it.observation.id for it in read_source(path, Format.AGENTX).incoming] == ["keep-1"]


def test_what_can_t_be_imported_is_refused_in_words(tmp_path: Path, bank: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    binary = tmp_path / "x.md"
    binary.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(NotFound, match="does not exist"):
        detect(tmp_path / "none")
    with pytest.raises(NotFound, match="does not exist"):
        read_source(tmp_path / "none", "markdown")
    with pytest.raises(InvalidObservation, match="neither a store nor"):
        read_source(empty)
    for name, text in (("a.txt", "[1]"), ("a.json", "[1]"), ("a.json", "1")):
        (tmp_path / name).write_text(text)
        with pytest.raises(InvalidObservation, match=f"{name} is JSON of an unknown format"):
            detect(tmp_path / name)
    with pytest.raises(InvalidObservation, match="Unknown format 'yaml'"):
        read_source(bank, "yaml")
    with pytest.raises(Unreadable, match=r"x\.md is not a text file"):
        read_source(binary)
    binary.write_bytes("\ufeffno\0text".encode("utf-16-le"))
    with pytest.raises(Unreadable, match=r"x\.md is not a text file: character 2 is NUL"):
        read_source(binary)


def test_a_folder_of_notes_is_one_bank(tmp_path: Path) -> None:
    folder = tmp_path / "bank"
    (folder / "deep").mkdir(parents=True)
    (folder / ".hidden").mkdir()
    (folder / "b.md").write_text("- b")
    (folder / "deep" / "a.markdown").write_text("- a")
    (folder / ".hidden" / "c.md").write_text("- c")
    (folder / "bad.md").write_bytes(b"\xff")
    (folder / "out.md").symlink_to(tmp_path / "elsewhere.md")
    (tmp_path / "elsewhere.md").write_text("- outside")
    reading = read_source(folder)
    assert [item.observation.content for item in reading.incoming] == ["b", "a"]
    assert [item.place for item in reading.incoming] == ["b.md, line 1", "deep/a.markdown, line 1"]
    assert [(it.kind, it.place) for it in reading.problems if it.kind == "skipped"] == [
        ("skipped", "bad.md"),
        ("skipped", "out.md"),
    ]


def test_what_the_door_refuses_is_named_and_the_rest_taken(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(
        '{"agent": "!?", "category": "error", "content": "one"}\n'
        '{"agent": "a", "category": "error", "content": "two"}\n'
    )
    with make_memory(tmp_path / "project") as memory:
        plan = memory.exchange.plan_import(path)
        assert len(plan.changes) == 1
        assert (plan.notes[0].kind, plan.notes[0].place) == ("skipped", "x.jsonl, line 1")
        assert str(plan.notes[0].values["text"]).startswith("agent '!?'")
        assert len(memory.exchange.plan_import(path, agent="me").changes) == 2


def test_what_stands_here_with_other_words_is_kept_and_said(tmp_path: Path) -> None:
    other = tmp_path / "other"
    write_issue(other, 29, record("same", content="Theirs"), record("new"))
    with make_memory(tmp_path / "project") as memory:
        memory.store([observation("Ours", id="same")])
        plan = memory.exchange.plan_import(other)
        assert [change.id for change in plan.changes] == ["new"]
        assert (plan.notes[0].kind, plan.notes[0].values) == ("exists", {"id": "same"})
        write_issue(other, 29, record("same", content="<private>Mine.</private>Ours"))
        assert [it.kind for it in memory.exchange.plan_import(other).notes] == ["already-stored"]


# What goes out of a memory by the door, and to where: all, what a query finds, or some by id.


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    memory = make_memory(tmp_path)
    memory.store(
        [
            observation(f"Said {at}", issue_number=issue, timestamp=NOW.replace(hour=9 - at))
            for at, issue in enumerate((31, 29, 30))
        ]
    )
    memory.apply(memory.plan.archive("obs-2"))
    return memory


def test_a_memory_is_not_copied_into_itself_however_it_is_called(
    memory: Memory, tmp_path: Path
) -> None:
    link = tmp_path / "link"
    link.symlink_to(memory.path.parent)
    for place in (memory.path, str(memory.path), link / "memory"):
        with pytest.raises(InvalidObservation, match="is this memory itself"):
            memory.exchange.plan_copy(place)
    plan = memory.exchange.plan_copy(tmp_path / "there")
    told: list[tuple[int, int]] = []
    assert memory.exchange.copy(plan, lambda *it: told.append(it)) == 3
    assert told[-1] == (3, 3)
    assert memory.exchange.plan_copy(tmp_path / "there").is_empty
