"""A walk: a rule said in one project on one machine is told in another project on the other."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from memtui.hooks import run as hooks
from memtui.hooks import surroundings
from memtui.hooks.call import DUTIES
from memtui.tui.browse.results import ResultList
from store import Memory, open_memory
from store.backends.location import find_store
from store.backends.user_data import mine_memory
from tests.flows.stage import browse, press, running, screen_text, write
from tests.flows.stories import toasts
from tests.in_process import run_here
from tests.store.capture.transcripts import ClaudeCode
from tests.store.repositories import repository
from tests.store.sync.machines import bare

pytestmark = pytest.mark.usefixtures("still")

RULE = "Always write commit messages in British English."


class _Machine:
    """A home and a project, as somebody works there; the environment of all that runs is its."""

    def __init__(self, folder: Path, project: str) -> None:
        self.folder = folder
        self.root = repository(folder / project).commit("base").root

    def sit_down(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("HOME", str(self.folder))
        for kind in ("CACHE", "DATA", "CONFIG", "STATE"):
            monkeypatch.setenv(f"XDG_{kind}_HOME", str(self.folder / kind.lower()))
        monkeypatch.chdir(self.root)

    def memtui(self, *arguments: str, given: str = "") -> str:
        code, printed = run_here(arguments, self.root, os.environ, given)
        assert code == 0, printed
        return printed

    def hook(self, name: str, **fields: object) -> str:
        given = {"session_id": "s-1", "cwd": str(self.root), **fields}
        return self.memtui("hooks", "run", name, given=json.dumps(given))

    def opened(self, _: Path) -> Memory:
        return open_memory(find_store(self.root))


@pytest.fixture(autouse=True)
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """No hook gives up on a busy machine."""
    monkeypatch.setattr(surroundings, "_PATIENCE", 60.0)
    patient = {name: duties._replace(seconds=60.0) for name, duties in DUTIES.items()}
    monkeypatch.setattr(hooks, "DUTIES", patient)


async def test_a_rule_reaches_another_project_on_another_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    remote = bare(tmp_path / "memory.git")
    one, two = (_Machine(tmp_path / name, name) for name in ("one", "two"))

    one.sit_down(monkeypatch)
    said = ClaudeCode(cwd=str(one.root), branch="main").user(RULE).edit("store/lock.py")
    transcript = one.folder / "s-1.jsonl"
    transcript.write_text("\n".join(said.lines))
    one.hook("session-end", transcript_path=str(transcript), reason="exit")
    rule = json.loads(one.memtui("list", "--category", "lesson", "--json"))[0]["id"]
    assert "`memtui move " in one.memtui("show", rule)
    async with running(one.root, opening=one.opened) as pilot:
        await press(pilot, "slash")
        await write(pilot, "category:lesson British ")
        await press(pilot, "escape")
        assert "This rule names nothing of the project: & makes it yours" in screen_text(pilot)
        await press(pilot, "ampersand", "enter", "enter")
    assert mine_memory().is_dir()
    async with running(one.root, opening=one.opened) as pilot:
        await press(pilot, "slash")
        await write(pilot, "category:lesson British ")
        await press(pilot, "escape", "ampersand", "enter", "enter")
        assert "Moved 1 memory to mine" in toasts(pilot)[-1]
        assert [row.entry.level for row in browse(pilot).query_one(ResultList).rows] == ["mine"]
    one.memtui("sync", str(remote), "--yes")

    two.sit_down(monkeypatch)
    assert RULE not in two.hook("session-start", source="startup")
    assert "mine: receive 1 added" in two.memtui("sync", str(remote), "--status")
    two.memtui("sync", str(remote), "--yes")
    assert RULE in two.hook("session-start", source="startup")
