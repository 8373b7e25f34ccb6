"""Sessions are replayed through the hooks, and what is told is counted by moment."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bench.replay import EDIT, MOMENTS, PROMPT, START, main
from tests.store.capture.transcripts import ClaudeCode

RULE = "Always keep the lock file beside the manifest: both are renamed at once."
WHY = "Decided to keep the lock file beside the manifest, as both are renamed."


def test_what_is_told_is_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for number in range(2):
        made = ClaudeCode(session=f"s-{number}")
        made.user(f"Mend the lock file of the manifest. {RULE}").agent(WHY)
        made.edit("store/lock.py")
        (tmp_path / f"{number}.jsonl").write_text("\n".join(made.lines))
    main([str(tmp_path)])
    counted = capsys.readouterr().out.splitlines()
    assert counted[0].startswith("2 sessions, ")
    rows = {line.split("asked")[0].strip(): line for line in counted[1:]}
    assert list(rows) == list(MOMENTS.values())
    for hook in (START, PROMPT, EDIT):
        assert "asked     2" in rows[MOMENTS[hook]]
    assert "answered     1" in rows[MOMENTS[START]]
    assert "new to the session 100.0%" in rows[MOMENTS[START]]
