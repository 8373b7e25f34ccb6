"""A memory opened: where it is, with which settings, and whose clock and ids it has."""

from __future__ import annotations

from pathlib import Path

import pytest

from store import Memory, open_memory
from store.backends.files.backend import FilesBackend
from store.errors import Away
from store.opened_store import OpenedStore
from store.settings.schema import Settings
from tests.store.factories import NOW, Clock, Ids, observation


def test_it_is_opened_again_by_what_it_was_opened_by(tmp_path: Path) -> None:
    folder, cache = tmp_path / "notes", tmp_path / "cache"
    folder.mkdir()
    url = f"vault://{folder}"
    with Memory(url, cache=cache) as memory:
        assert (memory.location, memory.path, memory.is_vault) == (url, folder, True)
    with Memory(folder, cache=cache) as memory:
        assert (memory.location, memory.path, memory.is_vault) == (folder, folder, False)
    with Memory(FilesBackend(folder), cache=cache) as memory:
        assert (memory.location, memory.path, memory.is_vault) == (folder, folder, False)


def test_settings_of_a_program_stay_and_those_of_a_file_are_read_again(tmp_path: Path) -> None:
    place = tmp_path / ".agentx" / "memory"
    place.mkdir(parents=True)
    file = tmp_path / ".agentx" / "memtui.toml"
    file.write_text("max_tokens = 1234\n")
    with open_memory(place, cache=tmp_path / "cache") as memory:
        assert memory.settings.max_tokens == 1234
        assert memory.settings_sources["max_tokens"] != "default"
        file.write_text("max_tokens = 2345\nstale_archive_after_days = 'x'\n")
        assert memory.settings.max_tokens == 1234
        memory.reload_settings()
        assert memory.settings.max_tokens == 2345
        assert len(memory.settings_mistakes) == 1
    given = Settings(max_tokens=77)
    with open_memory(place, cache=tmp_path / "cache", settings=given) as memory:
        memory.reload_settings()
        assert memory.settings.max_tokens == 77
        assert memory.settings_mistakes == ()


def test_clock_and_ids_are_those_that_are_given(tmp_path: Path) -> None:
    clock, ids = Clock(), Ids("own")
    with open_memory(tmp_path / "m", cache=tmp_path / "c", clock=clock, new_id=ids) as memory:
        clock.pass_by(days=2)
        assert memory.store([observation()]) == ["own-1"]
        assert memory.get("own-1").timestamp == clock.now != NOW
        assert memory.history.operations()[0].timestamp == clock.now
    with open_memory(tmp_path / "m", cache=tmp_path / "c", clock=clock) as memory:
        (made,) = memory.store([observation("Another")])
        assert made.startswith("obs-engineer-29-")


def test_while_a_database_is_away_its_size_is_unknown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused() -> int:
        raise Away("The database is away.", "")

    opened = OpenedStore(tmp_path, cache=tmp_path / "cache")
    assert opened.size() == 0
    monkeypatch.setattr(opened.backend, "size", refused)
    assert opened.size() is None
    with Memory(opened.backend, cache=tmp_path / "cache") as memory:
        assert memory.upkeep.excess().size == 0
        assert memory.stats().size_bytes is None
