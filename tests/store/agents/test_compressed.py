"""Sessions that Codex compressed: found, read, and the same session as before."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from store import open_memory
from store.agents.client import Home
from store.agents.compressed import open_session_file
from store.agents.discovery import open_session, session_files, session_id_of
from tests.store.agents.test_as_it_ended import codex_lines as rollout

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

DAY = ".codex/sessions/2026/11/10"


def _put(home: Path, *turns: str) -> Path:
    path = home / DAY / "rollout-2026-11-10T09-00-00-c.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(rollout(*turns)))
    return path


def _compress(path: Path) -> Path:
    packed = path.with_name(f"{path.name}.zst")
    packed.write_bytes(zstd.compress(path.read_bytes()))
    path.unlink()
    return packed


def test_a_compressed_session_is_found_and_read(tmp_path: Path) -> None:
    plain = _put(tmp_path, "Why does it stop?")
    content = plain.read_bytes().splitlines(keepends=True)
    packed = _compress(plain)
    (found,) = session_files(Home(tmp_path, {}), [Path("/work")])
    assert (found.path, found.folder) == (packed, "/work")
    assert session_id_of(packed) == "rollout-2026-11-10T09-00-00-c"
    with open_session(packed) as lines:
        assert list(lines) == content


def test_an_indexed_session_stays_the_same_one(tmp_path: Path) -> None:
    memory = open_memory(tmp_path / "memory", cache=tmp_path / "cache")
    home = Home(tmp_path, {})
    plain = _put(tmp_path, "Why does it stop?")
    memory.session_indexing.index(session_files(home))
    _compress(plain)
    (row,) = memory.sessions.listing(session_files(home))
    assert row.id == "c"
    memory.session_indexing.index(session_files(home))
    (row,) = memory.sessions.listing(session_files(home))
    assert (row.id, row.file) == ("c", None)


@pytest.mark.parametrize("damage", [b"", b"no zstd at all", None])
def test_damaged(tmp_path: Path, damage: bytes | None) -> None:
    packed = _compress(_put(tmp_path, "Why does it stop?"))
    packed.write_bytes(packed.read_bytes()[:-9] if damage is None else damage)
    with pytest.raises(OSError, match="damaged"), open_session_file(packed) as lines:
        assert lines.read()
