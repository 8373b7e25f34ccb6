"""The version of a client that is installed, and what `hooks status` says of an old one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memtui.hooks.version import installed_version, is_too_old
from store.agents.registry import client_named
from tests.memtui.cli.conftest import Run

QWEN = client_named("qwen-code")


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder on the PATH, beside the system's own."""
    folder = tmp_path / "programs"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    return folder


def put_program(path: Path, script: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def put_package(programs: Path, version: str) -> None:
    """Qwen Code as npm installs it: a link on the PATH to a script in a package."""
    package = programs.parent / "lib/node_modules/@qwen-code/qwen-code"
    put_program(package / "dist/cli.js", "touch started; echo 9.9.9")
    (package / "dist/package.json").write_text('{"type": "module"}')
    named = {"version": version, "bin": {"qwen": "dist/cli.js"}}
    (package / "package.json").write_text(json.dumps(named))
    (programs / "qwen").symlink_to(package / "dist/cli.js")


def test_a_package_tells_its_version_without_being_started(programs: Path) -> None:
    put_package(programs, "0.24.4")
    assert installed_version(QWEN) == "0.24.4"


@pytest.mark.parametrize(
    ("script", "version"),
    [
        ("echo qwen-code 0.24.4 '(linux)'", "0.24.4"),
        ("echo oh no >&2; exit 3", ""),
        ("echo none", ""),
        ("sleep 60", ""),
    ],
)
def test_any_other_program_is_asked(
    programs: Path, script: str, version: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memtui.hooks.version._SECONDS", 0.5)
    put_program(programs / "qwen", script)
    assert installed_version(QWEN) == version


@pytest.mark.usefixtures("programs")
def test_hooks_run_to_their_end_from_some_version_on() -> None:
    assert installed_version(QWEN) == ""
    for client, version, old in (
        ("qwen-code", "", False),
        ("qwen-code", "0.15.10", True),
        ("qwen-code", "0.23.4", True),
        ("qwen-code", "0.24.0", False),
        ("qwen-code", "1.0", False),
        ("codex", "0.1.0", False),
    ):
        assert is_too_old(client_named(client), version) is old


def test_status_says_that_hooks_do_not_fire_in_an_old_client(memtui: Run, programs: Path) -> None:
    put_package(programs, "0.15.10")
    memtui("hooks", "install", "qwen-code", "--yes")
    old = memtui("hooks", "status", "qwen-code")
    assert old.code == 1
    assert old.out.startswith("qwen-code 0.15.10  ")
    assert (
        "too old: Qwen Code 0.15.10 ends it before it answers; update to 0.24.0 or newer" in old.out
    )
    package = programs.parent / "lib/node_modules/@qwen-code/qwen-code/package.json"
    package.write_text(package.read_text().replace("0.15.10", "0.24.4"))
    (new,) = json.loads(memtui("hooks", "status", "qwen-code", "--json").out)
    assert (new["version"], {hook["state"] for hook in new["hooks"]}) == ("0.24.4", {"active"})
