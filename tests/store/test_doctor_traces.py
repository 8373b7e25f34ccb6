"""A secret that was repaired in the record may stand beside it: the doctor looks there too."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from store.backends.protocol import Backend
from store.doctor import service
from store.doctor.findings import FindingKind
from store.doctor.traces import clean_trace
from tests.store.factories import make_memory, observation, record, write_issue

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def test_secrets_in_journals_injections_and_digests_are_found_and_taken_out(
    tmp_path: Path,
) -> None:
    with make_memory(tmp_path) as memory:
        memory.path.mkdir(parents=True)
        write_issue(memory.path, 29, record("a", content=f"Deploy with {TOKEN}."), record("b"))
        memory.apply(memory.plan.edit(["a", "b"], {"pinned": True}))
        for name in ("recalls/0123.md", "sessions/s1.json"):
            path = memory.path / name
            path.parent.mkdir()
            path.write_text(f'"Deploy with {TOKEN}."\n')
        examination = memory.doctor.examine()
        found = [it for it in examination.findings if it.kind is FindingKind.TRACE]
        assert [it.path.partition("/")[0] for it in found] == ["operations", "recalls", "sessions"]
        assert TOKEN not in repr(found)
        assert not examination.healthy
        applied = memory.doctor.repair(examination)
        assert applied.action.figures["traces"] == 3
        left = [path for path in tmp_path.rglob("*") if path.is_file()]
        assert [path for path in left if TOKEN.encode() in path.read_bytes()] == []
        assert memory.doctor.examine().healthy
        edit = next(it for it in memory.history.operations() if it.kind == "edit")
        memory.undo(edit.id)
        assert [it.pinned for it in memory.by_issue(29)] == [False, False]
        assert "[redacted" in memory.get("a").content


def test_traces_are_taken_out_while_no_other_program_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held: list[bool] = []
    with make_memory(tmp_path) as memory:
        memory.store([observation("One")])
        path = memory.path / "recalls" / "0123.md"
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"Deploy with {TOKEN}.\n")
        locked, is_held = memory.backend.locked, False

        @contextmanager
        def noted() -> Iterator[None]:
            nonlocal is_held
            with locked():
                is_held = True
                yield
            is_held = False

        def clean(backend: Backend, name: str) -> bool:
            held.append(is_held)
            return clean_trace(backend, name)

        monkeypatch.setattr(memory.backend, "locked", noted)
        monkeypatch.setattr(service, "clean_trace", clean)
        memory.doctor.repair(memory.doctor.examine())
        assert TOKEN not in path.read_text()
    assert held == [True]
