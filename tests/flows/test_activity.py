"""Activity: what happened, as it happens; a past injection again; how capture is doing."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from memtui.screens.activity import ActivityScreen, HappeningList
from tests.flows.stage import NARROW, NORMAL, NOW, app_on, press, pressing, settled
from tests.flows.stories import eventful, failing, happened

Compare = Callable[..., bool]
pytestmark = pytest.mark.usefixtures("still")
SIZES = pytest.mark.parametrize("size", [NARROW, NORMAL], ids=["80x24", "120x36"])


@SIZES
def test_activity(
    snap_compare: Compare, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int]
) -> None:
    app = app_on(eventful(tmp_path, monkeypatch))
    assert snap_compare(app, terminal_size=size, run_before=pressing("A"))


@SIZES
def test_injection_replayed(
    snap_compare: Compare, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int]
) -> None:
    app = app_on(eventful(tmp_path, monkeypatch))
    assert snap_compare(app, terminal_size=size, run_before=pressing("A", "enter"))


def test_details_of_an_operation(
    snap_compare: Compare, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = app_on(eventful(tmp_path, monkeypatch))
    assert snap_compare(app, terminal_size=NORMAL, run_before=pressing("A", "G", "k"))


@SIZES
def test_hooks_failing(
    snap_compare: Compare, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int]
) -> None:
    app = app_on(failing(tmp_path, monkeypatch))
    assert snap_compare(app, terminal_size=size, run_before=pressing("A"))


@SIZES
def test_nothing_happened(snap_compare: Compare, nothing: Path, size: tuple[int, int]) -> None:
    assert snap_compare(app_on(nothing), terminal_size=size, run_before=pressing("A"))
