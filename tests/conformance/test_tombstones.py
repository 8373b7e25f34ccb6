"""What was removed or reworded stays so, whoever brings it again, on every backend."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from store import Memory, open_memory
from store.backends.text_kinds import TextKind
from store.model import Location
from store.operations.tombstones import Tombstones
from tests.conformance.conftest import LOCATIONS
from tests.store.factories import NOW, Clock, Ids, observation

LINES = [
    json.dumps(
        [
            {"role": "user", "content": "Always run the migrations in one transaction."},
            {"role": "assistant", "content": "Done."},
            {"role": "user", "content": "Never log the card number."},
            {"role": "assistant", "content": "Done."},
        ]
    ).encode()
]
RULE, OTHER = "Always run the migrations in one transaction.", "Never log the card number."


IN_FILES = pytest.mark.parametrize("location", ["files"], indirect=True)
"""What does not depend on the backend is tested on one."""


@pytest.fixture
def memory(location: str, tmp_path: Path) -> Iterator[Memory]:
    cache = tmp_path / "cache"
    with open_memory(location, cache=cache, clock=Clock(NOW), new_id=Ids()) as memory:
        yield memory


def capture(memory: Memory, issue: int = 29) -> list[str]:
    """The texts that memory has once the session was captured into an issue."""
    memory.capture.apply(
        memory.capture.plan(
            LINES, agent="engineer", issue=issue, environ={}, session_id="s1", is_over=False
        )
    )
    return texts(memory)


def texts(memory: Memory) -> list[str]:
    return sorted(memory.get(hit.entry.id).content for hit in memory.search("", facets=()).hits)


def id_of(memory: Memory, text: str) -> str:
    found = (memory.get(hit.entry.id) for hit in memory.search("").hits)
    return next(it.id for it in found if text in it.content)


def remove(memory: Memory, text: str) -> None:
    memory.apply(memory.plan.remove(id_of(memory, text)))


def forget(memory: Memory, text: str) -> None:
    memory.forget(memory.plan.forget(id_of(memory, text)))


def reword(memory: Memory, text: str) -> None:
    plan = memory.plan.edit(id_of(memory, text), {"content": "Card numbers are masked."})
    memory.apply(plan)


@pytest.mark.parametrize(
    ("location", "take_away"),
    [*((name, remove) for name in (*LOCATIONS, "postgres")), ("files", forget), ("files", reword)],
    indirect=["location"],
)
def test_no_capture_brings_it_back(
    memory: Memory, take_away: Callable[[Memory, str], None]
) -> None:
    """Nor one that files the session under another issue, as on another branch."""
    assert capture(memory) == [RULE, OTHER]
    take_away(memory, OTHER)
    assert set(capture(memory, 31)) - {"Card numbers are masked."} == {RULE}


@IN_FILES
def test_the_preview_of_a_capture_says_so(memory: Memory) -> None:
    capture(memory)
    remove(memory, OTHER)
    plan = memory.capture.plan(
        LINES, agent="engineer", issue=29, environ={}, session_id="s1", is_over=False
    )
    assert plan.is_empty
    assert "removed-before" in [it.reason.kind for it in plan.skipped]


@IN_FILES
def test_other_words_from_the_same_place_stay_out(memory: Memory) -> None:
    """A language model says each time in other words what a line of the session taught."""
    made = observation("A queue in SQLite", sources=("session:s1#2",))
    memory.store([made])
    remove(memory, "A queue")
    again = observation("SQLite holds the queue", sources=("session:s1#2",))
    other = observation("Ports are closed", sources=("session:s1#9",))
    kept = Tombstones.of(memory.backend)
    assert [kept.has_captured(it) for it in (again, other)] == [True, False]


@IN_FILES
def test_what_a_person_took_out_of_the_file_stays_out(memory: Memory) -> None:
    """No operation tells of it: the journal says that it was kept, and no file has it."""
    assert capture(memory) == [RULE, OTHER]
    memory.index.settle()
    identifier = id_of(memory, OTHER)
    with memory.backend.changing(29) as records:
        records.drop(Location.ISSUE, identifier)
    memory.index.refresh()
    assert capture(memory) == [RULE]
    memory.apply(memory.plan.bring_back())
    assert capture(memory) == [RULE, OTHER]


def test_what_the_session_made_of_it_later_stays_out(memory: Memory) -> None:
    """Captured before the work was done, it would be back with more changes and other words."""
    changes = {"finder": "changes"}
    made = observation("Wait 3 s – set", sources=("session:s1#3", "tool:t1"), extra=changes)
    memory.store([made])
    remove(memory, "Wait 3 s")
    grown = ("session:s1#7", "tool:t1", "tool:t2")
    later = observation("Wait 3 s – set, told", sources=grown, extra=changes)
    checked = observation("The lock hung", sources=grown, extra={"finder": "checks"})
    next_work = observation("Wait 3 s", sources=("session:s1#9", "tool:t2"), extra=changes)
    kept = Tombstones.of(memory.backend)
    assert [kept.has_captured(it) for it in (later, checked, next_work)] == [True, False, False]


def test_an_undo_lifts_it_and_a_redo_does_not(memory: Memory) -> None:
    capture(memory)
    remove(memory, OTHER)
    memory.undo()
    remove(memory, OTHER)
    assert capture(memory) == [RULE]
    memory.undo()
    assert memory.backend.texts.names(TextKind.REMOVED) == []
    memory.redo()
    assert capture(memory) == [RULE]


@IN_FILES
def test_an_edit_that_is_undone_leaves_the_new_words_free(memory: Memory) -> None:
    capture(memory)
    reword(memory, OTHER)
    memory.undo()
    assert memory.backend.texts.names(TextKind.REMOVED) == []


@IN_FILES
def test_an_import_leaves_it_out_unless_it_is_wanted(memory: Memory, tmp_path: Path) -> None:
    memory.store([observation("One"), observation("Two")])
    exported = tmp_path / "all.jsonl"
    exported.write_text(memory.exchange.export())
    remove(memory, "One")
    plan = memory.exchange.plan_import(exported)
    assert plan.is_empty
    assert [(it.kind, dict(it.values)) for it in plan.notes if it.kind == "removed-here"] == [
        ("removed-here", {"memories": 1, "of": 2})
    ]
    memory.apply(memory.exchange.plan_import(exported, removed=True))
    assert texts(memory) == ["One", "Two"]
    assert memory.backend.texts.names(TextKind.REMOVED) == []


@IN_FILES
def test_an_agent_may_not_add_it_and_who_says_it_again_may(memory: Memory) -> None:
    memory.store([observation("One")])
    remove(memory, "One")
    report = memory.add([observation("  one "), observation("Two")], agent="codex")
    assert (report.ids[0], report.refused, len(report.stored)) == ("", (0,), 1)
    assert memory.add([observation("One")]).stored
    assert texts(memory) == ["One", "Two"]
    assert memory.add([observation("One")], agent="codex").twins


@IN_FILES
def test_a_copy_that_is_removed_leaves_the_other_to_be_seen_again(memory: Memory) -> None:
    memory.apply(memory.plan.add([observation("One", id="a"), observation("One", id="b")]))
    memory.apply(memory.plan.remove("a"))
    assert texts(memory) == ["One"]
    assert memory.add([observation("One")], agent="codex").twins == ("b",)


def test_it_goes_along_with_a_copy(memory: Memory, tmp_path: Path) -> None:
    capture(memory)
    remove(memory, OTHER)
    target = tmp_path / "copied" / ".agentx" / "memory"
    if len(memory.backend.levels) > 1:
        pytest.skip("of several levels the first is copied, wherever the tombstones are")
    memory.exchange.copy(memory.exchange.plan_copy(target))
    with open_memory(target, cache=tmp_path / "other", clock=Clock(NOW), new_id=Ids("c")) as copy:
        assert capture(copy) == [RULE]


def test_it_has_no_text(memory: Memory) -> None:
    capture(memory)
    forget(memory, OTHER)
    places = memory.backend.levels.values() or [memory.backend]
    names = [(place, name) for place in places for name in place.texts.names(TextKind.REMOVED)]
    ((place, name),) = names
    kept = place.texts.read(TextKind.REMOVED, name).decode()
    assert "card" not in kept and "log" not in kept
