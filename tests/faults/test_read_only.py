"""A store on a disk that can't be written: everything can be looked at, nothing can be changed."""

from __future__ import annotations

import os
import resource
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from store import Memory, Observation, open_memory
from store.doctor.findings import FindingKind
from store.errors import ReadOnly, WriteFailed

NOBODY = 65534


def _fact(content: str, issue: int = 29) -> Observation:
    return Observation(
        agent="engineer",
        issue_number=issue,
        category="decision",
        content=content,
        id=f"id-{content}",
    )


@contextmanager
def _unprivileged() -> Iterator[None]:
    """Root may write anywhere; its tests look as another user."""
    if os.geteuid() != 0:
        yield
        return
    os.setresuid(NOBODY, NOBODY, 0)
    try:
        yield
    finally:
        os.setresuid(0, 0, 0)


def _fill(folder: Path) -> None:
    with open_memory(folder, cache=folder.with_name("cache")) as memory:
        memory.store([_fact("first"), _fact("second"), _fact("third", 30)])
        memory.apply(memory.plan.archive("id-second"))


def _look(memory: Memory) -> list[object]:
    memory.index.refresh()
    return [
        memory.search("first").total,
        memory.search().total,
        memory.get("id-first").content,
        [item.content for item in memory.by_issue(29)],
        memory.stats(),
        [info.kind for info in memory.history.operations()],
        memory.doctor.examine().is_healthy,
    ]


@pytest.fixture
def read_only(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A store that nobody may write, looked at once so that everything needed is imported."""
    home = Path(tempfile.mkdtemp())
    home.chmod(0o755)
    # The temporary folder of the other tests can be entered by its owner alone.
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home))
    folder = home / "memory"
    _fill(folder)
    paths = [folder, *folder.rglob("*")]
    for path in paths:
        path.chmod(0o555 if path.is_dir() else 0o444)
    yield folder
    for path in paths:
        path.chmod(0o755)
    shutil.rmtree(home)


def _before(folder: Path) -> dict[str, tuple[bytes, int]]:
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {str(path): (path.read_bytes(), path.stat().st_mtime_ns) for path in files}


def test_a_read_only_store_can_be_looked_at(read_only: Path) -> None:
    with open_memory(read_only, cache=read_only.with_name("cache")) as memory:
        expected = _look(memory)
        assert memory.state().writable is (os.geteuid() == 0), "and what tells it is imported"
    before = _before(read_only)
    no_cache = Path(os.devnull) / "cache"
    with _unprivileged(), open_memory(read_only, cache=no_cache) as memory:
        assert _look(memory) == expected
        assert not memory.state().writable
        assert [finding.kind for finding in memory.doctor.examine().findings] == [
            FindingKind.READ_ONLY
        ]
    assert _before(read_only) == before


CHANGES: dict[str, Callable[[Memory], object]] = {
    "store": lambda memory: memory.store([_fact("new")]),
    "edit": lambda memory: memory.apply(memory.plan.edit("id-first", {"tags": ("seen",)})),
    "remove": lambda memory: memory.apply(memory.plan.remove("id-first")),
    "archive": lambda memory: memory.apply(memory.plan.archive("id-first")),
    "undo": lambda memory: memory.undo(),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_to_a_read_only_store_is_a_calm_error(read_only: Path, name: str) -> None:
    before = _before(read_only)
    with (
        _unprivileged(),
        open_memory(read_only, cache=Path(os.devnull) / "cache") as memory,
        pytest.raises(ReadOnly) as caught,
    ):
        CHANGES[name](memory)
    assert caught.value.hint
    assert _before(read_only) == before


def test_a_file_size_limit_is_a_calm_error_and_leaves_the_old_content(tmp_path: Path) -> None:
    folder = tmp_path / "memory"
    _fill(folder)
    record = folder / "issue-29.json"
    before = record.read_bytes()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    with open_memory(folder, cache=Path(os.devnull) / "cache") as memory:
        resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + 100, hard))
        try:
            with pytest.raises(WriteFailed, match="larger than the system allows"):
                memory.store([_fact("x" * 1_000)])
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert record.read_bytes() == before
    assert not [path for path in folder.rglob("*") if path.name.endswith((".tmp", ".json.lock"))]
