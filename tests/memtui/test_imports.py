"""A command, a hook and the app import what they use and nothing else: told by names of modules,
not by time.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from inspect import getfile, signature
from pathlib import Path

import pytest
from textual.screen import Screen

from memtui.tui.frame import routes
from memtui.tui.frame.route import Route, screen_class
from store import Observation, open_memory
from store.agents.registry import NAMES

_ROOT = Path(__file__).parents[2]
_COMMANDS = """
import sys
from importlib.abc import MetaPathFinder
class Missing(MetaPathFinder):  # packages of extras
    def find_spec(self, name, path, target=None):
        if name.partition(".")[0] in {"anyio", "prometheus_client", "psycopg", "starlette"}:
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Missing())
from memtui.cli.main import run
for words in sys.argv[1:]:
    print("CODE", run(words.split()), *sys.modules, file=sys.stderr)
if "click" in sys.modules:
    from memtui.cli.commands import COMMANDS, cli
    for name in COMMANDS:
        cli.get_command(None, name)
"""
"""Runs commands in turn, tells what is loaded after each, and loads them all in the end."""
_APP = """
import asyncio, sys
from contextlib import suppress
from pathlib import Path
from textual.worker import WorkerError
import memtui.cli.main
import memtui.startup
from memtui.tui.app import MemtuiApp

print("CODE", 0, *sys.modules, file=sys.stderr)

async def look():
    app = MemtuiApp(Path(sys.argv[1]), refresh_every=0)  # looks again on a busy machine
    async with app.run_test() as pilot:
        while not any(rows.row_count for rows in app.screen.query("ResultList")):
            await pilot.pause()
        while len(app.workers):
            with suppress(WorkerError):  # one that a newer one replaced
                await app.workers.wait_for_complete()
            await pilot.pause()
        print("CODE", 0, *sys.modules, file=sys.stderr)
    app.close_memory()

asyncio.run(look())
"""
_SCREENS = {"textual", "memtui.tui.app"}
"""What no command but those that open the app, and no hook, has a use for."""
_NOTHING_BUT_CLICK = {"pydantic", "tantivy", "orjson", "store.memory", "store.search", "rich"}
"""What explaining oneself has no use for either."""
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
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("CACHE", "CONFIG"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name))
    root = tmp_path / "project"
    with open_memory(root / ".agentx" / "memory") as memory:
        memory.store([Observation("engineer", 29, "decision", "Chose files for the lock.")])
        memory.index.refresh()
    return root


def loaded(program: str, *arguments: str, folder: Path, given: str = "") -> list[set[str]]:
    """The modules that are there each time that a program in a fresh interpreter tells."""
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(_ROOT)},
        input=given,
        capture_output=True,
        text=True,
        check=True,
    )
    lines = [line.split() for line in done.stderr.splitlines() if line.startswith("CODE ")]
    assert {line[1] for line in lines} == {"0"}
    return [set(line[2:]) for line in lines]


def test_help_needs_click_alone_and_reading_no_screen(project: Path) -> None:
    helped, read = loaded(_COMMANDS, "--help", "search lock", folder=project)
    assert "click" in helped
    assert helped & (_SCREENS | _NOTHING_BUT_CLICK) == set()
    assert "tantivy" in read and read & _SCREENS == set()


def test_a_hook_loads_no_command_and_no_other_client(project: Path) -> None:
    about = {"session_id": "s", "cwd": str(project), "prompt": "the lock of the manifest"}
    hooks = [f"hook {name} --channel claude-code" for name in ("user-prompt", "post-tool-use")]
    modules = loaded(_COMMANDS, *hooks, folder=project, given=json.dumps(about))[-1]
    clients = {f"store.agents.{name.replace('-', '_')}" for name in NAMES}
    assert modules & clients == {"store.agents.claude_code"}
    assert modules & (_SCREENS | {"click", "rich", "store.capture.plan", "store.doctor"}) == set()


def test_the_app_loads_only_what_it_shows(project: Path) -> None:
    start, results = loaded(_APP, str(project / ".agentx" / "memory"), folder=project)
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
