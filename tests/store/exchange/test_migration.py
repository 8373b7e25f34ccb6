"""Flat files of a vault become entries, by the headings of their sections; once."""

from __future__ import annotations

from pathlib import Path

from store import Memory, open_memory
from tests.store.backends.vault.vaults import make_vault
from tests.store.factories import NOW

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
