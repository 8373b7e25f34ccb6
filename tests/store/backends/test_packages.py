"""A backend is a package beside the others: what it offers is found by the scheme of a URL."""

from __future__ import annotations

from pathlib import Path

import pytest

from store.backends import check_shared, has_memory, open_backend
from store.errors import NoMemory


def test_an_unknown_scheme_is_told_with_those_that_a_user_may_name() -> None:
    with pytest.raises(NoMemory, match="Unknown location nowhere://x") as refused:
        open_backend("nowhere://x")
    assert "postgresql://" in refused.value.hint
    assert "vault://" in refused.value.hint
    assert "memory://" not in refused.value.hint
    with pytest.raises(NoMemory, match="Unknown location protocol://x"):
        open_backend("protocol://x")
    with pytest.raises(ValueError, match="named by a URL"):
        check_shared("nowhere://x")


def test_a_memory_of_any_kind_is_seen_at_a_path(tmp_path: Path) -> None:
    assert not has_memory(tmp_path)
    (tmp_path / "issue-29.json").write_text("{}")
    (tmp_path / "notes" / ".obsidian").mkdir(parents=True)
    assert has_memory(tmp_path)
    assert has_memory(tmp_path / "notes")
