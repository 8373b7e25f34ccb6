"""The app starts with what its first screen uses: told by names of modules, not by time."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import UTC, datetime
from inspect import getfile, signature
from pathlib import Path

import pytest
from textual.screen import Screen

from memtui.startup import project_title
from memtui.tui.frame import routes
from memtui.tui.frame.route import Route, screen_class
from store import Observation, open_memory

_ROOT = Path(__file__).parents[2]
_PROGRAM = """
import asyncio, sys
from contextlib import suppress
from pathlib import Path
from textual.worker import WorkerError
import memtui.cli.main
import memtui.startup
from memtui.tui.app import MemtuiApp

print(*sys.modules)

async def look():
    app = MemtuiApp(Path(sys.argv[1]), refresh_every=0)  # looks again on a busy machine
    async with app.run_test() as pilot:
        while not any(rows.row_count for rows in app.screen.query("ResultList")):
            await pilot.pause()
        while len(app.workers):
            with suppress(WorkerError):  # one that a newer one replaced
                await app.workers.wait_for_complete()
            await pilot.pause()
        print(*sys.modules)
    app.close_memory()

asyncio.run(look())
"""
_ROUTES = [
    each
    for each in vars(routes).values()
    if isinstance(each, type) and issubclass(each, Route) and each is not Route
]
_LATER = {
    *(f"memtui.tui.{route.screen.partition(':')[0]}" for route in _ROUTES),
    "memtui.tui.editing.controller",
    "memtui.editing.editor", "memtui.editing.text",
    "click", "memtui.cli.commands", "memtui.cli.output",
    "markdown_it", "textual.widgets._markdown", "textual.widgets._text_area",
    "pydantic", "rapidfuzz", "splintr", "ctok",
    "store.capture.plan", "store.compaction.compact",
    "store.doctor", "ctypes",
}  # fmt: skip
"""What looking at results has no use for."""
_AFTER_THE_FIRST_FRAME = {
    "tantivy", "orjson", "store.memory", "store.platform.write", "store.agents",
    "store.records",
    "store.settings.files", "store.recall",
    "store.operations", "memtui.tui.injection.forecast",
}  # fmt: skip
"""What an empty screen has no use for either."""


@pytest.fixture
def loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[set[str], set[str]]:
    """The modules that are there when the app starts, and when its first results are."""
    folder = tmp_path / "project" / ".agentx" / "memory"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    with open_memory(folder) as memory:
        memory.store(
            [
                Observation(
                    agent="engineer",
                    issue_number=29,
                    category="decision",
                    content="Chose files.",
                    timestamp=datetime(2026, 3, 1, tzinfo=UTC),
                )
            ]
        )
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM, str(folder)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(_ROOT), "XDG_CONFIG_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    start, results = (set(line.split()) for line in done.stdout.splitlines())
    return start, results


def test_the_app_loads_only_what_it_shows(loaded: tuple[set[str], set[str]]) -> None:
    start, results = loaded
    assert "memtui.tui.browse.screen" in start
    assert start & (_LATER | _AFTER_THE_FIRST_FRAME) == set()
    assert "store.memory" in results
    assert results & _LATER == set()


@pytest.mark.parametrize("route", _ROUTES, ids=lambda route: route.__name__)
def test_a_route_names_a_screen_that_takes_it(route: type[Route[object]]) -> None:
    screen = screen_class(route)
    assert issubclass(screen, Screen)
    (_self, *given) = signature(screen.__init__).parameters.values()
    annotations = [parameter.annotation.partition("[")[0] for parameter in given]
    assert annotations == ["Context", f"routes.{route.__name__}"]
    folder = Path(getfile(screen)).parent
    sheets = [screen.CSS_PATH] if isinstance(screen.CSS_PATH, str) else screen.CSS_PATH or []
    assert isinstance(sheets, list)
    assert all((folder / sheet).is_file() for sheet in sheets)


@pytest.mark.parametrize("name", [".agentx/memory", ".memory"])
def test_the_title_names_the_project_that_a_memory_lies_in(tmp_path: Path, name: str) -> None:
    (tmp_path / "shop" / ".git").mkdir(parents=True)
    (tmp_path / "shop" / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    assert project_title(tmp_path / "shop" / name) == "shop · main"
    assert project_title(tmp_path / "notes").endswith("notes")
