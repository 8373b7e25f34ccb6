"""Of several files, entries of one key, notes of one name and properties: which of them counts."""

from __future__ import annotations

from pathlib import Path

from store import open_memory
from tests.store.factories import observation


def test_agents_that_differ_in_case_alone_share_a_folder(tmp_path: Path) -> None:
    """On a disk without case they would, unnoticed: each keeps its own memories."""
    vault = tmp_path / "notes"
    vault.mkdir()
    with open_memory(f"vault://{vault}", cache=tmp_path / "cache") as memory:
        memory.store([observation("One", agent="dev"), observation("Two", agent="Dev")])
        memory.store([observation("Three", agent="DEV", category="lesson")])
        memory.apply(
            memory.plan.archive([it.id for it in memory.by_issue(29) if it.content == "Two"])
        )
        memory.undo()
    with open_memory(f"vault://{vault}", cache=tmp_path / "other") as memory:
        found = {(it.agent, it.content) for it in memory.by_issue(29)}
    assert found == {("dev", "One"), ("Dev", "Two"), ("DEV", "Three")}
    assert {path.parent.name for path in vault.rglob("*.md")} == {"dev"}
