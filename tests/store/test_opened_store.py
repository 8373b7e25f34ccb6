"""A memory opened: where it is, with which settings, and whose clock and ids it has."""

from __future__ import annotations

from pathlib import Path

from store import Memory, open_memory
from store.backends.files.backend import FilesBackend
from store.settings.schema import Settings


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
