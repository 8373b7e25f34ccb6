"""What the names and texts of a vault's files say, step by step: no disk."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from store.backends.vault.items import ms_of, note_item, time_of
from store.backends.vault.layout import is_note_path
from store.backends.vault.markdown import Entry

MTIME = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("path", "is_one"),
    [
        ("dev/decisions.md", True),
        ("note.md", True),
        ("a/b/c.md", True),
        ("conversations/a.md", False),
        ("a/conversations/b.md", True),
        ("node_modules/x.md", False),
        (".obsidian/a.md", False),
        ("a/.hidden/b.md", False),
        ("a//b.md", False),
        ("/etc/a.md", False),
        ("a/../b.md", False),
        ("a\0.md", False),
        ("a.txt", False),
        (f"{'a' * 996}.md", True),
        (f"{'a' * 997}.md", False),
    ],
)
def test_where_a_memory_may_stand(path: str, is_one: bool) -> None:
    assert is_note_path(path) is is_one


def test_when_an_entry_was_made() -> None:
    exact = datetime(2026, 3, 16, 16, 51, 11, 839000, tzinfo=UTC)
    key = str(ms_of(exact))
    assert time_of(Entry(key, "2026-03-16T16:51", (), "")) == exact
    assert time_of(Entry(key, "", (), "")) == exact
    told = time_of(Entry(key, "2026-03-17T16:51", (), ""))
    assert told == datetime(2026, 3, 17, 16, 51, tzinfo=UTC)
    seconds = time_of(Entry(key, "2026-03-16T16:51:30", (), ""))
    assert seconds is not None
    assert seconds.second == 30
    assert time_of(Entry("17", "", (), "")) is None
    assert time_of(Entry("99999999999", "", (), "")) is None
    assert time_of(Entry("100000000000", "", (), "")) is not None
    assert time_of(Entry("9" * 18, "2026-13-99", (), "")) is None
    assert ms_of(datetime(1960, 1, 1, tzinfo=UTC)) == 1


@pytest.mark.parametrize(
    ("front", "category"),
    [
        ("name: retries\ndescription: Three\nmetadata:\n  type: feedback", "lesson"),
        ("name: retries\ndescription: Three\ntype: feedback", "lesson"),
        ("name: retries\nmetadata:\n  type: project", "project"),
        ("name: retries\nmetadata:\n  type: user", "key-fact"),
        ("category: error\nmetadata:\n  type: feedback", "error"),
    ],
)
def test_a_note_that_an_agents_client_keeps_has_the_category_of_its_type(
    front: str, category: str
) -> None:
    item = note_item("retries.md", f"---\n{front}\n---\nNever more than three.\n", MTIME)
    assert item is not None and item.value["category"] == category


def test_a_list_of_the_notes_beside_it_is_no_memory() -> None:
    index = "# Index\n\n- [Retries](retries.md) — three at most\n"
    assert note_item("memory/MEMORY.md", index, MTIME) is None
    assert note_item("memory/MEMORY.md", f"{index}\nWe keep it short.\n", MTIME) is not None
    assert note_item("memory/Links.md", index, MTIME) is not None
