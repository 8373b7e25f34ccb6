"""The digest of a session: what it says, what it never says, and that it stays small."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.agents.reading import read_session
from store.agents.session import Session
from store.sessions.digest import MAX_PASSAGE, Context, digest_of, passages_of
from store.sessions.digest_record import MAX_BYTES, digest_bytes, digest_from_record, load_record
from store.sessions.model import ANSWER, REQUEST, SessionDigest
from tests.store.capture.transcripts import ClaudeCode

WHOLE = SessionDigest(
    id="a",
    agent="codex",
    model="m",
    branch="b",
    issue=29,
    ended_well=False,
    asked=("x",),
    changed={"a.py": 2},
    created=("a.py",),
    removed=("c.py", "old"),
    read={"b.py": 1},
    failed=("x",),
    decided=("x",),
    last="Done.",
    commits=("c",),
    memories=("obs-1",),
    recalls=("r",),
    messages=3,
    path="p",
    size=7,
)
ROOTS = ("/home/someone/shop",)


def _read(data: bytes) -> SessionDigest:
    return digest_from_record(load_record(data))


def read(made: ClaudeCode) -> Session:
    return read_session(line.encode() for line in made.lines)


def test_it_says_what_was_asked_done_and_said_last() -> None:
    made = ClaudeCode().user("Make the lock time out.").call("Read", {"file_path": "store/io.py"})
    made.edit("store/lock.py").edit("store/lock.py").agent("The lock times out after 5 s.")
    digest = digest_of(read(made), Context(issue=29, roots=ROOTS, memories=("obs-1",)))
    assert digest.asked == ("Make the lock time out.",)
    assert digest.changed == {"store/lock.py": 2}
    assert digest.read == {"store/io.py": 1}
    assert digest.last == "The lock times out after 5 s."
    assert digest.ended_well
    assert (digest.issue, digest.branch, digest.memories) == (29, "feature/29-locks", ("obs-1",))
    assert digest.started is not None
    assert digest.ended is not None
    assert digest.started < digest.ended


def test_what_it_made_and_removed_was_scratch() -> None:
    made = ClaudeCode().user("Try it.").call("Bash", {"command": "echo 1 > try.py"})
    made.call("Write", {"file_path": "/home/someone/shop/new.py", "content": "x"})
    made.edit("old.py").call("Bash", {"command": "rm try.py"})
    digest = digest_of(read(made), Context(roots=ROOTS))
    assert digest.changed == {"new.py": 1, "old.py": 1}
    assert digest.created == ("new.py",)


def test_a_script_that_was_only_run_is_no_change() -> None:
    made = ClaudeCode().user("Try it.").edit("old.py")
    made.call(
        "Write",
        {"file_path": "/home/someone/shop/tries/try.py", "content": "x"},
        "File created successfully",
    )
    made.call("Bash", {"command": "python tries/try.py"})
    made.call("Bash", {"command": "python tries/try.py > results/out.json"})
    assert digest_of(read(made), Context(roots=ROOTS)).changed == {"old.py": 1}


def test_a_moved_file_is_removed_where_it_was() -> None:
    made = ClaudeCode().user("Move it.").edit("src/a.py")
    made.call("Bash", {"command": "mv src/a.py web/a.py"})
    digest = digest_of(read(made), Context(roots=ROOTS))
    assert "web/a.py" in digest.changed
    assert digest.removed == ("src/a.py",)


def test_secrets_and_what_memory_told_are_not_kept() -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    told = "## Memory Recall\n\nNotes.\n```\nabc: what memory told before\n```\n"
    made = ClaudeCode().user(f"{told}\nUse the key {secret} for the push.").agent("Pushed.")
    session = read(made)
    text = digest_bytes(digest_of(session, Context())).decode()
    text += "".join(passage.text for passage in passages_of(session))
    assert secret not in text
    assert "what memory told before" not in text
    assert "for the push" in text


def test_messages_are_cut_into_passages_and_know_the_files_changed_after_them() -> None:
    paragraph = "A sentence of some words. " * 20
    made = ClaudeCode().user("Go.").agent("\n\n".join([paragraph] * 6)).edit("store/lock.py")
    passages = passages_of(read(made), ROOTS)
    assert [(it.role, it.part) for it in passages][:3] == [(REQUEST, 0), (ANSWER, 0), (ANSWER, 1)]
    assert max(len(it.text) for it in passages) <= MAX_PASSAGE
    assert "".join("".join(it.text.split()) for it in passages[1:]) == "".join(
        (paragraph * 6).split()
    )
    assert [it.files for it in passages if it.files] == [("store/lock.py",)]


def test_a_file_of_another_checkout_is_the_projects_by_its_folders_name() -> None:
    made = ClaudeCode().user("Go.")
    for path in (
        "/home/other/shop/store/lock.py",
        "/home/other/shopping/x.py",
        "/etc/Makefile",
        "Makefile",
    ):
        made.call("Read", {"file_path": path})
    assert digest_of(read(made), Context(roots=ROOTS)).read == {"store/lock.py": 1}


@given(
    texts=st.lists(st.text(max_size=400), max_size=30),
    names=st.lists(st.text(min_size=1, max_size=80), max_size=60, unique=True),
    branch=st.text(max_size=300),
)
def test_a_record_never_takes_more_than_4_kb_and_reads_as_it_was_written(
    texts: list[str], names: list[str], branch: str
) -> None:
    made = ClaudeCode(branch=branch).user("Begin.")
    for text in texts:
        made.user(text).agent(text * 3)
    for name in names:
        made.edit(f"{name}.py".replace("\0", ""))
    digest = digest_of(read(made), Context(failed=texts, decided=texts, memories=names))
    data = digest_bytes(digest)
    assert len(data) <= MAX_BYTES
    assert _read(data) == digest


def test_keys_that_are_unknown_survive_and_fields_of_the_wrong_shape_are_empty() -> None:
    digest = _read(b'{"id": "a", "later": {"x": 1}, "asked": 5, "changed": {"a.py": "x"}}')
    assert digest == SessionDigest("a", extra={"later": {"x": 1}})
    assert _read(digest_bytes(digest)) == digest


@pytest.mark.parametrize("odd", [None, True, -1, 1.5, "x", [], [1, "", None], {}, {"a": -1}])
def test_whatever_a_field_holds_it_is_read_as_what_it_is(odd: object) -> None:
    plain = digest_from_record({"id": "a"})
    for key in json.loads(digest_bytes(WHOLE)).keys() - {"id"}:
        digest = digest_from_record({"id": "a", key: odd})
        assert {it: type(value) for it, value in digest._asdict().items()} == {
            it: type(value) for it, value in plain._asdict().items()
        }, key
        numbers = [digest.issue, digest.messages, digest.size]
        numbers += [*digest.changed.values(), *digest.read.values()]
        assert all(type(it) is int and it >= 0 for it in numbers), key
        assert _read(digest_bytes(digest)) == digest
