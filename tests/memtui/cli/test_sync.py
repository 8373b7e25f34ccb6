"""`memtui sync`: two homes and a bare repository between them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.memtui.cli.conftest import Run
from tests.store.sync.machines import bare

GoHome = Callable[[str], Path]


@pytest.fixture
def remote(tmp_path: Path) -> Path:
    return bare(tmp_path / "memory.git")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> GoHome:
    """Go to a machine; the user's own memory there."""

    def go(name: str) -> Path:
        monkeypatch.setenv("HOME", str(tmp_path / name))
        for kind in ("CACHE", "DATA", "CONFIG"):
            monkeypatch.setenv(f"XDG_{kind}_HOME", str(tmp_path / name / kind.lower()))
        memory = tmp_path / name / "data" / "memtui" / "mine" / ".agentx" / "memory"
        memory.mkdir(parents=True, exist_ok=True)
        return memory

    return go


def test_a_memory_of_mine_is_found_on_the_other_machine(
    memtui: Run, home: GoHome, remote: Path
) -> None:
    mine = home("one")
    assert memtui("sync").code == 2
    memtui("--dir", str(mine), "add", "Always use tabs.", "--agent", "me")
    asked = memtui("sync", str(remote))
    assert (asked.code, asked.out) == (
        1,
        f"Sync with {remote} for the first time\n  mine: send 1 added\n",
    )
    done = memtui("sync", str(remote), "--yes")
    assert (done.code, done.out) == (0, "Synced: 1 change sent, 0 received.\n")
    again = memtui("sync")
    assert (again.code, again.out, again.err) == (0, "", f"In step with {remote}.\n")

    mine = home("two")
    status = memtui("sync", str(remote), "--status", "--json")
    [memory] = json.loads(status.out)["memories"]
    assert (memory["name"], memory["receive"], memory["send"]) == ("mine", {"added": 1}, {})
    assert memtui("config", "--json").out.count(str(remote)) == 0
    done = memtui("sync", str(remote), "--yes")
    assert done.out == "Synced: 0 changes sent, 1 received.\n"
    assert "Undo with `memtui --dir ~/data/memtui/mine undo " in done.err
    assert "Always use tabs." in memtui("--dir", str(mine), "search", "tabs").out


def test_what_both_edited_is_named_with_the_command_that_chooses(
    memtui: Run, home: GoHome, remote: Path
) -> None:
    mine = home("one")
    name = memtui("--dir", str(mine), "add", "Tabs.", "--agent", "me").out.split()[0]
    memtui("sync", str(remote), "--yes")
    other = home("two")
    memtui("sync", str(remote), "--yes")
    memtui("--dir", str(other), "edit", name, "--content", "Spaces.", "--yes")
    memtui("sync", "--yes")
    mine = home("one")
    memtui("--dir", str(mine), "edit", name, "--content", "Tabs always.", "--yes")
    assert "1 edited on both sides, both versions kept" in memtui("sync", "--status").out
    done = memtui("sync", "--yes")
    assert "1 memory was edited on both sides; both versions are kept." in done.err
    assert f"git resolve {name[-6:]}`" in done.err
    versions = memtui("--dir", str(mine), "resolve", name).out
    assert ("Spaces." in versions, "Tabs always." in versions) == (True, True)


def test_offline_it_says_what_waits(memtui: Run, home: GoHome, remote: Path) -> None:
    mine = home("one")
    memtui("sync", str(remote), "--yes")
    memtui("--dir", str(mine), "add", "Tabs.", "--agent", "me")
    remote.rename(remote.with_name("away"))
    status = memtui("sync", "--status")
    assert (status.code, "mine: send 1 added" in status.out) == (0, True)
    done = memtui("sync", "--yes")
    assert (done.code, "can't be reached" in done.err) == (1, True)
    assert "Waiting: 1 change to send." in done.err


@pytest.mark.usefixtures("home")
def test_a_password_is_refused_and_not_shown(memtui: Run) -> None:
    done = memtui("sync", "https://me:secret@host/memory.git")
    assert (done.code, "secret" in done.err + done.out) == (2, False)
    assert "https://me@host/memory.git was given with a password." in done.err
    done = memtui("config", "set", "sync_remote", "https://me:secret@host/memory.git")
    assert (done.code, "git's credential helper" in done.err) == (2, True)


def test_it_takes_all_memories_not_a_named_one(memtui: Run, tmp_path: Path) -> None:
    done = memtui("--dir", str(tmp_path), "sync")
    assert (done.code, "--dir names one" in done.err) == (2, True)
