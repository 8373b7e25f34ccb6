"""What a hook is told at each moment, also of a vault or a silent database."""

from __future__ import annotations

import json
import signal
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from time import monotonic
from typing import Any

import pytest

from memtui.hooks import deadline as deadlines
from memtui.hooks import run
from memtui.hooks.call import DUTIES, HookInput, parse_input
from memtui.hooks.deadline import DeadlinePassed, deadline
from memtui.hooks.recall import BUDGET
from memtui.hooks.run import run_hook
from store import open_memory
from store.backends.location import FOLDER
from store.recall.service import Recalls
from store.text.tokens import Family, counter_for
from tests.store.backends.vault.vaults import FILES, make_vault
from tests.store.factories import observation

MONEY = "Amounts in billing/money.py are integer cents; a float lost a cent on every refund."
FIX = (
    "TypeError: unsupported operand types for plus, int and str, in the invoice total. "
    "Fixed by parsing the rate with Decimal in billing/rates.py."
)
PALETTE = "The palette of the dashboard follows the terminal's theme."
FAILURE = (
    "Traceback (most recent call last):\nTypeError: unsupported operand types for plus: int and str"
)


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A project whose memory holds a decision, an error with its fix, and something pinned."""
    root = tmp_path / "shop"
    (root / ".git").mkdir(parents=True)
    with open_memory(root / FOLDER) as memory:
        memory.store(
            [
                observation(MONEY, category="decision"),
                observation(FIX, category="error"),
                observation(PALETTE, category="decision", pinned=True),
            ]
        )
    return root


def tell(shop: Path, name: str, client: str = "claude-code", **fields: Any) -> str:  # noqa: ANN401
    """What a hook puts in front of session `s`."""
    event = {"pre-tool-use": "PreToolUse", "post-tool-use": "PostToolUseFailure"}[name]
    given = {"session_id": "s", "cwd": str(shop), "hook_event_name": event, **fields}
    parsed = parse_input(json.dumps(given))
    assert parsed is not None
    printed = run_hook(name, parsed, client, {}, shop.parent)
    if not printed:
        return ""
    (said,) = json.loads(printed).values()
    assert said["hookEventName"] == given["hook_event_name"]
    return str(said["additionalContext"])


def edit(shop: Path, file: str, **fields: Any) -> str:  # noqa: ANN401
    path = {"file_path": str(shop / file)}
    return tell(shop, "pre-tool-use", tool_name="Edit", tool_input=path, **fields)


def test_before_an_edit_memories_of_its_file_are_injected_once(shop: Path) -> None:
    text = edit(shop, "billing/money.py")
    assert MONEY in text
    assert counter_for(Family.CLAUDE).count(text) <= BUDGET
    assert edit(shop, "billing/money.py") == ""
    assert edit(shop, "billing/money.py", session_id="another")


def test_after_a_failure_the_fix_of_the_same_error_is_told_once(shop: Path) -> None:
    told = tell(shop, "post-tool-use", tool_name="Bash", error=FAILURE)
    assert FIX in told
    assert PALETTE not in told
    assert tell(shop, "post-tool-use", tool_name="Bash", error=FAILURE) == ""


def test_in_cursor_the_fix_is_told_as_it_takes_it_and_by_its_own_hook_alone(shop: Path) -> None:
    given = parse_input(
        json.dumps(
            {
                "conversation_id": "c",
                "cursor_version": "3.20.17",
                "hook_event_name": "postToolUse",
                "workspace_roots": [str(shop)],
                "tool_name": "Shell",
                "tool_output": json.dumps({"exitCode": 1, "stdout": FAILURE}),
            }
        )
    )
    assert given is not None
    assert run_hook("post-tool-use", given, "claude-code", {}, shop.parent) == ""
    said = json.loads(run_hook("post-tool-use", given, "cursor", {}, shop.parent))
    assert list(said) == ["additional_context"]
    assert FIX in said["additional_context"]
    start = given._replace(session_id="d", fields={}, event="SessionStart")
    environ = {"CURSOR_VERSION": "3.20.17"}
    assert run_hook("session-start", start, "claude-code", environ, shop.parent) == ""
    assert PALETTE in run_hook("session-start", start, "cursor", environ, shop.parent)


def test_what_the_session_itself_taught_is_not_told_to_it(shop: Path) -> None:
    with open_memory(shop / FOLDER) as memory:
        memory.store([observation("web/page.ts renders totals twice", session_id="s")])
    assert edit(shop, "web/page.ts") == ""
    assert edit(shop, "web/page.ts", session_id="later")


@pytest.mark.parametrize("setting", ["recall_before_edit", "recall_after_failure"])
def test_each_moment_can_be_switched_off(shop: Path, setting: str) -> None:
    (shop / ".agentx" / "memtui.toml").write_text(f"{setting} = false\n")
    before = edit(shop, "billing/money.py")
    after = tell(shop, "post-tool-use", tool_name="Bash", error=FAILURE)
    assert bool(before) == (setting != "recall_before_edit")
    assert bool(after) == (setting != "recall_after_failure")


def test_a_broken_memory_stops_no_edit(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("broken")

    monkeypatch.setattr(Recalls, "plan", broken)
    assert edit(shop, "billing/money.py") == ""


# A vault that is due is compacted by the hooks that capture.


@pytest.mark.parametrize(("minutes", "compacted"), [("0", False), ("10", True)])
def test_a_session_that_ends_compacts_a_vault_that_is_due(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, minutes: str, compacted: bool
) -> None:
    vault = make_vault(tmp_path / ".memory", {**FILES, "old.md.bak": "older\n"})
    monkeypatch.setenv("MEMTUI_AUTO_COMPACT", minutes)
    given = HookInput(session_id="s", folder=str(tmp_path), last_words="Done.")
    run_hook("session-end", given, "claude-code", {"MEMTUI_DIR": str(vault)}, tmp_path)
    assert (vault / ".vault/compact-log.json").exists() is compacted
    assert (vault / "old.md.bak").exists() is not compacted


# deadline


def test_work_that_takes_too_long_is_ended() -> None:
    before = signal.getsignal(signal.SIGALRM)
    with pytest.raises(DeadlinePassed, match=r"0\.01 seconds"), deadline(0.01):
        threading.Event().wait(5)
    assert signal.getsignal(signal.SIGALRM) is before


def test_other_threads_have_no_deadline() -> None:
    ended: list[bool] = []

    def work() -> None:
        with deadline(0.001):
            threading.Event().wait(0.02)
        ended.append(True)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert ended == [True]


def test_a_deadline_that_is_let_go_of_passes_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deadlines, "_AGAIN", 0.01)
    swallowed: list[bool] = []
    with pytest.raises(DeadlinePassed), deadline(0.01):
        try:
            threading.Event().wait(5)
        except DeadlinePassed:
            swallowed.append(True)
        threading.Event().wait(5)
    assert swallowed == [True]
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


# A database that accepts a connection and says nothing: one deadline for all that a hook does.


@pytest.fixture
def silent() -> Iterator[str]:
    """The URL of a server that takes connections, and never answers."""
    pytest.importorskip("psycopg")
    with socket.create_server(("127.0.0.1", 0), backlog=50) as server:
        yield f"postgresql://127.0.0.1:{server.getsockname()[1]}/memory"


@pytest.mark.parametrize("name", ["session-start", "user-prompt", "pre-tool-use", "stop"])
def test_a_hook_ends_in_time(
    silent: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "DUTIES", {name: DUTIES[name]._replace(seconds=1.0)})
    given = HookInput(session_id="s-1", folder=str(tmp_path), prompt="Why is the lock slow?")
    began = monotonic()
    text = run_hook(name, given, "claude-code", {"MEMTUI_DIR": silent}, tmp_path)
    assert text == ""
    assert monotonic() - began < 1.5
