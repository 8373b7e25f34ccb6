"""What goes out of a memory by the door, and to where: all, what a query finds, or some by id."""

from __future__ import annotations

from pathlib import Path

import pytest

from store import Memory
from store.errors import InvalidObservation
from tests.store.exchange.keys import made_up_key
from tests.store.factories import NOW, make_memory, observation, record, write_issue


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


def test_what_others_wrote_goes_out_without_secrets(memory: Memory, tmp_path: Path) -> None:
    secret = made_up_key()
    write_issue(memory.path, 33, record("far", content=f"Use {secret}", summary="Use it"))
    texts = [
        memory.exchange.export(),
        memory.exchange.export("markdown"),
        memory.exchange.export(only=["far"]),
    ]
    assert memory.exchange.export_store(tmp_path / "out") == 3
    texts += [it.read_text() for it in (tmp_path / "out").rglob("*.json")]
    assert "Use [redacted" in texts[0]
    assert not [it for it in texts if secret in it]


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
