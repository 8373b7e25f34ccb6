"""From a source to a plan, and through the door of a memory."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from store.backends.location import FOLDER
from store.errors import InvalidObservation, NotFound, Unreadable
from store.exchange.sources import detect, read_source
from store.exchange.values import Format
from tests.store.factories import make_memory, observation, record, write_issue

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


def test_no_field_of_what_is_imported_keeps_a_secret(tmp_path: Path) -> None:
    line = {
        "id": f"obs-a-1-1-{TOKEN}",
        "agent": "a",
        "issueNumber": 1,
        "category": "error",
        "content": f"Deploy with {TOKEN}.",
        "summary": f"Token {TOKEN}",
        "tags": [TOKEN],
        "sources": [f"session:{TOKEN}"],
        "sessionId": TOKEN,
        "extra": {"more": TOKEN},
    }
    (tmp_path / "in.jsonl").write_text(json.dumps(line))
    with make_memory(tmp_path) as memory:
        memory.apply(memory.exchange.plan_import(tmp_path / "in.jsonl"))
        memory.index.settle()
        [held] = memory.by_issue(1)
        assert held.id
        files = [path for path in memory.path.rglob("*") if path.is_file()]
        assert [path.name for path in files if TOKEN.encode() in path.read_bytes()] == []
