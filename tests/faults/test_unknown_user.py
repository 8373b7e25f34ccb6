"""A user whom the system does not know, without a home: what works, works; the rest says why."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from store.errors import NoMemory, StoreError
from store.platform.home import NOWHERE, check_home, expanded, home_folder, user_folder
from tests.faults.real import as_unknown_user
from tests.in_process import run_apart

WORKING = (
    "search lock", "list", "stats", "doctor", "export", "history", "config", "sessions", "budget",
    "hooks status", "inbox", "inject --next", "undo --yes", "redo --yes", "git status",
)  # fmt: skip
REFUSED = ("hooks install codex --yes", "hooks uninstall codex --yes", "config edit")


@pytest.fixture
def nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """No home, by no name."""

    def unknown(_: object) -> None:
        raise KeyError

    monkeypatch.setattr("pwd.getpwuid", unknown)
    monkeypatch.setattr("pwd.getpwnam", unknown)
    for name in ("HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.usefixtures("nobody")
def test_without_a_home_nothing_is_found_and_nothing_made() -> None:
    assert home_folder() == NOWHERE
    assert not user_folder("cache").exists()
    with pytest.raises(StoreError, match="No home") as caught:
        check_home(user_folder("config") / "settings.toml")
    assert caught.value.hint == "Set HOME or XDG_CONFIG_HOME."
    with pytest.raises(NoMemory, match="unknown home folder"):
        expanded("~/memory")
    with pytest.raises(NoMemory, match="unknown home folder"):
        expanded("~somebody/memory")


def test_a_folder_that_a_variable_names_needs_no_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, nobody: None
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert user_folder("cache") == tmp_path / "memtui"
    monkeypatch.setenv("XDG_CACHE_HOME", "here")
    assert not user_folder("cache").is_relative_to(Path.cwd())


def test_every_command_works_or_says_what_is_missing() -> None:
    begin = as_unknown_user()
    with tempfile.TemporaryDirectory() as name:  # pytest's own lies where only its owner may go
        project = Path(name) / "project"
        (project / ".agentx" / "memory").mkdir(parents=True)
        for path in (Path(name), *Path(name).rglob("*")):
            os.chown(path, 54_321, 54_321)

        def run(*words: str, given: str = "") -> subprocess.CompletedProcess[str]:
            return subprocess.run(
                [*begin, sys.executable, "-m", "memtui", *words],
                cwd=project, input=given, capture_output=True, text=True, timeout=60, check=False,
            )  # fmt: skip

        assert run("add", "The lock always holds.", "--agent", "engineer").returncode == 0
        start = json.dumps({"cwd": str(project), "session_id": "s"})
        assert "The lock always holds." in run("hook", "session-start", given=start).stdout
        codes, out, err = run_apart(WORKING, project, begin=begin)
        assert dict.fromkeys(WORKING, 0) == dict(zip(WORKING, codes, strict=True)), err
        assert "The lock always holds." in out
        assert "No home folder found. Set HOME or XDG_CACHE_HOME" in err
        refused, nothing, why = run_apart([*REFUSED, "list --dir ~/memory"], project, begin=begin)
        assert (refused, nothing) == ([1, 1, 1, 1], "")
        assert why.count("Set ") >= len(REFUSED), why
        for said in (out, err, why):
            assert "unexpectedly" not in said and "/dev/null" not in said, said
        left = {path.relative_to(name).parts[0] for path in Path(name).rglob("*")}
        assert left == {"project"}
