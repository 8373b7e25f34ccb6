"""What is kept of a session: its digest and its records."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from store import Memory, Observation, open_memory
from store.agents.reading import read_session
from store.agents.session import Session
from store.backends.memory.backend import Held, MemoryBackend, MemoryTexts
from store.backends.protocol import Backend
from store.backends.text_kinds import TextKind
from store.errors import Unopened
from store.redaction.outgoing import Outgoing
from store.sessions.checkpoint import Checkpoint, Checkpoints, KeptMessage
from store.sessions.digest import MAX_PASSAGE, Context, digest_of, passages_of
from store.sessions.digest_record import (
    MAX_BYTES,
    digest_bytes,
    digest_from_record,
    load_record,
    text_name,
)
from store.sessions.messages_record import messages_bytes, messages_from
from store.sessions.model import ANSWER, REQUEST, Passage, SessionDigest
from store.sessions.records import SessionRecords
from store.settings.schema import Settings
from tests.store.capture.transcripts import ClaudeCode
from tests.store.factories import NOW, Clock
from tests.store.sessions.talks import talk

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


@settings(max_examples=10)
@given(
    texts=st.lists(st.text(max_size=400), max_size=30),
    names=st.lists(st.text(min_size=1, max_size=80), max_size=60, unique=True),
    branch=st.text(max_size=300),
)
def test_records_of_any_session_are_small(texts: list[str], names: list[str], branch: str) -> None:
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


# Messages kept beside a digest: by a setting, within a limit, found without file and cache.


def opened(folder: Path, cache: str = "cache", *, keep: bool = True) -> Memory:
    settings = Settings(keep_messages=keep)
    return open_memory(folder / "memory", cache=folder / cache, settings=settings)


def kept(folder: Path) -> set[str]:
    return {path.name for path in (folder / "memory" / "messages").glob("*.gz")}


def test_they_are_found_without_the_file_and_the_cache(tmp_path: Path) -> None:
    file = talk(tmp_path, "one", "Why does the lock hang?", "It waits for the manifest.")
    opened(tmp_path).session_indexing.index([file])
    file.path.unlink()
    later = opened(tmp_path, "other cache")
    assert [hit.entry.id for hit in later.search("in:sessions manifest").hits] == ["one#2"]
    assert [it.text for it in later.sessions.open("one").entries] == [
        "Why does the lock hang?",
        "It waits for the manifest.",
    ]
    assert (tmp_path / "memory" / "messages" / ".gitignore").exists()


def test_the_oldest_go_where_there_is_no_room(tmp_path: Path) -> None:
    records = SessionRecords(opened(tmp_path).backend, Outgoing(None))
    for name in ("one", "two"):
        records.write_messages(name, [Passage(1, REQUEST, "Make it wait.")], NOW, 60)
    assert kept(tmp_path) == {"two.jsonl.gz"}


def test_what_is_forgotten_is_forgotten_there_too(tmp_path: Path) -> None:
    memory = opened(tmp_path)
    secret = "The gate code of the northern warehouse is four zero nine two seven."
    memory.session_indexing.index([talk(tmp_path, "one", secret, "It waits for the manifest.")])
    [identifier] = memory.store([Observation("dev", 1, "key-fact", secret)])
    memory.forget(memory.plan.forget([identifier]))
    [path] = tmp_path.rglob("one.jsonl.gz")
    assert b"four zero nine" not in gzip.decompress(path.read_bytes())


@settings(max_examples=8)
@given(
    st.lists(
        st.builds(
            Passage,
            st.integers(1, 10**6),
            st.sampled_from([REQUEST, ANSWER]),
            st.text(st.characters(exclude_categories=["Cs"]), min_size=1),
            st.none() | st.just(NOW),
            st.integers(0, 9),
            st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1)).map(tuple),
        )
    )
)
def test_they_are_read_as_they_were_written(messages: list[Passage]) -> None:
    data = messages_bytes(messages)
    assert messages_from(data) == messages
    assert messages_bytes(messages) == data


@pytest.mark.parametrize("cut", [0, 1, 10, 30])
def test_what_is_damaged_is_none(cut: int) -> None:
    data = messages_bytes(
        [Passage(1, REQUEST, "Make it wait.", datetime.fromisoformat("2026-03-01"))]
    )
    assert messages_from(data[:cut]) == []
    assert messages_from(b"no gzip at all") == []


# The digests and checkpoints of a memory: read, shown, kept; what can't be opened stays.


SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
ONE = SessionDigest("one", "codex", asked=("Mend the till.",), ended=NOW)


class SomeTexts(MemoryTexts):
    """Texts in memory, of which those named here can't be opened just now."""

    unopened: frozenset[str] = frozenset()

    def read(self, kind: TextKind, name: str) -> bytes:
        if name in self.unopened:
            raise Unopened(f"{name} can't be opened: too many open files.")
        return super().read(kind, name)


class Some(MemoryBackend):
    texts: SomeTexts

    def __init__(self) -> None:
        held = Held("m")
        super().__init__(held, Clock())
        self.texts = SomeTexts(held, Clock())


@pytest.fixture
def backend() -> Some:
    return Some()


def _records(backend: Backend) -> SessionRecords:
    return SessionRecords(backend, Outgoing(None))


def _asked(records: SessionRecords) -> dict[str, tuple[str, ...]]:
    return {digest.id: digest.asked for digest in records.digests()}


def test_what_others_wrote_is_shown_without_secrets_and_found_by_its_mark(backend: Some) -> None:
    records = _records(backend)
    records.write(ONE._replace(asked=(f"Use {SECRET} for the till.",)))
    records.write(ONE._replace(id=SECRET))
    for shown in (records.digest_of("one"), records.read_cleaned("one")):
        assert shown is not None
        assert shown.asked[0].startswith("Use [")
        assert SECRET not in shown.asked[0]
    (other,) = (digest.id for digest in records.digests() if digest.id != "one")
    assert other.startswith("[")
    found = records.digest_of(other)
    assert found is not None
    assert (found.id, found.asked) == (other, ONE.asked)
    assert records.digest_of("[GONE]") is None


def test_what_can_not_be_opened_just_now_is_passed_over_and_not_replaced(backend: Some) -> None:
    records = _records(backend)
    for name in ("one", "two"):
        records.write(ONE._replace(id=name))
    backend.texts.unopened = frozenset({"one"})
    assert records.read_cleaned("one") is None
    assert set(_asked(records)) == {"two"}
    asks: list[Callable[[], object]] = [
        lambda: records.read("one"),
        lambda: records.digest_of("one"),
        lambda: records.change_to(ONE),
    ]
    for ask in asks:
        with pytest.raises(Unopened):
            ask()
    assert records.read("gone") is None


def test_a_checkpoint_that_can_not_be_opened_stays(backend: Some) -> None:
    checkpoints = Checkpoints(backend)
    for agent, chat in (("qa", "one"), ("dev", "one"), ("qa", "two")):
        checkpoints.write(Checkpoint(agent, NOW, (KeptMessage("user", agent),), chat))
    backend.texts.unopened = frozenset({text_name("qa-one")})
    valid = checkpoints.valid(NOW)
    assert sorted((checkpoint.agent, checkpoint.chat_id) for checkpoint in valid) == [
        ("dev", "one"), ("qa", "two"),
    ]  # fmt: skip
    backend.texts.unopened = frozenset()
    assert len(checkpoints.valid(NOW)) == 3
