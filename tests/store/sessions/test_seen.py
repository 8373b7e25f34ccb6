"""What an index of sessions says it has seen: nothing, where its file can't be read."""

from __future__ import annotations

from pathlib import Path

import pytest

from store.search.folder import SEEN
from store.sessions.seen import load_seen


@pytest.mark.parametrize("text", ["", "{", "[]", '{"format": 3}', "[" * 100_000])
def test_a_damaged_file_was_never_written(tmp_path: Path, text: str) -> None:
    (tmp_path / SEEN).write_text(text)
    assert load_seen(tmp_path / SEEN) is None
