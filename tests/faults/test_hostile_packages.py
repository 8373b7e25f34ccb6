"""A project with packages that are called as ours: none of its code runs in memtui."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from store.agents.client import Client, Home
from store.agents.hook_files import hook_file
from store.agents.registry import HOOKED, client_named
from tests.in_process import run_here

CALLED_AS_OURS = ("store", "click", "orjson", "textual", "json", "tomllib", "typing_extensions")


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


def _environ(project: Path) -> dict[str, str]:
    home = project.parent / "home"
    home.mkdir(exist_ok=True)
    return {"HOME": str(home), "PATH": os.environ["PATH"], "LANG": "C.UTF-8"}


def _prepare(project: Path, *words: str) -> None:
    """Run a command in this process, while nothing hostile is there yet."""
    code, text = run_here(words, project, _environ(project))
    assert code == 0, text


def _run(project: Path, command: list[str], told: str = "", **variables: str) -> str:
    done = subprocess.run(
        command, input=told, cwd=project, env={**_environ(project), **variables},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    ran = project / "RAN"
    assert not ran.exists(), ran.read_text()
    assert (done.returncode, done.stderr) == (0, done.stderr.replace("Traceback", "")), done.stderr
    return done.stdout


ROOT = Path(__file__).parents[2]


@pytest.fixture
def script(tmp_path: Path) -> Path:
    """The command as an installer writes it."""
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"]
    module, _, function = declared["memtui"].partition(":")
    path = tmp_path / "bin" / "memtui"
    path.parent.mkdir()
    path.write_text(
        f"#!{sys.executable}\nimport sys\nfrom {module} import {function}\nsys.exit({function}())\n"
    )
    path.chmod(0o755)
    return path


@pytest.mark.parametrize(
    ("is_module", "variable"), [(False, ".:{}/store"), (True, "")], ids=["script", "module"]
)
def test_commands_import_nothing_of_the_project(
    project: Path, script: Path, is_module: bool, variable: str
) -> None:
    """But for a package `memtui` in the folder where one asks Python for `-m memtui`."""
    start = [sys.executable, "-m", "memtui"] if is_module else [str(script)]
    _prepare(project, "add", "The lock waits.")
    _make_hostile(project, *CALLED_AS_OURS, *([] if is_module else ["memtui"]))
    path = {"PYTHONPATH": variable.format(project)} if variable else {}
    assert "The lock waits." in _run(project, [*start, "search", "lock"], **path)


def _lines(client: Client, path: Path) -> list[str]:
    return [entry.line for entry in hook_file(client).entries(path.read_text(), path)]


@pytest.mark.parametrize(
    ("client", "few"),
    [("claude-code", True), *(pytest.param(it, False, marks=pytest.mark.long) for it in HOOKED)],
)
def test_hooks_run_no_code_of_the_project(project: Path, client: str, few: bool) -> None:
    """All lines of a file begin alike, so that the first and the last tell of each."""
    home = project.parent / "home"
    _prepare(project, "add", "The lock waits for the manifest.")
    _prepare(project, "hooks", "install", client, "--yes")
    hooks = client_named(client).hooks
    assert hooks is not None
    lines = _lines(client_named(client), hooks.file(Home(home, {}), None))
    assert len({line.partition(" hook ")[0] for line in lines}) == 1
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
    for line in (lines[0], lines[-1]) if few else lines:
        given = {"session_id": "s", "cwd": str(project), "prompt": "Why does the lock wait?"}
        _run(project, ["/bin/sh", "-c", line], json.dumps(given), **hostile)
    start = next(line for line in lines if "session-start" in line or "user-prompt" in line)
    assert shlex.split(start)[1:4] == ["-I", "-m", "memtui"]


def test_what_starts_a_server_is_isolated(project: Path) -> None:
    _prepare(project, "mcp", "install", "--client", "claude-code", "--yes")
    listed = json.loads((project.parent / "home" / ".claude.json").read_text())
    entry = listed["mcpServers"]["memtui"]
    _make_hostile(project, *CALLED_AS_OURS, "memtui", "sitecustomize")
    _run(project, [entry["command"], *entry["args"]], PYTHONPATH=".")


def test_a_file_that_is_shared_names_memtui(project: Path, script: Path) -> None:
    memtui = [sys.executable, "-I", "-m", "memtui"]
    path = {"PATH": f"{script.parent}:{os.environ['PATH']}"}
    _run(project, [*memtui, "hooks", "install", "claude-code", "--project", ".", "--yes"], **path)
    text = (project / ".claude" / "settings.json").read_text()
    assert '"memtui hook session-start --channel claude-code"' in text


@pytest.mark.parametrize("arguments", [["hook", "session-start"], []])
def test_packages_that_only_pythonpath_has_are_asked_for_in_words(
    tmp_path: Path, arguments: list[str]
) -> None:
    """Python's own folder of packages is left out by -S, as where nothing is installed in it."""
    paths = [str(ROOT), *(it for it in sys.path if it.endswith("site-packages"))]
    environ = {"HOME": str(tmp_path), "PYTHONPATH": os.pathsep.join(paths)}
    done = subprocess.run(
        [sys.base_prefix + "/bin/python3", "-S", "-m", "memtui", *arguments],
        cwd=tmp_path, env=environ, input="", capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert "Traceback" not in done.stderr, done.stderr
    assert "memtui needs the package" in done.stderr
