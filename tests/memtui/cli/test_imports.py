"""A command imports what it uses and nothing else: told by names of modules, not by time."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from store.agents.registry import NAMES
from store.settings.files import user_file
from tests.store.capture.transcripts import ClaudeCode

_ROOT = Path(__file__).parents[3]
_PROGRAM = """
import sys
from memtui.cli.main import run
code = run(sys.argv[1:])
print("CODE", code, file=sys.stderr)
print("MODULES", *sys.modules, file=sys.stderr)
"""
_NEVER = {
    "textual", "rich.console", "rich.text", "rapidfuzz", "asyncio",
    "click.shell_completion", "store.validation.prepare", "store.capture",
    "store.recall.plan",
    "store.compaction.compact", "store.doctor", "store.redaction.sanitizer", "memtui.tui.app",
}  # fmt: skip
"""What reading from memory has no use for."""
_NOTHING_BUT_CLICK = {"pydantic", "tantivy", "orjson", "store.memory", "store.search", "rich"}
"""What explaining oneself has no use for either."""
CLIENT = "store.agents.claude_code"
_NEVER_AT_A_HOOK = {
    "textual", "rich", "click", "rapidfuzz", "asyncio", "pydantic", "shutil",
    "splintr", "ctok", "_hashlib", "memtui.settings.schema", "store.backends.files.issue_reader",
    "store.search.update", "store.backends.vault", "store.capture.plan", "store.compaction",
    "store.doctor", "store.exchange", "store.events.change", "store.operations.journal",
    "store.redaction.sanitizer", "random",
}  # fmt: skip
"""What a client would wait for in vain: each takes a millisecond or more."""
_MOST_AT_A_HOOK = 190
"""Modules of ours that a hook may load, at about 0.2 ms each; today the most are 188."""


def modules_of(*arguments: str, folder: Path, given: str = "") -> set[str]:
    """The modules that are loaded after a command read `given` in a fresh interpreter."""
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM, *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(_ROOT)},
        input=given,
        capture_output=True,
        text=True,
        check=True,
    )
    lines = done.stderr.splitlines()
    assert "CODE 0" in lines
    (modules,) = (line for line in lines if line.startswith("MODULES "))
    return set(modules.split()[1:])


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["search", "--help"]])
def test_help_needs_click_alone(arguments: list[str], tmp_path: Path) -> None:
    loaded = modules_of(*arguments, folder=tmp_path)
    assert "click" in loaded
    assert loaded & (_NEVER | _NOTHING_BUT_CLICK) == set()


@pytest.mark.parametrize(
    ("arguments", "own"),
    [
        (["search", "lock"], "search"),
        (["search", "lock", "--json"], "search"),
        (["show", "aaaa01"], "show"),
        (["list", "--json"], "list"),
        (["stats"], "stats"),
    ],
)
def test_a_reading_command_loads_only_what_it_uses(
    arguments: list[str], own: str, indexed: Path
) -> None:
    loaded = modules_of(*arguments, folder=indexed)
    assert loaded & _NEVER == set()
    commands = {"search", "show", "list", "stats", "add", "demo", "completion"}
    assert {name for name in commands if f"memtui.cli.{name}" in loaded} == {own}


def test_a_capture_loads_the_reader_of_its_format_alone(project: Path) -> None:
    made = ClaudeCode()
    made.agent("Decided to keep the lock file beside the manifest, as both are renamed.")
    (project / "session.jsonl").write_text("\n".join(made.lines), encoding="utf-8")
    loaded = modules_of("capture", "session.jsonl", "--dry-run", folder=project)
    readers = {f"store.agents.{name.replace('-', '_')}" for name in NAMES}
    assert readers & loaded == {"store.agents.claude_code"}
    assert loaded & {"store.validation.prepare", "pydantic"} == set()


@pytest.mark.parametrize("hook", ["session-start", "user-prompt", "pre-tool-use", "post-tool-use"])
def test_a_hook_loads_what_tells_and_nothing_that_writes(hook: str, indexed: Path) -> None:
    """A client waits for it: no other client, no reader of files, nothing that changes memory; the
    name of an issue's branch is no secret, and takes no rules to tell.
    """
    (indexed / ".git").mkdir()
    (indexed / ".git" / "HEAD").write_text("ref: refs/heads/feature/29-lock-timeout\n")
    about = {"session_id": "s", "cwd": str(indexed), "prompt": "the lock of the manifest"}
    tool = {"tool_input": {"file_path": "src/store/lock.py"}, "error": "Error: the manifest lock"}
    event = {"hook_event_name": "PostToolUseFailure"} if hook == "post-tool-use" else {}
    loaded = modules_of(
        "hook", hook, "--channel", "claude-code", folder=indexed,
        given=json.dumps(about | tool | event),
    )  # fmt: skip
    others = {f"store.agents.{name.replace('-', '_')}" for name in NAMES} - {CLIENT}
    assert CLIENT in loaded
    assert loaded & (_NEVER_AT_A_HOOK | others) == set()
    ours = [name for name in loaded if name.partition(".")[0] in {"store", "memtui"}]
    assert len(ours) <= _MOST_AT_A_HOOK


_CHOSEN = """
theme = "nord"
auto_archive = true
recall_hint = false
max_tokens = 8_000
compaction_min_age_days = 2.5
editor = "vi"
keymap = { archive = "f8,ctrl+d" }
client_tokens = { gemini-cli = 8000 }
capacities = { episodic = 50 }
recall_weights = { recency = 0.5, doubt = -1 }
"""


def test_a_choice_that_is_right_loads_nothing_to_check_it(indexed: Path) -> None:
    user_file().parent.mkdir(parents=True, exist_ok=True)
    user_file().write_text(_CHOSEN)
    for command in (["search", "lock"], ["hook", "session-start", "--channel", "claude-code"]):
        loaded = modules_of(*command, folder=indexed, given="{}")
        assert "store.settings.toml_lines" in loaded
        assert loaded & {"pydantic", "annotated_types", "tomlkit", "textual"} == set()


@pytest.mark.parametrize(
    ("arguments", "used"),
    [
        (["add", "The lock is renamed.", "--agent", "engineer"], "memtui.cli.add"),
        (["capture", "session.jsonl"], "store.capture.plan"),
        (["pin", "aaaa01", "--yes"], "memtui.cli.tag"),
    ],
)
def test_what_is_stored_is_checked_and_locked_without_a_library(
    arguments: list[str], used: str, project: Path
) -> None:
    made = ClaudeCode().user("Always keep the lock file beside the manifest.")
    (project / "session.jsonl").write_text("\n".join(made.lines), encoding="utf-8")
    loaded = modules_of(*arguments, folder=project)
    assert {used, "store.validation.rules", "store.disk.lock"} <= loaded
    assert loaded & {"pydantic", "pydantic_core", "filelock", "textual"} == set()
    if arguments[0] == "capture":
        assert loaded & {"store.recall.values", "store.text.tokens"} == set()
