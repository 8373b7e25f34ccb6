"""What the sidecar adds to a vault's texts: read, written, and never taken for more than it is."""

from __future__ import annotations

from typing import Any

import pytest

from store.backends.vault.sidecar import completed, difference, read_sidecar, write_sidecar
from store.errors import Unreadable

SAID = {"content": "Use locks", "tags": ["a"], "timestamp": "2026-03-01T12:00:00.000Z"}


@pytest.mark.parametrize(
    "data",
    ["", "{", "7", "[]", "{}", "null", '{"memories": 7}', '{"memories": {"a": 7}}',
     '{"memories": {"a": {"tags": 7}}}', '{"memories": []}'],
)  # fmt: skip
def test_one_that_is_damaged_is_said(data: str) -> None:
    with pytest.raises(Unreadable) as told:
        read_sidecar(data.encode())
    assert told.value.message == ".vault/memtui/records.json is damaged."
    assert told.value.hint == (
        "Run `memtui doctor --repair` to set it aside; no text is in it alone."
    )


def test_one_that_git_left_in_conflict_has_both_sides() -> None:
    ours: dict[str, dict[str, Any]] = {
        "a": {"tags": {"was": "[]", "is": ["x"]}},
        "b": {"pinned": {"was": "", "is": True}},
    }
    theirs: dict[str, Any] = {"a": {"tags": {"was": "[]", "is": ["x", "y"]}}, "c": {}}
    head, *mine, end, last = write_sidecar(ours).decode().splitlines()[1:]
    _, *others, _, _ = write_sidecar(theirs).decode().splitlines()[1:]
    text = ["{", head, mine[0], "<<<<<<< HEAD", *mine[1:], "=======", *others[1:], ">>>>>>> two"]
    assert read_sidecar("\n".join([*text, end, last]).encode()) == {**ours, **theirs}


def test_the_time_of_a_text_that_names_none_stays_as_it_was_kept() -> None:
    kept, other = "2027-03-01T12:00:00.000Z", "2028-03-01T12:00:00.000Z"
    for is_dated in (True, False):
        found = difference(SAID, {**SAID, "timestamp": kept}, is_dated=is_dated)
        again = completed({**SAID, "timestamp": other}, found, is_dated=is_dated)
        assert again["timestamp"] == (other if is_dated else kept)
