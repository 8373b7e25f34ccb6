"""How searches and injections went, by the log and in this run, and what a screen says of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from store import Memory
from tests.store.exchange.keys import made_up_key
from tests.store.factories import Clock, logged, make_memory, observation


@pytest.fixture
def memory(tmp_path: Path, clock: Clock) -> Memory:
    memory = make_memory(tmp_path, clock)
    memory.store([observation("The lock waits."), observation("It ends.", archived=True)])
    return memory


def test_what_could_not_be_done_is_logged_for_its_session_and_without_secrets(
    memory: Memory,
) -> None:
    secret = made_up_key()
    memory.record_failure("capture-failed", f"No room at {secret}.", "s")
    memory.record_failure("hook stop", "No room.")
    memory._store.recorder.problem("not-settled", f"It lags: {secret}", took=12.345)
    failed, other, warned = logged(memory.path)[-3:]
    assert (failed["type"], failed["kind"], failed["sessionId"]) == (
        "failed",
        "capture-failed",
        "s",
    )
    assert failed["message"].startswith("No room at [redacted")
    assert "sessionId" not in other
    assert (warned["type"], warned["kind"], warned["tookMs"]) == ("warning", "not-settled", 12.3)
    assert secret not in (memory.path / "activity.jsonl").read_text()
    assert memory.activity().capture.message == "No room."
