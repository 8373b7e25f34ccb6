"""Whose a written file or folder is, and what is said where the disk does not confirm it."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from memtui.words.notices import sentence
from store.errors import StoreError, WriteFailed
from store.notice import quoted
from store.platform.write import make_private, replace_derived, replace_durably, replace_several
from tests.store.factories import make_memory


def mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


@pytest.mark.parametrize("replace", [replace_derived, replace_durably])
def test_what_is_new_is_its_users_alone_and_what_is_replaced_stays_as_open_as_it_was(
    tmp_path: Path, replace: Callable[[Path, bytes, Path], None]
) -> None:
    new, old = tmp_path / "new", tmp_path / "old"
    old.touch()
    for given in (0o600, 0o644, 0o666):
        old.chmod(given)
        replace(old, b"text", tmp_path)
        assert (mode(old), old.read_bytes()) == (given, b"text")
    replace(new, b"text", tmp_path)
    assert mode(new) == 0o600


@pytest.mark.parametrize("before", [None, 0o700, 0o500, 0o750, 0o755, 0o770, 0o777, 0o701])
def test_a_private_folder_is_its_users_alone(tmp_path: Path, before: int | None) -> None:
    folder = tmp_path / "above" / "cache" / "memory"
    if before is not None:
        folder.mkdir(parents=True)
        folder.chmod(before)
    make_private(folder)
    make_private(folder)
    assert mode(folder) == (0o500 if before == 0o500 else 0o700)
    if before is None:
        assert [mode(place) for place in list(folder.parents)[:2]] == [0o700, 0o700]


@pytest.mark.parametrize("whose", ["memory", "cache", "above"])
def test_a_folder_of_another_user_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, whose: str
) -> None:
    """Root may own the one above it, and whoever it is those above that."""
    folder = tmp_path / "above" / "cache" / "memory"
    folder.mkdir(parents=True)
    look = Path.stat
    owner = [54_321]

    def told(path: Path, *, follow_symlinks: bool = True) -> os.stat_result:
        info = look(path, follow_symlinks=follow_symlinks)
        own = owner[0] if path.name == whose else os.geteuid()
        return os.stat_result((*info[:4], own, *info[5:]))

    monkeypatch.setattr(Path, "stat", told)
    if whose == "above":
        make_private(folder)
        return
    with pytest.raises(StoreError, match=f"{whose} belongs to another user"):
        make_private(folder)
    monkeypatch.setattr(os, "geteuid", lambda: 1_000)
    owner[0] = 0
    if whose == "cache":
        make_private(folder)
    else:
        with pytest.raises(StoreError, match="memory belongs to another user"):
            make_private(folder)


@pytest.mark.parametrize("lost", ["first", "gone", "last"])
def test_of_several_files_none_is_changed_once_the_lock_is_lost(tmp_path: Path, lost: str) -> None:
    changes: dict[Path, bytes | None] = {
        tmp_path / "first": b"new", tmp_path / "gone": None, tmp_path / "last": b"new",
    }  # fmt: skip
    for path in changes:
        path.write_bytes(b"old")

    def check(path: Path) -> None:
        if path.name == lost:
            raise WriteFailed("the lock is gone")

    with pytest.raises(WriteFailed, match="the lock is gone"):
        replace_several(changes, tmp_path, check=check)
    done = [*changes][: [path.name for path in changes].index(lost)]
    for path, data in changes.items():
        held = path.read_bytes() if path.exists() else None
        assert held == (data if path in done else b"old")
    assert {path.name for path in tmp_path.iterdir()} <= {"first", "gone", "last"}


# A cache that another user owns is not used.


def test_cache_of_another_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    me = os.geteuid()
    make_private(tmp_path / "cache" / "index")
    monkeypatch.setattr(os, "geteuid", lambda: me + 1)
    with pytest.raises(StoreError, match="belongs to another user"):
        make_private(tmp_path / "cache" / "index")
    with make_memory(tmp_path) as memory:
        memory.path.mkdir(parents=True)
        assert memory.search("one").total == 0
        assert memory.index.index.folder is None
        assert "belongs to another user" in sentence(memory.search("one").notice or quoted(""))
