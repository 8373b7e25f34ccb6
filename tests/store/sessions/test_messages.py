"""Messages kept beside a digest: by a setting, within a limit, found without file and cache."""

from __future__ import annotations

import gzip
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store import Memory, Observation, open_memory
from store.redaction.outgoing import Outgoing
from store.sessions.messages_record import messages_bytes, messages_from
from store.sessions.model import ANSWER, REQUEST, Passage
from store.sessions.records import SessionRecords
from store.settings.schema import Settings
from tests.store.capture.transcripts import NOW
from tests.store.sessions.talks import talk


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
