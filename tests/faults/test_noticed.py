"""Mistakes that nothing noticed once: a sync left out, a lock taken away, a hook that waits."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from store.platform.write import remove_file


def test_the_absence_of_a_removed_file_is_made_durable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[Path] = []
    monkeypatch.setattr("store.platform.write.sync_folder", synced.append)
    (tmp_path / "file").touch()
    remove_file(tmp_path / "file", tmp_path)
    assert synced == [tmp_path]


def test_a_hook_waits_for_its_input_no_longer_than_it_may(tmp_path: Path) -> None:
    hook = subprocess.Popen(
        [sys.executable, "-m", "memtui", "hook", "session-start"],
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
    )
    try:
        assert hook.wait(timeout=30) == 0
    finally:
        hook.kill()
        hook.communicate()
