"""Entries of a conversation: joined, placed among each other, shown without secrets."""

from __future__ import annotations

from datetime import timedelta

import pytest

from store.agents.formats import read_session
from store.agents.session import Session, Step
from store.agents.transcript import ToolCall
from store.model import UNDATED, Observation
from store.sessions.conversation import (
    Entry,
    EntryKind,
    Injected,
    Outcome,
    _told_by,
    calls_of,
    entries_of,
    entries_of_digest,
    entries_of_messages,
    line_of,
    session_named,
    shown_output,
    source_line,
    with_captured,
    with_injected,
)
from store.sessions.documents import ended
from store.sessions.model import ANSWER, REQUEST, SessionDigest
from tests.store.capture.transcripts import NOW, ClaudeCode
from tests.store.factories import observation

SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
TALK = [
    Entry(EntryKind.REQUEST, 1, "Why?", NOW),
    Entry(EntryKind.TOOL, 3, "ls", NOW + timedelta(seconds=2)),
    Entry(EntryKind.ANSWER, 3, "So.", NOW + timedelta(seconds=2)),
    Entry(EntryKind.ANSWER, 7, "Done.", NOW + timedelta(seconds=6)),
]


def _message(identifier: str, text: str, category: str = ANSWER) -> Observation:
    return observation(text, id=identifier, category=category, timestamp=NOW)


def _captured(source: str) -> Observation:
    return observation("Kept", id=source or "none", summary=source, sources=(source,))


def _lines(*memories: Observation) -> list[tuple[str, int]]:
    placed = with_captured(TALK, memories, {"call-1": 3}, "s")
    return [(entry.text, entry.line) for entry in placed]


def test_passages_of_a_message_are_joined() -> None:
    passages = [
        _message("s#1", "Why?", REQUEST),
        _message("s#4", "One."),
        _message("s#4.1", "Two."),
        _message("s#6", "Three."),
    ]
    found = entries_of_messages(passages)
    assert [(it.kind, it.line, it.text) for it in found] == [
        (EntryKind.REQUEST, 1, "Why?"),
        (EntryKind.ANSWER, 4, "One.\nTwo."),
        (EntryKind.ANSWER, 6, "Three."),
    ]
    assert found[0].at == NOW


def test_a_digest_tells_what_was_asked_and_said_last() -> None:
    digest = SessionDigest("s", asked=("One?", "Two?"), last="Done.")
    told = [(it.kind, it.text) for it in entries_of_digest(digest)]
    asked = [(EntryKind.REQUEST, "One?"), (EntryKind.REQUEST, "Two?")]
    assert told == [*asked, (EntryKind.ANSWER, "Done.")]
    assert len(entries_of_digest(digest._replace(last=""))) == 2


@pytest.mark.parametrize(
    ("source", "place"),
    [
        ("session:s#1", 1),
        ("session:s#3", 3),
        ("session:s#5", 4),
        ("tool:call-1", 3),
        ("session:s#0", 4),
        ("session:s#99", 4),
        ("session:other#1", 4),
        ("tool:call-2", 4),
        ("s#1", 4),
        ("", 4),
    ],
)
def test_a_memory_stands_after_what_it_was_taken_from(source: str, place: int) -> None:
    assert [text for text, _ in _lines(_captured(source))].index(source) == place


def test_memories_of_several_places_stand_in_order() -> None:
    memories = [
        _captured(it) for it in ("session:s#5", "session:s#3", "session:s#2", "session:s#9")
    ]
    assert [text for text, _ in _lines(*memories)] == [
        "Why?",
        "ls",
        "So.",
        "session:s#2",
        "session:s#3",
        "Done.",
        "session:s#5",
        "session:s#9",
    ]


def test_a_session_without_entries_tells_its_memories() -> None:
    placed = with_captured([], [_captured("session:s#3")], {}, "s")
    assert [(it.kind, it.id) for it in placed] == [(EntryKind.CAPTURED, "session:s#3")]
    assert [it.line for it in with_captured([], [_captured("x")], {}, "s")] == [0]


def test_what_memory_told_stands_by_its_time() -> None:
    from store.model import NONE_INJECTED

    def told(name: str, seconds: float | None) -> Injected:
        at = None if seconds is None else NOW + timedelta(seconds=seconds)
        return Injected(name, at, NONE_INJECTED, 12, "Told.")

    entries = with_injected(TALK, [told("b", 2), told("a", -1), told("n", None), told("z", 99)])
    names = [(it.name or it.text, it.line) for it in entries]
    assert [name for name, _ in names] == ["n", "a", "Why?", "ls", "So.", "b", "Done.", "z"]
    assert dict(names)["b"] == 3
    assert dict(names)["a"] == 0
    assert {it.tokens for it in entries if it.kind is EntryKind.TOLD} == {12}
    undated = [Entry(EntryKind.ANSWER, 5, "So.")]
    assert [it.name for it in with_injected(undated, [told("a", 1)])] == ["a", ""]


