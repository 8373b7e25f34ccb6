"""The folder of an index: whose it is, when it is damaged, and what is cleared of it."""

from __future__ import annotations

import errno
import stat
from pathlib import Path

import pytest

from store.errors import StoreError
from store.search import folder as folder_module
from store.search.folder import (
    GATE,
    SEEN,
    beside_index,
    clear,
    guarded,
    held,
    index_name,
    leave,
    make_files_private,
)
from store.search.schema import VERSION
from tests.store.factories import make_store
from tests.store.search.test_trouble import PanicException


@pytest.mark.parametrize(
    ("error", "is_none"),
    [
        (ValueError("it failed"), True),
        (OSError(errno.EIO, "Input/output error"), True),
        (KeyError("a mistake of ours"), True),
        (PanicException("index out of bounds"), True),
        (KeyboardInterrupt(), False),
        (SystemExit(), False),
    ],
)
def test_what_fails_while_an_index_is_opened_is_damage(error: BaseException, is_none: bool) -> None:
    def make() -> object:
        raise error

    if is_none:
        assert guarded(make) is None  # type: ignore[arg-type]
        return
    with pytest.raises(type(error)):
        guarded(make)  # type: ignore[arg-type]


def test_an_index_is_named_by_its_memory_and_version() -> None:
    name = index_name("/home/me/project/.agentx/memory")
    assert name == f"{name[:16]}-v{VERSION}"
    assert int(name[:16], 16) > 0
    assert index_name("/home/me/other/.agentx/memory") != name
    assert index_name("\udcff") != index_name("\udcfe")


def test_what_lies_beside_an_index_is_its_users_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    store = make_store(tmp_path)
    found = beside_index(store.folder, ".log")
    assert found == tmp_path / "cache" / "memtui" / f"{index_name(store.identity)}.log"
    assert stat.S_IMODE(found.parent.stat().st_mode) == 0o700


@pytest.mark.parametrize("mode", [0o600, 0o601, 0o610, 0o644, 0o666, 0o640, 0o400, 0o700])
def test_files_of_an_index_are_taken_from_everyone_else(tmp_path: Path, mode: int) -> None:
    (tmp_path / "a").touch()
    (tmp_path / "a").chmod(mode)
    (tmp_path / "folder").mkdir(mode=0o755)
    (tmp_path / "link").symlink_to(tmp_path / "folder")
    make_files_private(tmp_path)
    found = stat.S_IMODE((tmp_path / "a").stat().st_mode)
    assert found == (0o600 if mode & 0o077 else mode)
    assert stat.S_IMODE((tmp_path / "folder").stat().st_mode) == 0o755


def test_the_lock_of_an_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with held(None, 0) as free:
        assert free
    with held(tmp_path, 0) as free:
        assert free
        with held(tmp_path, 0) as second:
            assert not second
        with held(tmp_path, 0) as third:
            assert not third, "the second did not let go of the first's"
    with held(tmp_path, 0) as free:
        assert free

    def refuse(*_: object) -> int:
        raise OSError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(folder_module, "lock", refuse)
    with held(tmp_path, 0, optional=True) as free:
        assert not free
    with (
        pytest.raises(StoreError, match=r"^The index can't be written: Permission denied\.$"),
        held(tmp_path, 0),
    ):
        pass


def _fill(place: Path) -> None:
    (place / "meta.json").write_text("{}")
    (place / "deep" / "er").mkdir(parents=True)
    (place / "deep" / "er" / "a").touch()
    (place / GATE).touch()


def test_all_is_cleared_but_the_lock(tmp_path: Path) -> None:
    _fill(tmp_path)
    clear(tmp_path)
    assert [it.name for it in tmp_path.iterdir()] == [GATE]


def test_room_is_given_back_where_nothing_was_committed_and_nobody_is_at_it(
    tmp_path: Path,
) -> None:
    def names() -> set[str]:
        return {it.name for it in tmp_path.iterdir()}

    _fill(tmp_path)
    with held(tmp_path, 0):
        leave(tmp_path)
    assert names() == {"meta.json", "deep", GATE}, "another program is building it"
    (tmp_path / SEEN).touch()
    leave(tmp_path)
    assert names() == {"meta.json", "deep", GATE, SEEN}
    (tmp_path / SEEN).unlink()
    leave(tmp_path)
    assert names() == {GATE}
    leave(tmp_path / "gone")
