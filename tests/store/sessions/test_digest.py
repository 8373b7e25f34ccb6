"""The digest of a session: what it says, what it never says, and that it stays small."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.agents.formats import read_session
from store.agents.session import Session
from store.records import InvalidRecord, estimate_tokens
from store.sessions.digest import MAX_PASSAGE, Context, digest_of, fitting, passages_of
from store.sessions.documents import digest_observation, message_observations
from store.sessions.model import ANSWER, MAX_BYTES, REQUEST, Passage, SessionDigest
from store.sessions.record import as_bytes, from_bytes, from_record, text_name
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


def test_a_session_that_breaks_off_did_not_end_well() -> None:
    made = ClaudeCode().user("Make it so.").agent("I look.").edit("store/lock.py")
    assert not digest_of(read(made), Context()).ended_well


def test_what_it_made_and_removed_was_scratch() -> None:
    made = ClaudeCode().user("Try it.").call("Bash", {"command": "echo 1 > try.py"})
    made.call("Write", {"file_path": "/home/someone/shop/new.py", "content": "x"})
    made.edit("old.py").call("Bash", {"command": "rm try.py"})
    digest = digest_of(read(made), Context(roots=ROOTS))
    assert digest.changed == {"new.py": 1, "old.py": 1}
    assert digest.created == ("new.py",)


def test_of_many_files_those_changed_most_are_kept_and_said_to_be_new() -> None:
    made = ClaudeCode().user("Begin.")
    for number in range(42):
        made.call("Write", {"file_path": f"/home/someone/shop/{number}.py", "content": "x"})
    digest = digest_of(read(made.edit("41.py")), Context(roots=ROOTS))
    kept = {"41.py", *(f"{number}.py" for number in range(39))}
    assert set(digest.changed) == set(digest.created) == kept


@pytest.mark.parametrize(
    ("commands", "removed"),
    [
        (("git rm src/old.py",), ("src/old.py",)),
        (("git mv src/old.py src/new.py",), ("src/old.py",)),
        (("git mv lib src/lib", "rm -rf dist/ && mv a.py b.py"), ("lib", "a.py")),
        (("rm lib/a.py", "echo 1 > lib/a.py"), ()),
        (("cat lib/a.py lib/b.py", "mv lib old", "echo 1 > lib/a.py"), ("lib/b.py",)),
        (("cat bin/c.py lib/b.py", "mv lib old", "echo 1 > lib/a.py"), ("lib/b.py",)),
        (("mkdir try && echo 1 > try/a.py", "mv try other"), ("try",)),
        (("rm -rf lib && git clone https://example.com/lib",), ()),
        (("rm -rf /srv/other /home/someone/shop .. build/*",), ()),
    ],
)
def test_what_it_left_removed_or_moved_away(
    commands: tuple[str, ...], removed: tuple[str, ...]
) -> None:
    made = ClaudeCode().user("Tidy up.")
    for command in commands:
        made.call("Bash", {"command": command})
    digest = digest_of(read(made), Context(roots=ROOTS))
    assert digest.removed == removed
    assert "try/a.py" not in digest.changed


def test_of_many_files_that_it_removed_the_last_are_kept() -> None:
    made = ClaudeCode().user("Tidy up.").bash(f"rm {' '.join(f'{at}.py' for at in range(42))}")
    removed = digest_of(read(made), Context(roots=ROOTS)).removed
    assert (len(removed), removed[0], removed[-1]) == (40, "2.py", "41.py")


def test_files_outside_the_project_are_nobodys() -> None:
    made = ClaudeCode().user("Look.").call("Read", {"file_path": "/etc/hosts.conf"})
    made.call("Bash", {"command": "cat ~/notes.txt && sed -n 1,5p store/lock.py | head"})
    assert digest_of(read(made), Context(roots=ROOTS)).read == {"store/lock.py": 1}


def test_secrets_and_what_memory_told_are_not_kept() -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    told = "## Memory Recall\n\nNotes.\n```\nabc: what memory told before\n```\n"
    made = ClaudeCode().user(f"{told}\nUse the key {secret} for the push.").agent("Pushed.")
    session = read(made)
    text = as_bytes(digest_of(session, Context())).decode()
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


def test_of_many_requests_the_first_and_the_last_are_kept_each_once() -> None:
    made = ClaudeCode()
    for number in range(30):
        made.user(f"Request {number}.").user(f"Request {number}.")
    digest = digest_of(read(made), Context())
    kept = [*range(10), *range(20, 30)]
    assert digest.asked == tuple(f"Request {number}." for number in kept)
    assert digest.messages == 60


def test_texts_are_cut_at_their_widths_and_ids_counted() -> None:
    made = ClaudeCode(branch="b" * 300).user("word " * 200).agent("one. " * 400)
    ids = [f"obs-{number}" for number in range(60)]
    context = Context(failed=["f" * 300], decided=["d" * 300], recalls=ids[:3], memories=ids[:4])
    digest = digest_of(read(made), context)
    texts = (digest.asked, digest.failed, digest.decided, [digest.last], [digest.branch])
    assert [len(it[0]) for it in texts] == [235, 200, 200, 595, 120]
    assert (digest.recalls, digest.memories) == (tuple(ids[:3]), tuple(ids[:4]))
    assert len(digest_of(read(made), Context(recalls=ids)).recalls) == 50


def test_only_what_wrote_all_of_a_file_made_it() -> None:
    made = ClaudeCode().user("Go.").call("Read", {"file_path": "read.py"})
    for path in ("read.py", "changed.py", "made.py"):
        if path == "changed.py":
            made.edit(path)
        made.call("Write", {"file_path": path, "content": "x"})
    made.call("Bash", {"command": "sed -i s/a/b/ sed.py"})
    made.call("Bash", {"command": "echo 1 > echo.py"})
    made.call("Write", {"file_path": "not.py", "content": "x"}, "denied", failed=True)
    digest = digest_of(read(made), Context(roots=ROOTS))
    assert digest.created == ("made.py", "echo.py")
    assert "not.py" not in digest.changed


def test_a_commit_that_failed_is_none() -> None:
    made = ClaudeCode().user("Go.").call("Bash", {"command": "git commit -m 'Fix the lock'"})
    made.call("Bash", {"command": "git commit -m 'Nothing'"}, "nothing to commit", failed=True)
    assert digest_of(read(made), Context()).commits == ("Fix the lock",)


def test_a_session_ends_well_where_the_agent_spoke_last() -> None:
    assert not digest_of(read(ClaudeCode()), Context()).ended_well
    assert not digest_of(read(ClaudeCode().agent("Done.").user("And?")), Context()).ended_well
    said_after = ClaudeCode().user("Go.").edit("a.py").agent("Done.")
    assert digest_of(read(said_after), Context()).ended_well


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


def test_a_long_message_is_cut_at_a_paragraph_then_a_line_then_a_word_then_anywhere() -> None:
    def cut(text: str) -> list[int]:
        return [len(it.text) for it in passages_of(read(ClaudeCode().user(text)))]

    word = "w" * 99
    assert cut(f"{'p' * 700}\n\n{'q' * 1_000}") == [700, 1_000]
    assert cut(f"{'p' * 500}\n\n{'q' * 700}\n{'r' * 1_000}") == [1_202, 1_000]
    assert cut(" ".join([word] * 17)) == [1_599, 99]
    assert cut("x" * 1_600) == [1_600]
    assert cut("x" * 1_601) == [1_600, 1]


def test_what_changed_after_a_message_stands_with_its_first_passage() -> None:
    made = ClaudeCode().edit("before.py").user("x" * 2_000).edit("a.py").edit("b.py")
    made.call("Write", {"file_path": "no.py", "content": ""}, "denied", failed=True)
    made.agent("So.").edit("a.py")
    files = [it.files for it in passages_of(read(made), ROOTS)]
    assert files == [("a.py", "b.py"), (), ("a.py",)]


def test_what_takes_just_4_kb_is_left_whole() -> None:
    empty = len(as_bytes(SessionDigest("s", last="x"))) - 1
    full = SessionDigest("s", last="x" * (MAX_BYTES - empty))
    assert len(as_bytes(full)) == MAX_BYTES
    assert fitting(full) == full
    assert fitting(full._replace(last=full.last + "x")) != full._replace(last=full.last + "x")


def test_the_least_telling_goes_first() -> None:
    said = ["".join(chr(97 + (number * 7 + at) % 26) for at in range(110)) for number in range(30)]
    full = SessionDigest(
        "s",
        asked=tuple(said[:20]),
        changed={f"changed/{it[:40]}.py": 2 for it in said},
        created=tuple(f"changed/{it[:40]}.py" for it in said),
        read={f"read/{it[:40]}.py": 1 for it in said},
        failed=tuple(said[:8]),
        decided=tuple(said[:8]),
        memories=tuple(said[:30]),
        last="The end.",
    )
    short = fitting(full)
    assert len(as_bytes(short)) <= MAX_BYTES
    assert len(as_bytes(short)) > MAX_BYTES - 400, "no more is left out than has to be"
    last = len(short.asked) // 2
    assert short.asked == (*full.asked[: len(short.asked) - last], *full.asked[-last:])
    assert short.last == "The end."
    assert (len(short.read), len(short.changed)) == (6, 19)
    assert list(short.changed) == list(full.changed)[:19]
    assert fitting(short) == short


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
    data = as_bytes(digest)
    assert len(data) <= MAX_BYTES
    assert from_bytes(data) == digest


def test_keys_that_are_unknown_survive_and_fields_of_the_wrong_shape_are_empty() -> None:
    digest = from_bytes(b'{"id": "a", "later": {"x": 1}, "asked": 5, "changed": {"a.py": "x"}}')
    assert digest == SessionDigest("a", extra={"later": {"x": 1}})
    assert from_bytes(as_bytes(digest)) == digest


@pytest.mark.parametrize("odd", [None, True, -1, 1.5, "x", [], [1, "", None], {}, {"a": -1}])
def test_whatever_a_field_holds_it_is_read_as_what_it_is(odd: object) -> None:
    plain = from_record({"id": "a"})
    for key in json.loads(as_bytes(WHOLE)).keys() - {"id"}:
        digest = from_record({"id": "a", key: odd})
        assert {it: type(value) for it, value in digest._asdict().items()} == {
            it: type(value) for it, value in plain._asdict().items()
        }, key
        numbers = [digest.issue, digest.messages, digest.size]
        numbers += [*digest.changed.values(), *digest.read.values()]
        assert all(type(it) is int and it >= 0 for it in numbers), key
        assert from_bytes(as_bytes(digest)) == digest


@pytest.mark.parametrize("value", [None, [], "a", {}, {"id": ""}, {"id": 7}, {"id": None}])
def test_a_record_without_an_id_is_none(value: object) -> None:
    with pytest.raises(InvalidRecord):
        from_record(value)


def test_an_id_that_is_no_text_name_is_hashed() -> None:
    assert text_name("67ae729c-14c9") == "67ae729c-14c9"
    assert text_name("../../x") != text_name("../../y")
    assert "/" not in text_name("../../x")
    assert not text_name(".hidden").startswith(".")


def test_a_digest_tells_what_it_takes() -> None:
    made = ClaudeCode().user("Make the lock time out.").agent("The lock times out after 5 s.")
    told = digest_observation(digest_of(read(made), Context()))
    assert told.tokens == estimate_tokens(told.content)


@pytest.mark.parametrize(
    ("text", "summary"),
    [
        ("Done. The lock waits.\nMore.", "Done. The lock waits."),
        ("## Review\n\n---\n**Found:**\nThe lock never waits.", "The lock never waits."),
        ("```sh\nmake check\n```", "make check"),
        ("# Review\n\n```\n```", "# Review"),
    ],
)
def test_a_message_is_summed_up_by_its_first_line_that_says_something(
    text: str, summary: str
) -> None:
    (told,) = message_observations(SessionDigest("s"), [Passage(1, ANSWER, text)])
    assert told.summary == summary


@pytest.mark.parametrize(
    ("line", "summary"),
    [
        ("**Steps:**", "It waits."),
        ("**Steps**:", "It waits."),
        ("# Steps", "It waits."),
        ("---", "It waits."),
        ("**Steps** are these:", "**Steps** are these:"),
        ("**Steps** and **ways**", "**Steps** and **ways**"),
        ("Steps **first**", "Steps **first**"),
    ],
)
def test_a_message_is_told_by_its_first_line_that_opens_nothing(line: str, summary: str) -> None:
    said = Passage(1, "answer", f"{line}\nIt waits.")
    (told,) = message_observations(digest_of(read(ClaudeCode().user("Go on.")), Context()), [said])
    assert told.summary == summary
