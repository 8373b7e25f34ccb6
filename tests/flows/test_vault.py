"""A vault of Markdown in the app: its memories, its links, and what keeps it small."""

from __future__ import annotations

import json
import os
from functools import partial
from pathlib import Path

import pytest

from memtui.tui.dialogs.prompt import ConfirmScreen
from store import Memory, open_memory
from store.settings.schema import Settings
from tests.flows.stage import NOW, SIZES, Looks, begin_again, press, running
from tests.flows.stories import toasts
from tests.store.backends.vault.vaults import FILES, make_vault
from tests.store.factories import Ids

ALIASED = "---\ntags: [locks]\naliases: [The gate]\n---\n# Lock rules\n\nWait for [[Shop]].\n"
SHOP = "# Shop\n\nA shop in TypeScript, see [[the gate|how we lock]] and [[Plan]].\n"
TALK = [{"role": "agent", "text": f"We decided on number {n} of them"} for n in range(23)]


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    """A vault with notes that link to each other, a flat file, and a conversation that is long."""
    files = {
        **FILES,
        "_project.md": SHOP,
        "notes/Lock rules.md": ALIASED,
        "notes/Plan.md": "Ship it in spring.\n",
        "qa.md": "## Decisões\n\nTestamos tudo à noite.\n",
        "conversations/dev.json": json.dumps({"agentId": "dev", "messages": TALK}),
    }
    folder = make_vault(tmp_path / ".memory", files)
    for path in folder.rglob("*.md"):
        os.utime(path, (NOW.timestamp() - 90_000,) * 2)
    return folder


def _opened(path: Path, settings: Settings) -> Memory:
    cache = path.parent / "cache"
    return open_memory(path, cache=cache, clock=lambda: NOW, settings=settings, new_id=Ids())


async def test_one_key_migrates_then_compacts_and_undo_takes_it_back(
    vault: Path, looks: Looks
) -> None:
    async with running(vault) as pilot:
        assert await looks(pilot, "a_vault", SIZES)
        await press(pilot, "slash", *"shop typescript", "enter", "enter")
        assert await looks(pilot, "a_note_with_its_links", SIZES)
        await begin_again(pilot)
        await press(pilot, "P")
        assert await looks(pilot, "flat_files_are_offered_as_entries", SIZES)
        assert isinstance(pilot.app.screen, ConfirmScreen)
        await press(pilot, "enter")
        assert (vault / "qa.md.bak").exists() and "noite" in (vault / "qa/decisions.md").read_text()
        await press(pilot, "P", "enter")
        talk = json.loads((vault / "conversations/dev.json").read_bytes())
        assert len(talk["messages"]) == 20 and "Compacted" in toasts(pilot)[-1]
        await press(pilot, "u")
        assert json.loads((vault / "conversations/dev.json").read_bytes())["messages"] == TALK
        assert not (vault / "qa.md").exists()
        await press(pilot, "u")
        assert (vault / "qa.md").exists()


async def test_what_a_compaction_would_do(vault: Path, looks: Looks) -> None:
    (vault / "qa.md").unlink()
    (vault / ".vault/checkpoints").mkdir(parents=True)
    (vault / ".vault/checkpoints/dev.json").write_text('{"savedAt": 1}')
    async with running(vault, opening=lambda path: _opened(path, Settings())) as pilot:
        await press(pilot, "P")
        assert await looks(pilot, "what_a_compaction_would_do", SIZES)


async def test_a_vault_that_is_due_is_compacted_while_the_app_runs(vault: Path) -> None:
    opening = partial(_opened, settings=Settings(auto_compact=10))
    async with running(vault, opening=opening) as pilot:
        assert (vault / ".vault/compact-log.json").exists()
        assert "Compacted" in toasts(pilot)[-1]
