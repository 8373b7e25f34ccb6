"""The kernel's lock on a file."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

import pytest

from store.platform.lock import lock, unlock
from tests.open_files import open_below

_NOW = 0.0
"""A time that has passed: who waits until then does not wait."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.lock"


def _held(path: Path) -> int:
    handle = lock(path, _NOW, 0.001)
    assert handle is not None
    return handle


def test_one_holds_it_at_a_time(path: Path) -> None:
    first = _held(path)
    assert path.stat().st_mode & 0o777 == 0o600
    opened = open_below(path.parent)
    assert lock(path, _NOW, 0.001) is None
    assert open_below(path.parent) == opened
    unlock(first)
    unlock(_held(path))


def test_who_waits_has_it_once_it_is_free(path: Path) -> None:
    first = _held(path)
    release = threading.Timer(0.005, unlock, [first])
    release.start()
    second = lock(path, time.monotonic() + 5, 0.001)
    release.join()
    assert second is not None
    unlock(second)


def test_it_is_free_though_a_fork_has_it_open(path: Path) -> None:
    first = _held(path)
    inherited = os.dup(first)
    unlock(first)
    unlock(_held(path))
    os.close(inherited)


def test_a_link_is_not_followed(path: Path, tmp_path: Path) -> None:
    path.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError, match=r"a\.lock"):
        lock(path, _NOW, 0.001)
    assert not (tmp_path / "elsewhere").exists()
