"""A secret that was repaired in the record may stand beside it: the doctor looks there too."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from store.backends.protocol import Backend
from store.doctor import service
from store.doctor.traces import clean_trace
from tests.store.factories import make_memory, observation

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


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
