"""Flat files of a vault become entries, by the headings of their sections; once."""

from __future__ import annotations

from pathlib import Path

import pytest

from store import Memory, open_memory
from store.backends.vault.flat import category_of, sections_of
from store.errors import InvalidObservation
from tests.store.backends.vault.vaults import make_vault
from tests.store.factories import NOW, observation

FLAT = """\
# Dev

Solto no topo.

## Decisões Técnicas
- Usamos SSE
- Sem banco

## Tarefs
- [ ] Medir

## Ideias
Uma ideia.

## Vazio
"""


@pytest.mark.parametrize(
    ("title", "category"),
    [
        ("Decisões", "decision"),
        ("DECISÕES TÉCNICAS", "decision"),
        ("Decisions:", "decision"),
        ("Aprendizado", "lesson"),
        ("Notas de Sessão", "lesson"),
        ("Findings", "lesson"),
        ("Tasks (open)", None),
        ("Contexto de Projeto", "project"),
        ("Handoff", "handoff"),
        ("Recipes", None),
        ("", None),
        ("日本", None),
    ],
)
def test_a_heading_names_a_category_in_two_languages(title: str, category: str | None) -> None:
    assert category_of(title) == category


def test_sections_are_whole_and_unknown_ones_lessons() -> None:
    assert [tuple(it) for it in sections_of(FLAT)] == [
        ("lesson", "Solto no topo."),
        ("decision", "- Usamos SSE\n- Sem banco"),
        ("task", "- [ ] Medir"),
        ("lesson", "Ideias\n\nUma ideia."),
    ]


def _open(folder: Path, tmp_path: Path) -> Memory:
    return open_memory(folder, cache=tmp_path / "cache", clock=lambda: NOW)


def test_flat_files_become_entries_once_and_come_back_by_undo(tmp_path: Path) -> None:
    folder = make_vault(tmp_path / ".memory", {"dev.md": FLAT, "_project.md": "# Shop\n"})
    with _open(folder, tmp_path) as memory:
        plan = memory.exchange.plan_migration()
        assert (len(plan.changes), len(plan.moves), plan.moves_last) == (4, 1, True)
        assert not (folder / "dev").exists()
        memory.apply(plan)
        assert (folder / "dev.md.bak").read_text() == FLAT
        assert not (folder / "dev.md").exists()
        assert "- Usamos SSE\n- Sem banco\n\n---" in (folder / "dev/decisions.md").read_text()
        assert "- [ ] Medir" in (folder / "dev/tasks.md").read_text()
        assert memory.exchange.plan_migration().is_empty
        memory.undo()
        assert (folder / "dev.md").read_text() == FLAT
        assert not list((folder / "dev").glob("*.md"))
        memory.redo()
        make_vault(folder, {"dev.md": "again"})
        assert [it.kind for it in memory.exchange.plan_migration().notes] == ["not-migrated"]


def test_what_is_no_such_vault_is_not_migrated(tmp_path: Path) -> None:
    make_vault(tmp_path / "notes", {"One.md": "one", ".obsidian/app.md": ""})
    for folder in (tmp_path / "notes", tmp_path / "m"):
        with _open(folder, tmp_path) as memory, pytest.raises(InvalidObservation):
            memory.exchange.plan_migration()


def test_what_stands_in_an_entry_already_is_not_migrated_again(tmp_path: Path) -> None:
    entries = {"dev.md": FLAT, "dev/decisions.md": "# Decisões\n"}
    with _open(make_vault(tmp_path / ".memory", entries), tmp_path) as memory:
        first = memory.exchange.plan_migration()
        told = [it.after["content"] for it in first.changes if it.after is not None]
        memory.store([observation(told[0], agent="dev", issue_number=0, category="lesson")])
        again = memory.exchange.plan_migration()
        left = [it.after["content"] for it in again.changes if it.after is not None]
    assert (first.changes[0].after or {})["category"] == "lesson"
    assert left == told[1:]


def test_each_flat_file_is_told_with_its_memories(tmp_path: Path) -> None:
    files = {"dev.md": FLAT, "qa.md": "## Lessons\n- One\n", "zed.md": "", "README.md": "# x\n"}
    with _open(make_vault(tmp_path / ".memory", files | {"_project.md": ""}), tmp_path) as memory:
        plan = memory.exchange.plan_migration()
        told = {it.values["file"]: it.values["memories"] for it in plan.notes}
        assert told == {"dev.md": 4, "qa.md": 1} | ({"zed.md": 0} if "zed.md" in told else {})
        assert [it.values["backup"] for it in plan.notes] == [f"{it}.bak" for it in told]
        memory.apply(plan)
        found = next(it for it in memory.by_issue(0) if it.content == "- One")
        memory.apply(memory.plan.edit(found.id, {"content": "- Two"}))
        make_vault(memory.path, {"qa.md": files["qa.md"]})
        (memory.path / "qa.md.bak").unlink()
        assert memory.exchange.plan_migration().changes == ()
