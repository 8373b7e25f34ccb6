from __future__ import annotations

import pytest

from store.compaction.history import history_of_file
from tests.store.compaction.notes import note


@pytest.mark.parametrize(
    ("content", "entries"),
    [
        ("Updated `src/lock.py`: waits", ["Updated: waits"]),
        ("Updated file src/lock.py - waits", ["Updated: waits"]),
        ("src/lock.py: waits", ["waits"]),
        ("src/lock.py", ["src/lock.py"]),
        ("Created src/lock.py", ["Created"]),
        ("Waits with jitter in src/lock.py.", ["Waits with jitter."]),
        ("The lock of src/lock.py waits", ["The lock of src/lock.py waits"]),
        ("Created src/lock.py. It waits\nlong", ["Created: It waits, long"]),
        ("Created src/lock.py.\n\nIt waits.\n \n", ["Created: It waits"]),
    ],
)
def test_entries_leave_out_the_path_where_grammar_allows(content: str, entries: list[str]) -> None:
    said = history_of_file(note("a", content))
    assert [one.text for one in said] == entries
    assert {one.label for one in said} == {"2026-01-30 "}


def test_a_line_of_history_is_read_again() -> None:
    line = "src/lock.py: 2026-02-09 Renamed it; and tested; ; 2026-13-40 Odd; 2026-01-20 Created"
    said = history_of_file(note("a", line))
    assert [(one.label, one.text) for one in said] == [
        ("2026-02-09 ", "Renamed it"),
        ("2026-02-09 ", "and tested"),
        ("2026-02-09 ", "Odd"),
        ("2026-01-20 ", "Created"),
    ]
