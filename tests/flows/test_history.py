"""History: the operations, each with its diff, and taking any of them back."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from itertools import count
from pathlib import Path

import pytest
from textual.pilot import Pilot

from memtui.app import MemtuiApp
from memtui.screens.history import HistoryScreen, OperationList
from store import MemoryPipeline, open_memory
from tests.flows.stage import NARROW, NORMAL, NOW, app_on, browse, press, pressing, settled
from tests.flows.stories import toasts, worked_on

Compare = Callable[..., bool]
pytestmark = pytest.mark.usefixtures("still")
SIZES = pytest.mark.parametrize("size", [NARROW, NORMAL], ids=["80x24", "120x36"])


@SIZES
def test_history(
    snap_compare: Compare, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int]
) -> None:
    app = app_on(worked_on(tmp_path, monkeypatch))
    assert snap_compare(app, terminal_size=size, run_before=pressing("H", "j"))


def test_diff_in_full(
    snap_compare: Compare, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = app_on(worked_on(tmp_path, monkeypatch))
    assert snap_compare(app, terminal_size=NORMAL, run_before=pressing("H", "j", "j", "enter"))


def test_no_history(snap_compare: Compare, nothing: Path) -> None:
    assert snap_compare(app_on(nothing), terminal_size=NORMAL, run_before=pressing("H"))
