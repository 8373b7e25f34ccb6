"""The log of a database: its summary is asked for whenever it has grown by a part."""

from __future__ import annotations

import pytest

from store.backends.postgres import log
from store.backends.postgres.backend import PostgresBackend


def test_each_part_of_the_log_is_said_once(
    backend: PostgresBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log, "_PART", 500)
    said = [backend.append_activity({"type": "stored", "number": it}) for it in range(60)]
    parts = backend.activity_stamp().end // 500
    assert parts > 2
    assert said.count(True) == parts
    assert not any(said[:5])
