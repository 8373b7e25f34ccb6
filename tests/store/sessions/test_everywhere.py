"""The sessions of all projects: found apart from every memory, and gone with what they are of."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from store import Memory, open_everywhere, open_memory
from store.agents.client import Home
from store.backends.location import FOLDER
from store.backends.user_data import everywhere_folder
from store.errors import StoreError
from store.sessions.index import SessionIndex
from tests.store.capture.transcripts import ClaudeCode
from tests.store.factories import observation

KEY = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name.lower()))
    return tmp_path / "home"


def ran(home: Path, project: Path, name: str, *said: str) -> Path:
    """The file of a session that ran in a project, where its client keeps it."""
    (project / ".git").mkdir(parents=True, exist_ok=True)
    made = ClaudeCode(session=name, cwd=str(project))
    for at, text in enumerate(said):
        made = made.agent(text) if at % 2 else made.user(text)
    folder = home / ".claude" / "projects" / re.sub(r"[^A-Za-z0-9]", "-", str(project))
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.jsonl").write_text("\n".join(made.lines))
    return folder / f"{name}.jsonl"


def opened() -> Memory:
    memory = open_everywhere()
    files = memory.session_files.of_project(Home.of_user())
    memory.session_indexing.drop_others(files)
    memory.session_indexing.index(memory.session_indexing.to_index(files))
    return memory


def found(memory: Memory, query: str) -> list[str]:
    return [hit.entry.id for hit in memory.search(f"in:sessions {query}").hits]


def test_nothing_is_written_to_a_project(home: Path, tmp_path: Path) -> None:
    ran(home, tmp_path / "shop", "one", f"The key is {KEY}.", "Noted.")
    with opened() as memory:
        assert found(memory, "key") == ["one#1"]
        assert memory.history.operations() == []
    assert [path.name for path in (tmp_path / "shop").iterdir()] == [".git"]
    kept = [path for path in tmp_path.rglob("*") if path.is_file() and path.suffix != ".jsonl"]
    assert everywhere_folder() / "sessions" / "one.json" in kept
    assert [path for path in kept if KEY.encode() in path.read_bytes()] == []


def test_chats_that_clients_keep_in_projects_are_among_them(home: Path, tmp_path: Path) -> None:
    ran(home, tmp_path / "shop", "one", "Hello.", "Hello.")
    (tmp_path / "shop" / ".aider.chat.history.md").write_text(
        "\n# aider chat started at 2026-02-01 10:00:00\n\n#### Is a zebra striped?\n\nIt is.\n"
    )
    with opened() as memory:
        [at] = found(memory, "zebra")
        assert memory.sessions.digest(at.rpartition("#")[0]).project == str(tmp_path / "shop")  # type: ignore[union-attr]


def test_what_was_moved_or_deleted_leaves(home: Path, tmp_path: Path) -> None:
    moved = ran(home, tmp_path / "shop", "one", "Why does the lock hang?", "It waits.")
    deleted = ran(home, tmp_path / "shop", "two", "Pick the lock.", "Picked.")
    opened().close()
    deleted.unlink()
    other = moved.parent.with_name("elsewhere")
    other.mkdir()
    moved.rename(other / moved.name)
    with opened() as memory:
        assert found(memory, "lock") == ["one#1"]
        assert [digest.path for digest in memory.sessions.digests()] == [str(other / moved.name)]


def test_projects_whose_memory_is_off_are_left_out(home: Path, tmp_path: Path) -> None:
    ran(home, tmp_path / "shop", "one", "Why does the lock hang?", "It waits.")
    ran(home, tmp_path / "bakery", "two", "Pick the lock.", "Picked.")
    with opened() as memory:
        assert len(found(memory, "lock")) == 2
    settings = (tmp_path / "shop" / FOLDER).with_name("memtui.toml")
    settings.parent.mkdir()
    settings.write_text("enabled = false")
    with opened() as memory:
        assert found(memory, "lock") == ["two#1"]
    settings.unlink()
    with opened() as memory:
        assert sorted(found(memory, "lock")) == ["one#1", "two#1"]


def test_a_folder_that_only_reading_tells_is_left_out_as_well(home: Path, tmp_path: Path) -> None:
    path = ran(home, tmp_path / "shop", "one", "Why does the lock hang?", "It waits.")
    long_note = f'{{"type": "summary", "summary": "{"x" * 70_000}"}}\n'
    path.write_text(long_note + path.read_text())
    (tmp_path / "shop" / ".agentx").mkdir()
    (tmp_path / "shop" / ".agentx" / "memtui.toml").write_text("enabled = false")
    with opened() as memory:
        files = memory.session_files.of_project(Home.of_user())
        assert [file.folder for file in files] == [""]
        assert memory.sessions.listing(files) == []
        assert found(memory, "lock") == []


def test_a_setting_turns_it_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMTUI_SESSIONS_EVERYWHERE", "false")
    with pytest.raises(StoreError, match="sessions_everywhere"):
        open_everywhere()
    assert not everywhere_folder().exists()


SAID = "The merger with Falcon closes in May."


@pytest.fixture
def told(home: Path, tmp_path: Path) -> Iterator[Memory]:
    """A project's memory of what was said in its session, which is indexed with another's."""
    ran(home, tmp_path / "shop", "one", SAID, "I see.")
    ran(home, tmp_path / "bakery", "two", "Bake a Falcon cake.", "Baked.")
    opened().close()
    with open_memory(tmp_path / "shop" / FOLDER, cache=tmp_path / "cache") as project:
        project.store([observation(SAID)])
        yield project


def holding(folder: Path) -> list[str]:
    """The names of all files that hold what was said."""
    paths = [path for path in folder.rglob("*") if path.is_file()]
    return [path.name for path in paths if b"merger" in path.read_bytes()]


def test_what_a_project_forgets_does_not_come_back(told: Memory, tmp_path: Path) -> None:
    told.forget(told.plan.forget(told.search_ids("Falcon")))
    told.close()
    with opened() as memory:
        assert found(memory, "Falcon") == ["two#1"]
        assert {digest.id for digest in memory.sessions.digests()} == {"one", "two"}
    assert holding(tmp_path) == ["one.jsonl"]


def test_forgetting_broke_off(
    told: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise StoreError("Another program is updating the session index.")

    with monkeypatch.context() as patch:
        patch.setattr(SessionIndex, "rebuild", fail)
        told.forget(told.plan.forget(told.search_ids("Falcon")))
    assert len(holding(tmp_path)) > 1
    with open_memory(tmp_path / "shop" / FOLDER, cache=tmp_path / "cache") as project:
        project.search("lock")
    assert holding(tmp_path) == ["one.jsonl"]
