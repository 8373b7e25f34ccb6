from __future__ import annotations

import pytest

from store.compaction.history import has_place, main_path, said_of_file, tell_history
from store.compaction.statements import Said, Told
from store.text.facts import facts_of
from tests.store.compaction.notes import note
from tests.store.factories import NOW


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("Updated `./src/lock.py`: jitter", ("src/lock.py", "./src/lock.py")),
        ("From src/a.py to src/b.py", ("src/a.py", "src/a.py")),
        ("No path at all", ("", "")),
    ],
)
def test_main_path(text: str, path: tuple[str, str]) -> None:
    assert main_path(text) == path


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
    said = said_of_file(note("a", content))
    assert [one.text for one in said] == entries
    assert {one.label for one in said} == {"2026-01-30 "}


def test_a_line_of_history_is_read_again() -> None:
    line = "src/lock.py: 2026-02-09 Renamed it; and tested; ; 2026-13-40 Odd; 2026-01-20 Created"
    said = said_of_file(note("a", line))
    assert [(one.label, one.text) for one in said] == [
        ("2026-02-09 ", "Renamed it"),
        ("2026-02-09 ", "and tested"),
        ("2026-02-09 ", "Odd"),
        ("2026-01-20 ", "Created"),
    ]


def test_a_date_that_several_entries_share_is_said_once() -> None:
    told = [
        Told(Said(text, "a", NOW, day), facts_of(text))
        for text, day in (("Waits.", "2026-02-09 "), ("Renamed it", "2026-02-09 "),
                          ("Created.", "2026-01-20 "), ("Deleted", "2026-02-09 "))
    ]  # fmt: skip
    line = tell_history("src/lock.py", told)
    assert line == (
        "src/lock.py: 2026-02-09 Waits; Renamed it; 2026-01-20 Created; 2026-02-09 Deleted"
    )
    again = said_of_file(note("b", line))
    assert tell_history("src/lock.py", [Told(it, facts_of(it.text)) for it in again]) == line


def test_only_a_line_of_history_may_be_long() -> None:
    assert has_place("src/lock.py " + "x" * 388)
    assert not has_place("src/lock.py " + "x" * 389)
    assert has_place("src/lock.py: 2026-01-09 " + "It waits; " * 40)
    assert has_place("src/lock.py: waits\n")
    assert not has_place("src/lock.py: waits\nWhy: it hung")
