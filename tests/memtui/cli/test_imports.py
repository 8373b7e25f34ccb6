"""A command imports what it uses and nothing else: told by names of modules, not by time."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from store.agents.registry import NAMES

_ROOT = Path(__file__).parents[3]
_PROGRAM = """
import sys
from memtui.cli.main import run
commands = [words.split() for words in sys.argv[1:]]
print("CODES", *{run(words) for words in commands}, file=sys.stderr)
print("MODULES", *sys.modules, file=sys.stderr)
"""
_SCREENS = {"textual", "memtui.tui.app"}
"""What no command but those that open the app, and no hook, has a use for."""
_NOTHING_BUT_CLICK = {"pydantic", "tantivy", "orjson", "store.memory", "store.search", "rich"}
"""What explaining oneself has no use for either."""


def modules_of(*commands: str, folder: Path, given: str = "") -> set[str]:
    """The modules that are loaded after commands, which read `given`, in a fresh interpreter."""
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM, *commands],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(_ROOT)},
        input=given,
        capture_output=True,
        text=True,
        check=True,
    )
    lines = done.stderr.splitlines()
    assert "CODES 0" in lines
    (modules,) = (line for line in lines if line.startswith("MODULES "))
    return set(modules.split()[1:])


def test_help_needs_click_alone(tmp_path: Path) -> None:
    loaded = modules_of("--help", "completion bash", folder=tmp_path)
    assert "click" in loaded
    assert loaded & (_SCREENS | _NOTHING_BUT_CLICK) == set()


def test_a_reading_command_loads_no_screen(indexed: Path) -> None:
    assert modules_of("search lock", "stats", folder=indexed) & _SCREENS == set()


@pytest.mark.parametrize("hook", ["user-prompt", "post-tool-use"])
def test_a_hook_loads_no_command_and_no_other_client(hook: str, indexed: Path) -> None:
    about = {"session_id": "s", "cwd": str(indexed), "prompt": "the lock of the manifest"}
    words = f"hook {hook} --channel claude-code"
    loaded = modules_of(words, folder=indexed, given=json.dumps(about))
    clients = {f"store.agents.{name.replace('-', '_')}" for name in NAMES}
    assert loaded & clients == {"store.agents.claude_code"}
    assert loaded & (_SCREENS | {"click", "rich", "store.capture.plan", "store.doctor"}) == set()


_WITHOUT_EXTRAS = """
import sys
from importlib.abc import MetaPathFinder

class Missing(MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name.partition(".")[0] in {"anyio", "prometheus_client", "psycopg", "starlette"}:
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Missing())
from memtui.cli.commands import COMMANDS, cli
for name in COMMANDS:
    cli.get_command(None, name)
"""


def test_no_command_needs_a_package_of_an_extra_to_load() -> None:
    subprocess.run([sys.executable, "-c", _WITHOUT_EXTRAS], check=True, cwd=_ROOT)
