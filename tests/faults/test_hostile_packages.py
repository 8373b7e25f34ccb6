"""A project with packages that are called as ours: none of its code runs in memtui."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from store.agents.client import Home
from store.agents.hook_files import hook_file
from store.agents.registry import HOOKED, client_named

CALLED_AS_OURS = (
    "store",
    "click",
    "orjson",
    "textual",
    "tantivy",
    "json",
    "tomllib",
    "typing_extensions",
)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with a memory, whose packages leave a file when they run."""
    root = tmp_path / "project"
    (root / ".git").mkdir(parents=True)
    (root / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    return root


def _make_hostile(root: Path, *names: str) -> None:
    text = (
        f"open({str(root / 'RAN')!r}, 'a').write(__name__)\nraise RuntimeError('the project ran')\n"
    )
    for name in names:
        (root / name).mkdir()
        (root / name / "__init__.py").write_text(text)
        (root / f"{name}.py").write_text(text)


def _run(project: Path, command: list[str], told: str = "", **variables: str) -> str:
    home = project.parent / "home"
    home.mkdir(exist_ok=True)
    environ = {"HOME": str(home), "PATH": os.environ["PATH"], "LANG": "C.UTF-8", **variables}
    done = subprocess.run(
        command, input=told, cwd=project, env=environ, capture_output=True, text=True, check=False
    )
    ran = project / "RAN"
    assert not ran.exists(), ran.read_text()
    assert (done.returncode, done.stderr) == (0, done.stderr.replace("Traceback", "")), done.stderr
    return done.stdout


SCRIPT = Path(sys.executable).with_name("memtui")
STARTED = [[str(SCRIPT)], [sys.executable, "-m", "memtui"]]


@pytest.mark.skipif(not SCRIPT.exists(), reason="memtui is not installed here")
@pytest.mark.parametrize("start", STARTED, ids=["script", "module"])
@pytest.mark.parametrize("variable", [".:{}/store", ""])
def test_commands_import_nothing_of_the_project(
    project: Path, start: list[str], variable: str
) -> None:
    names = [name for name in CALLED_AS_OURS if name != "json"]
    _make_hostile(project, *names)
    path = {"PYTHONPATH": variable.format(project)} if variable else {}
    identifier = _run(project, [*start, "add", "The lock waits."], **path).strip()
    assert identifier in _run(project, [*start, "list", "--json"], **path)
    assert "The lock waits." in _run(project, [*start, "search", "lock"], **path)


def _lines(style: str, path: Path) -> list[str]:
    return [entry.line for entry in hook_file(style).entries(path.read_text(), path)]


@pytest.mark.parametrize(
    "client",
    [
        it if it in {"claude-code", "gemini-cli"} else pytest.param(it, marks=pytest.mark.long)
        for it in HOOKED
    ],
)
def test_hooks_run_no_code_of_the_project(project: Path, client: str) -> None:
    home = project.parent / "home"
    memtui = [sys.executable, "-I", "-m", "memtui"]
    _run(project, [*memtui, "add", "The lock waits for the manifest."])
    _run(project, [*memtui, "hooks", "install", client, "--yes"])
    hooks = client_named(client).hooks
    assert hooks is not None
    lines = _lines(hooks.style, hooks.file(Home(home, {}), None))
    assert lines
    _make_hostile(project, *CALLED_AS_OURS, "memtui", "sitecustomize", "usercustomize")
    hostile = {
        "PYTHONPATH": f".:{project}",
        "PYTHONHOME": str(project),
        "PYTHONUSERBASE": str(project),
        "PYTHONWARNINGS": "error::store.Warning",
        "PATH": f"{project}:{os.environ['PATH']}",
    }
    (project / "memtui").rename(project / "memtui-package")
    (project / "memtui").write_text(f"#!/bin/sh\necho memtui > {project / 'RAN'}\n")
    (project / "memtui").chmod(0o755)
    for line in lines:
        given = {"session_id": "s", "cwd": str(project), "prompt": "Why does the lock wait?"}
        _run(project, ["/bin/sh", "-c", line], json.dumps(given), **hostile)
    start = next(line for line in lines if "session-start" in line or "user-prompt" in line)
    assert shlex.split(start)[1:4] == ["-I", "-m", "memtui"]


def test_what_starts_a_server_is_isolated(project: Path) -> None:
    memtui = [sys.executable, "-I", "-m", "memtui"]
    _run(project, [*memtui, "mcp", "install", "--client", "claude-code", "--yes"])
    listed = json.loads((project.parent / "home" / ".claude.json").read_text())
    entry = listed["mcpServers"]["memtui"]
    _make_hostile(project, *CALLED_AS_OURS, "memtui", "sitecustomize")
    _run(project, [entry["command"], *entry["args"]], PYTHONPATH=".")


def test_a_file_that_is_shared_names_memtui(project: Path) -> None:
    memtui = [sys.executable, "-I", "-m", "memtui"]
    path = {"PATH": f"{SCRIPT.parent}:{os.environ['PATH']}"}
    _run(project, [*memtui, "hooks", "install", "claude-code", "--project", ".", "--yes"], **path)
    text = (project / ".claude" / "settings.json").read_text()
    assert '"memtui hook session-start --channel claude-code"' in text
