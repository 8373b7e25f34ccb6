"""`memtui status --short`: the line that it printed last, for as long as it holds."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from memtui.cli import status_line
from store.platform.home import user_folder
from tests.memtui.cli.conftest import Run

SIX = "6 memories · 0 new · next claude-code session "


@pytest.fixture
def made(project: Path, monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Collects each time that the line was made anew."""
    made: list[object] = []
    keep = status_line.keep_line

    def counted(*made_of: Any) -> None:  # noqa: ANN401
        made.append(made_of)
        keep(*made_of)

    monkeypatch.setattr("memtui.cli.status.keep_line", counted)
    return made


def test_a_line_is_made_once_until_memory_changes(memtui: Run, made: list[object]) -> None:
    lines = {memtui("status", "--short").out for _ in range(3)}
    assert len(made) == 1
    [line] = lines
    assert line.startswith(SIX)
    memtui("add", "Locks are held by the kernel.")
    assert memtui("status", "--short").out.startswith("7 memories · 1 new")


def test_a_line_is_made_anew_after_five_minutes(
    memtui: Run, made: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    memtui("status", "--short")
    now = time.time()
    for seconds, times in ((290, 1), (310, 2)):
        monkeypatch.setattr(time, "time", lambda after=seconds: now + after)
        memtui("status", "--short")
        assert len(made) == times


def test_a_line_is_of_the_place_and_the_settings_it_was_made_with(
    memtui: Run, made: list[object], project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memtui("status", "--short")
    monkeypatch.setenv("MEMTUI_MAX_TOKENS", "10")
    assert memtui("status", "--short").out.startswith(SIX)
    monkeypatch.delenv("MEMTUI_MAX_TOKENS")
    monkeypatch.chdir(tmp_path)
    assert memtui("status", "--short").out == ""
    memtui("status", "--short", "--dir", str(project))
    assert memtui("status", "--short").out == ""
    assert len(made) == 2


def test_what_no_line_can_be_read_from_is_passed_over(memtui: Run, made: list[object]) -> None:
    memtui("status", "--short")
    for kept in user_folder("cache").joinpath("status").iterdir():
        kept.write_bytes(b"\xff\0\0")
    assert memtui("status", "--short").out.startswith(SIX)
    assert len(made) == 2