def test_which_session_and_line_a_name_means() -> None:
    assert line_of("s#12") == 12
    assert line_of("s#12.3") == 12
    assert [line_of(it) for it in ("12", "s#", "s#x", "", "obs-1")] == [0] * 5
    assert source_line(["session:s#x", "session:s#4", "session:s#2"], "s", {}) == 4
    memory = observation(session_id="own", sources=("tool:x", "session:a#b#3", "session:c#1"))
    assert session_named(memory) == "a#b"
    assert session_named(memory._replace(sources=("session:a", "x#1"))) == "own"


def test_each_step_says_what_it_was_given_and_how_it_ended() -> None:
    made = ClaudeCode().user(f"  Use {SECRET}.\n")
    made.call(
        "Bash", {"command": "make  -j\n check"}, f"one\n  fatal: no {SECRET}\nlast", failed=True
    )
    made.call("Read", {"file_path": "/home/someone/shop/a.py"}, None)
    made.call("Grep", {"pattern": "lock", "path": "src"}, f"{SECRET} {'x ' * 15_000}")
    made.call(
        "Task", {"description": "", "other": 5, "text": "Look."}, "  \nall\nfine", failed=True
    )
    session = read_session(line.encode() for line in made.lines)
    asked, make, read, grep, task = entries_of(session, ("/home/someone/shop",))
    assert SECRET not in asked.text
    assert asked.text == asked.text.strip()
    assert (make.kind, make.name, make.text) == (EntryKind.TOOL, "Bash", "make -j check")
    assert (make.outcome, read.outcome, grep.outcome) == tuple(
        map(Outcome, ("failed", "unknown", "done"))
    )
    assert make.result.startswith("fatal: no ")
    assert SECRET not in make.result
    assert (read.text, read.files) == ("a.py", ("a.py",))
    assert (grep.text, grep.result) == ("lock", "")
    assert (task.text, task.result) == ("Look.", "all")
    assert SECRET not in shown_output(grep)
    assert 19_900 < len(shown_output(grep)) <= 20_000
    lines = [it.line for it in (make, read, grep, task)]
    assert sorted(calls_of(session).values()) == lines


def test_a_step_names_each_file_that_it_changed_or_read_once() -> None:
    made = ClaudeCode().user("Go.")
    made.bash("sed -n 1,9p lib/a.py lib/b.py && echo 1 > lib/a.py")
    made.call("MultiEdit", {"file_path": f"{made.cwd}/e.py", "edits": []})
    made.call("Read", {"file_path": f"{made.cwd}/f.py"}).call("Grep", {"pattern": "x"})
    steps = entries_of(read_session(it.encode() for it in made.lines), (made.cwd,))[1:]
    assert [set(it.files) for it in steps] == [
        {"lib/a.py", "lib/b.py"}, {"e.py"}, {"f.py"}, set(),
    ]  # fmt: skip
    assert len(steps[0].files) == 2
    assert [it.text for it in steps[1:]] == ["e.py", "f.py", "x"]


@pytest.mark.parametrize(
    ("output", "told"),
    [
        ("", ""),
        (" \n\t\n", ""),
        ("\n  Listed 7.\nDone\n", "Listed 7."),
        ("Listed 7.\n  ValueError: no till\n", "ValueError: no till"),
    ],
)
def test_of_what_a_tool_answered_the_line_that_failed_is_told(output: str, told: str) -> None:
    assert _told_by(output) == told


def test_calls_without_ids_are_no_places() -> None:
    steps = [Step(ToolCall(line, name, "Bash")) for line, name in ((1, "a"), (2, ""), (3, "b"))]
    assert calls_of(Session(id="s", steps=tuple(steps))) == {"a": 1, "b": 3}


def test_a_session_ended_when_it_began_where_no_more_is_known() -> None:
    later = NOW + timedelta(days=1)
    times = [(NOW, later), (NOW, None), (None, None)]
    digests = [SessionDigest(id="s", started=began, ended=end) for began, end in times]
    assert [ended(it) for it in digests] == [later, NOW, UNDATED]
