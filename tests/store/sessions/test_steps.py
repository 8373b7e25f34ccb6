"""What is kept and shown of a session's steps and times, on plain values."""

from __future__ import annotations

from datetime import timedelta

import pytest

from store.agents.session import Session, Step
from store.agents.transcript import ContextSummary, Message, Speaker, ToolCall, ToolResult
from store.backends.memory.backend import Held, MemoryBackend
from store.redaction.outgoing import Outgoing
from store.search.commit import commit_together
from store.sessions.conversation import EntryKind, Outcome, entries_of
from store.sessions.digest import Context, digest_of, files_of, passages_of
from store.sessions.documents import document_of, message_observations
from store.sessions.index import SessionIndex
from store.sessions.model import ANSWER, Passage, ReadSession, SessionDigest
from store.sessions.search import conversation
from tests.store.factories import NOW, Clock

ROOTS = ("/home/someone/shop",)
SECOND = timedelta(seconds=1)
PATCH = """*** Begin Patch
*** Update File: lib/a.py
@@
-a
+b
*** Add File: lib/new.py
+x
*** Delete File: lib/old.py
*** End Patch"""


def _said(line: int, speaker: Speaker, text: str, seconds: int | None = None) -> Message:
    return Message(line, speaker, text, None if seconds is None else NOW + seconds * SECOND)


def _step(
    line: int, tool: str, seconds: int | None = None, *, failed: bool = False, **given: object
) -> Step:
    at = None if seconds is None else NOW + seconds * SECOND
    result = ToolResult(line, f"c{line}", "told", at, failed)
    return Step(ToolCall(line, f"c{line}", tool, at, given), result)


def _session(*parts: Message | Step | ContextSummary) -> Session:
    return Session(
        "s",
        ROOTS[0],
        agent="codex",
        said=tuple(it for it in parts if isinstance(it, Message)),
        steps=tuple(it for it in parts if isinstance(it, Step)),
        summaries=tuple(it for it in parts if isinstance(it, ContextSummary)),
    )


USER, AGENT = Speaker.USER, Speaker.AGENT
TALK = _session(
    _said(1, USER, "Mend the till.", 5),
    _step(2, "Read", 9, file_path="lib/a.py"),
    _said(3, AGENT, "It waits.", 12),
    _step(3, "apply_patch", 12, input=PATCH),
    ContextSummary(4, " So far the till waits. ", NOW),
    _step(5, "Read", 3, path="", paths=["lib/a.py", "lib/b.py", {"path": "lib/c.py"}]),
    _said(6, AGENT, "Mended.", 30),
    _said(7, USER, "And the lease?", 20),
)


def test_a_session_lasts_from_the_first_to_the_last_thing_with_a_time() -> None:
    digest = digest_of(TALK, Context(roots=ROOTS))
    assert (digest.started, digest.ended) == (NOW + 3 * SECOND, NOW + 30 * SECOND)
    later = _session(_said(1, USER, "Go."), _step(2, "Read", 4), _said(3, AGENT, "So."))
    times = digest_of(later, Context())
    assert (times.started, times.ended) == (NOW + 4 * SECOND, NOW + 4 * SECOND)
    none = digest_of(_session(_said(1, USER, "Go.")), Context())
    assert (none.started, none.ended) == (None, None)


def test_the_last_words_are_the_agents_though_a_person_spoke_after() -> None:
    digest = digest_of(TALK, Context(roots=ROOTS))
    assert (digest.last, digest.ended_well) == ("Mended.", False)
    assert digest.asked == ("Mend the till.", "And the lease?")
    assert digest_of(_session(_said(1, USER, "Go.")), Context()).last == ""


def test_each_file_of_a_step_counts() -> None:
    found = files_of(TALK, ROOTS)
    assert found.changed == {"lib/a.py": 1, "lib/new.py": 1}
    assert found.read == {"lib/a.py": 2, "lib/b.py": 1, "lib/c.py": 1}
    assert (found.created, found.removed) == (("lib/new.py",), ("lib/old.py",))


@pytest.mark.parametrize(
    ("steps", "created", "removed"),
    [
        ((_step(1, "Write", file_path="a.py", content="x"),), ("a.py",), ()),
        ((_step(1, "Edit", file_path="a.py", old_string="x", new_string="y"),), (), ()),
        ((_step(1, "Bash", command=PATCH),), ("lib/new.py",), ("lib/old.py",)),
        (
            (_step(1, "Bash", command="sed -i s/a/b/ a.py"), _step(2, "Write", file_path="a.py")),
            (),
            (),
        ),
        (
            (
                _step(1, "Write", file_path="a.py"),
                _step(2, "Bash", command="rm a.py", failed=True),
            ),
            ("a.py",),
            (),
        ),
        ((_step(1, "Write", file_path="a.py"), _step(2, "Bash", command="rm a.py")), (), ()),
        ((_step(1, "Write", file_path="a.py", failed=True),), (), ()),
    ],
)
def test_what_a_session_made_and_what_it_left_removed(
    steps: tuple[Step, ...], created: tuple[str, ...], removed: tuple[str, ...]
) -> None:
    found = files_of(_session(*steps), ROOTS)
    assert (found.created, found.removed) == (created, removed)
    assert set(found.created) <= set(found.changed)


def test_a_change_stands_after_what_was_said_in_its_line_or_before() -> None:
    assert [it.files for it in passages_of(TALK, ROOTS)] == [
        (), ("lib/a.py", "lib/new.py", "lib/old.py"), (), (),
    ]  # fmt: skip


def test_what_was_said_done_and_summed_up_stands_by_its_line() -> None:
    entries = entries_of(TALK, ROOTS)
    assert [(it.line, it.kind) for it in entries] == [
        (1, EntryKind.REQUEST),
        (2, EntryKind.TOOL),
        (3, EntryKind.ANSWER),
        (3, EntryKind.TOOL),
        (4, EntryKind.SUMMARY),
        (5, EntryKind.TOOL),
        (6, EntryKind.ANSWER),
        (7, EntryKind.REQUEST),
    ]
    assert [it.text for it in entries if it.kind is EntryKind.SUMMARY] == ["So far the till waits."]
    read, patched, several = (it for it in entries if it.kind is EntryKind.TOOL)
    assert (read.text, read.at, read.output) == ("lib/a.py", NOW + 9 * SECOND, "told")
    assert patched.text == "lib/a.py, lib/new.py, lib/old.py"
    assert several.files == ("lib/a.py", "lib/b.py", "lib/c.py")
    assert {it.outcome for it in (read, patched, several)} == {Outcome.DONE}


def _index(*taken: ReadSession) -> SessionIndex:
    made = SessionIndex(MemoryBackend(Held("m"), Clock()), None, Outgoing(None))
    made.add(taken, {})
    return made


def test_messages_are_read_in_the_order_in_which_they_were_said() -> None:
    """However they stand in the index: of many, two threads write."""
    index = _index()
    digest = SessionDigest("s", "codex", ended=NOW)
    said = [Passage(at, ANSWER, f"Message {at}", NOW) for at in range(12)]
    (writer,) = writers = [index._writer("messages", bulk=False)]
    for place, message in reversed(list(enumerate(message_observations(digest, said)))):
        writer.add_document(document_of(message, place))
    commit_together(writers)
    index._parts["messages"].reload()
    index._show(index._parts)
    assert [it.content for it in conversation(index, "s")] == [it.text for it in said]
