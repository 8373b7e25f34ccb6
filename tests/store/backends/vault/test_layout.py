"""Names and places of a vault's files, by tables."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from store.backends.vault.layout import (
    agent_of,
    category_named,
    file_of,
    is_note_path,
    is_of_category,
    is_vault,
    location_of_file,
    owner,
)
from store.model import Location
from tests.open_files import open_below

ENTRY = "<!-- id:1773679871839 -->\n## 2026-03-16T16:51\n\nSaid\n\n---\n"


@pytest.mark.parametrize(
    ("agent", "category", "path"),
    [
        ("dev", "decision", "dev/decisions.md"),
        ("dev", "key-fact", "dev/key-facts.md"),
        ("dev", "compaction-summary", "dev/compaction-summaries.md"),
        ("dev", "custom", "dev/custom.md"),
        ("dev", "my own/kind", "dev/my-own-kind.md"),
        ("dev", "../..", "dev/memories.md"),
        ("dev", "", "dev/memories.md"),
        ("a b/c", "task", "a-b-c/tasks.md"),
        ("_dev.", "task", "dev/tasks.md"),
        ("", "task", "agent/tasks.md"),
        ("..", "task", "agent/tasks.md"),
        ("conversations", "task", "conversations-agent/tasks.md"),
        ("Node_Modules", "task", "Node_Modules-agent/tasks.md"),
        ("é", "task", "é/tasks.md"),
        ("a" * 61, "task", f"{'a' * 60}/tasks.md"),
        ("dev", "c" * 61, f"dev/{'c' * 60}.md"),
    ],
)
def test_the_file_of_an_agent_and_a_category(agent: str, category: str, path: str) -> None:
    assert file_of(agent, category) == path
    assert file_of(agent, category, Location.ARCHIVE) == f".vault/archive/{path}"
    assert location_of_file(path) is Location.ISSUE
    assert location_of_file(f".vault/archive/{path}") is Location.ARCHIVE


@pytest.mark.parametrize(
    ("folder", "agent"),
    [
        ("dev", "dev"),
        ("QA team", "QA-team"),
        ("Größe", "Groe"),
        ("--a__b.c--", "a__b.c"),
        ("日本", "agent"),
        ("", "agent"),
        ("a" * 70, "a" * 64),
        ("a/b", "a-b"),
    ],
)
def test_the_agent_of_a_folder(folder: str, agent: str) -> None:
    assert agent_of(folder) == agent


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("dev/decisions.md", ("dev", "decision")),
        ("dev/Decisions.md", ("dev", "decision")),
        ("dev/key facts.md", ("dev", "key-fact")),
        ("dev/Lock rules.md", ("dev", "lock-rules")),
        ("dev/Décisions.md", ("dev", "decision")),
        ("dev/2026.md", ("dev", "key-fact")),
        ("dev/日本.md", ("dev", "key-fact")),
        (f"dev/{'a' * 63}-b.md", ("dev", "a" * 63)),
        (f"dev/{'a' * 70}.md", ("dev", "a" * 64)),
        (".vault/archive/dev/tasks.md", ("dev", "task")),
        ("dev/_notes.md", None),
        ("dev/decisions.txt", None),
        ("decisions.md", None),
        ("dev/more/decisions.md", None),
    ],
)
def test_who_a_file_is_of(path: str, found: tuple[str, str] | None) -> None:
    assert owner(path) == found


@pytest.mark.parametrize(
    ("path", "note", "category"),
    [
        ("dev/decisions.md", True, True),
        ("dev/Decisions.md", True, False),
        ("notes/a b.md", True, False),
        ("a.md", True, False),
        ("notes/deep/er/a.md", True, False),
        ("notes/.hidden.md", False, False),
        (".obsidian/a.md", False, False),
        ("notes//a.md", False, False),
        ("notes/a\0.md", False, False),
        ("/notes/a.md", False, False),
        ("notes/a.txt", False, False),
        ("conversations/a.md", False, False),
        ("node_modules/a.md", False, False),
        ("notes/conversations/a.md", True, False),
        (f"notes/{'a' * 990}.md", True, False),
        (f"notes/{'a' * 991}.md", False, False),
        ("dev/_decisions.md", True, False),
    ],
)
def test_where_a_memory_may_stand(path: str, note: bool, category: bool) -> None:
    assert is_note_path(path) is note
    assert is_of_category(path) is category


@pytest.mark.parametrize(
    ("word", "category"),
    [
        ("decisions", "decision"),
        ("Decision ", "decision"),
        ("KEY-FACTS", "key-fact"),
        ("key-fact", "key-fact"),
        ("deciding", None),
        ("", None),
    ],
)
def test_the_category_that_a_word_names(word: str, category: str | None) -> None:
    assert category_named(word) == category


@pytest.mark.parametrize(
    ("name", "files", "is_so"),
    [
        (".memory", {}, True),
        (".memory", {"a.md": ""}, True),
        (".memory", {"conversations/x.json": ""}, True),
        (".memory", {"a.txt": ""}, False),
        (".memory", {"dev/decisions.md": ""}, True),
        (".memory", {"dev/custom.md": ""}, False),
        ("notes", {}, False),
        ("notes", {"a.md": ""}, False),
        ("notes", {".obsidian/app.json": ""}, True),
        ("notes", {"_project.md": ""}, True),
        ("notes", {".vault/x": ""}, True),
        ("notes", {"dev/decisions.md": ""}, False),
        ("notes", {"dev/decisions.md": ENTRY}, True),
        ("notes", {"dev/tasks.md": f"# Tasks\n\n{ENTRY}"}, True),
        ("notes", {"dev/tasks.md": f"{'x' * 399}\n{ENTRY}"}, False),
        ("notes", {"dev/key-facts.md": ENTRY}, False),
        ("notes", {".dev/decisions.md": ENTRY}, False),
        ("notes", {"dev/decisions.md/x": ENTRY}, False),
    ],
)
def test_what_a_vault_is_told_by(
    tmp_path: Path, name: str, files: dict[str, str], is_so: bool
) -> None:
    (tmp_path / name).mkdir()
    for path, text in files.items():
        (tmp_path / name / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name / path).write_text(text)
    assert is_vault(tmp_path / name) is is_so


def test_a_vault_that_is_not_there_yet_is_one_by_its_name(tmp_path: Path) -> None:
    assert is_vault(tmp_path / ".memory")
    assert not is_vault(tmp_path / "notes")
    (tmp_path / ".memory").write_text("a file")
    assert not is_vault(tmp_path / ".memory")


def test_a_file_is_looked_at_through_no_link_and_closed_again(tmp_path: Path) -> None:
    (tmp_path / "elsewhere.md").write_text(ENTRY)
    (tmp_path / "notes" / "dev").mkdir(parents=True)
    (tmp_path / "notes" / "dev" / "decisions.md").symlink_to(tmp_path / "elsewhere.md")
    os.mkfifo(tmp_path / "notes" / "dev" / "tasks.md")
    before = open_below(tmp_path)
    assert not is_vault(tmp_path / "notes")
    assert open_below(tmp_path) == before
