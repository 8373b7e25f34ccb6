"""A memory, and a way to run the command line on it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from shutil import copytree

import pytest

from memtui.cli.main import run
from store import Observation, open_memory

NOW = datetime(2026, 2, 27, 10, tzinfo=UTC)
ESCAPES = "red \x1b[31m bell \x07 flip \u202e end"

Run = Callable[..., "Outcome"]


class Outcome:
    """What a command left behind."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code = code
        self.out = out
        self.err = err


def observation(number: int, **fields: object) -> Observation:
    given: dict[str, object] = {
        "agent": "engineer",
        "issue_number": 29,
        "category": "decision",
        "content": f"Chose option {number} for the lock.",
        "id": f"obs-engineer-29-1709035200000-aaaa{number:02}",
        "timestamp": NOW.replace(minute=number),
    }
    return Observation(**{**given, **fields})  # type: ignore[arg-type]


@pytest.fixture(autouse=True)
def _own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test sees the user's memory, cache, colours or zone."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    for name in ("MEMTUI_DIR", "MEMTUI_AGENT", "MEMTUI_TRACEBACK", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="session")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with a memory of six observations, which nobody changes."""
    folder = tmp_path_factory.mktemp("stored")
    path = folder / "project" / ".agentx" / "memory"
    with open_memory(path, cache=folder / "cache") as memory:
        memory.store(
            [
                observation(1),
                observation(2, agent="ux-designer", category="lesson", pinned=True),
                observation(3, issue_number=0, content=f"Hostile: {ESCAPES}"),
                observation(4, issue_number=7, category="error", tags=("done", "ci")),
                observation(5, content="Ключ 日本語 retry\n\n```py\nx = 1\n```", session_id="s-1"),
                observation(6, recall_count=3, sources=("session:s#4",), seen_count=2),
            ]
        )
    (folder / "project" / "src").mkdir()
    return folder / "project"


@pytest.fixture
def project(stored: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project of one's own with that memory; the working directory is below it."""
    folder = Path(copytree(stored, tmp_path / "project"))
    monkeypatch.chdir(folder / "src")
    return folder


@pytest.fixture
def indexed(project: Path) -> Path:
    """That project, its index in step with the files."""
    with open_memory(project / ".agentx" / "memory") as memory:
        memory.index.refresh()
    return project


@pytest.fixture
def memtui(capsys: pytest.CaptureFixture[str]) -> Run:

    def command(*arguments: str) -> Outcome:
        code = run(arguments)
        out, err = capsys.readouterr()
        return Outcome(code, out, err)

    return command


@pytest.fixture
def on_the_path(monkeypatch: pytest.MonkeyPatch) -> None:
    """memtui can be started by its name; no client's version is known."""
    monkeypatch.setattr("memtui.client_file.shutil.which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr("memtui.cli.hooks_status.installed_version", lambda client: "")


@pytest.fixture
def claude_folder(project: Path, tmp_path: Path) -> Path:
    """The folder in which Claude Code keeps the project's sessions."""
    name = "".join(letter if letter.isalnum() else "-" for letter in str(project))
    folder = tmp_path / ".claude" / "projects" / name
    folder.mkdir(parents=True)
    return folder
