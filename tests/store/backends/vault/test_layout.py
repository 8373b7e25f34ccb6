"""Names and places of a vault's files, by tables."""

from __future__ import annotations

from pathlib import Path

import pytest

from store.backends.vault.layout import file_of, is_vault, location_of_file, owner
from store.model import Location

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
    ("path", "agent", "category"),
    [
        ("dev/decisions.md", "dev", "decision"),
        ("dev/a1.md", "dev", "a1"),
        ("dev/1a.md", "dev", "key-fact"),
        ("Ünal B/x.md", "Unal-B", "x"),
        (".vault/archive/dev/tasks.md", "dev", "task"),
    ],
)
def test_whose_entries_a_file_holds(path: str, agent: str, category: str) -> None:
    assert owner(path) == (agent, category)


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
