"""Running an editor: what it may do to itself, to its file and to the terminal."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import pytest
from textual.app import App
from textual.drivers.headless_driver import HeadlessDriver

from memtui.editing.editor import NoEditor, check_ended, run_editor
from memtui.tui.editing.controller import terminal_editor
from store.errors import StoreError


def test_how_an_editor_ended_is_said() -> None:
    check_ended(0)
    for code, said in (
        (3, "The editor exited with code 3. Nothing changed."),
        (-signal.SIGSEGV, "The editor was stopped by SIGSEGV. Nothing changed."),
        (-99, "The editor was stopped by signal 99. Nothing changed."),
    ):
        with pytest.raises(StoreError, match=said):
            check_ended(code)


@pytest.mark.skipif(os.name != "posix", reason="signals are sent otherwise elsewhere")
def test_an_interrupt_is_the_editors_own(tmp_path: Path) -> None:
    program = "import os, signal, sys; os.kill(os.getppid(), signal.SIGINT); sys.exit(4)"
    before = signal.getsignal(signal.SIGINT)
    assert run_editor([sys.executable, "-c", program], tmp_path) == 4
    assert signal.getsignal(signal.SIGINT) is before


async def test_the_app_comes_back_from_an_editor_that_cannot_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[str] = []
    monkeypatch.setattr(HeadlessDriver, "can_suspend", True)
    for step in ("suspend", "resume"):
        note = lambda _, step=step: steps.append(step)  # noqa: E731
        monkeypatch.setattr(HeadlessDriver, f"{step}_application_mode", note)
    app = App[None]()
    async with app.run_test():
        with pytest.raises(NoEditor, match="Can't start"):
            terminal_editor(app)([str(tmp_path / "nowhere")], tmp_path)
        assert steps == ["suspend", "resume"]
