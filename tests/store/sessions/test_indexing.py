"""Taking sessions in: kept, found again, resumed, followed, and never lost with the cache."""

from __future__ import annotations

import shutil
from datetime import timedelta
from pathlib import Path

import pytest

from store import Memory, open_memory
from store.agents.client import SessionFile
from store.agents.files import files_at
from store.backends.files.layout import SESSIONS
from store.errors import InvalidQuery
from store.model import Facets, Observation
from store.search.folder import SEEN
from store.search.query import check_understood
from store.search.schema import VERSION
from store.sessions.index import SessionIndex
from store.sessions.indexing import IndexReport
from store.sessions.seen import FORMAT, file_key
from store.settings.schema import Settings
from tests.store.capture.transcripts import ClaudeCode


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    return open_memory(tmp_path / "memory", cache=tmp_path / "cache")


def write(folder: Path, name: str, *said: str) -> SessionFile:
    """A session in which one asks and the other answers in turn."""
    made = ClaudeCode(session=name)
    for at, text in enumerate(said):
        made = made.agent(text) if at % 2 else made.user(text)
    path = folder / f"{name}.jsonl"
    path.write_text("\n".join(made.lines))
    return next(iter(files_at([path], "claude-code")))


def found(memory: Memory, query: str) -> list[str]:
    return [hit.entry.id for hit in memory.search(f"in:sessions {query}").hits]


def test_sessions_are_kept_and_their_messages_found(memory: Memory, tmp_path: Path) -> None:
    files = [write(tmp_path, "one", "Why does the lock hang?", "It waits for the manifest.")]
    files.append(write(tmp_path, "two", "Rename the parser.", "Renamed."))
    done = memory.sessions.index(files)
    assert (done.taken, done.known, done.left, done.unfinished) == (2, 0, (), False)
    assert {it.id for it in memory.sessions.digests()} == {"one", "two"}
    assert found(memory, "manifest") == ["one#2"]
    assert memory.search("in:sessions tag:feature/29-locks").total == 4
    assert memory.search("manifest").total == 0
    assert memory.search("in:all manifest").total == 1
    assert [it.content for it in memory.sessions.messages("one")] == [
        "Why does the lock hang?",
        "It waits for the manifest.",
    ]


def test_a_message_that_is_found_is_told_with_those_around_it(
    memory: Memory, tmp_path: Path
) -> None:
    said = ("Why one?", "Since two.", "Why three?", "Since four.", "Why five?")
    memory.sessions.index(
        [write(tmp_path, "one", *said), write(tmp_path, "two", "Why six?", "Seven.")]
    )
    told = memory.sessions.around(memory.search("in:sessions why").hits)
    assert told == {
        "one#1": ("", said[1]), "one#3": (said[1], said[3]), "one#5": (said[3], ""),
        "two#1": ("", "Seven."),
    }  # fmt: skip


def test_what_is_said_late_in_a_long_message_is_found_where_it_stands(
    memory: Memory, tmp_path: Path
) -> None:
    memory.sessions.index([write(tmp_path, "one", "Why?", f"{'So it is. ' * 200}A zebra waits.")])
    assert found(memory, "zebra") == ["one#2.1"]


def test_the_folder_is_kept_out_of_git_unless_it_is_shared(tmp_path: Path) -> None:
    file = write(tmp_path, "one", "From now on retry at most 3 times, because it gives up.", "Yes.")
    for name, shared in (("private", False), ("shared", True)):
        settings = Settings(share_sessions=shared)
        with open_memory(tmp_path / name, cache=tmp_path / "c", settings=settings) as memory:
            memory.sessions.index([file])
            assert memory.capture.apply(memory.capture.plan_files([file])).ids
        assert (tmp_path / name / SESSIONS / ".gitignore").exists() != shared


def test_a_stopped_run_goes_on_where_it_was(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("store.sessions.indexing.STEP", 1)
    files = [write(tmp_path, f"s{at}", f"Question {at}.", "Answer.") for at in range(4)]
    stopped = memory.sessions.index(files, lambda done, total: done < 2)
    assert (stopped.taken, stopped.unfinished) == (2, True)
    assert len(memory.sessions.digests()) == 2
    rest = memory.sessions.index(files)
    assert (rest.taken, rest.known, rest.unfinished) == (2, 2, False)
    assert memory.sessions.index(files).taken == 0


def test_a_session_that_went_on_is_read_again(memory: Memory, tmp_path: Path) -> None:
    memory.sessions.index([write(tmp_path, "one", "First.", "Yes.")])
    memory.sessions.index([write(tmp_path, "one", "First.", "Yes.", "Then the zebra.", "Done.")])
    assert found(memory, "zebra") == ["one#3"]
    assert len(found(memory, "first")) == 1
    assert memory.sessions.digests()[0].messages == 4


def test_what_is_no_session_is_told_and_the_rest_goes_on(memory: Memory, tmp_path: Path) -> None:
    bad = tmp_path / "bad.jsonl"
    bad.write_text("no session at all")
    files = [*files_at([bad], ""), write(tmp_path, "one", "Hello there.", "Hello.")]
    done = memory.sessions.index(files)
    assert done.taken == 1
    assert [sentence for sentence in done.left if "bad.jsonl" in sentence]


def test_digests_come_back_without_the_cache_and_messages_with_the_next_reading(
    memory: Memory, tmp_path: Path
) -> None:
    file = write(tmp_path, "one", "Why does the lock hang?", "It waits for the manifest.")
    memory.sessions.index([file])
    shutil.rmtree(tmp_path / "cache")
    with open_memory(tmp_path / "memory", cache=tmp_path / "cache") as other:
        assert found(other, "manifest") == []
        assert other.sessions.digests()[0].asked == ("Why does the lock hang?",)
        assert other.sessions.index([file]).taken == 1
        assert found(other, "manifest") == ["one#2"]


def test_a_digest_that_is_removed_takes_its_messages_along(memory: Memory, tmp_path: Path) -> None:
    memory.sessions.index([write(tmp_path, "one", "Why does the lock hang?", "It waits.")])
    (tmp_path / "memory" / SESSIONS / "one.json").unlink()
    assert found(memory, "lock") == []


@pytest.mark.parametrize("name", ["seen.json", "messages", "sessions"])
def test_a_damaged_index_is_made_anew(memory: Memory, tmp_path: Path, name: str) -> None:
    file = write(tmp_path, "one", "Why does the lock hang?", "It waits for the manifest.")
    memory.sessions.index([file])
    folder = next((tmp_path / "cache").glob("*-sessions"))
    damaged = [folder / name] if name == "seen.json" else list((folder / name).iterdir())
    for path in damaged:
        path.write_bytes(b"\0" * 7)
    with open_memory(tmp_path / "memory", cache=tmp_path / "cache") as other:
        assert found(other, "manifest") == []
        assert other.sessions.index([file]).taken == 1
        assert found(other, "manifest") == ["one#2"]


def test_a_session_that_says_the_same_is_no_operation(memory: Memory, tmp_path: Path) -> None:
    file = write(tmp_path, "one", "Why does the lock hang?", "It waits for the manifest.")
    memory.sessions.index([file])
    before = memory.history.operations()
    touched = file._replace(modified=file.modified + timedelta(seconds=1))
    assert memory.sessions.index([touched]).taken == 1
    assert memory.history.operations() == before
    assert len(before) == 1
    assert dict(before[0].action.figures) == {"sessions": 1}


def test_a_token_in_the_path_of_a_session_is_kept_nowhere(memory: Memory, tmp_path: Path) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    folder = tmp_path / f"x-access-token:{token}@github.com"
    folder.mkdir()
    file = write(folder, "one", "Why does the lock hang?", "It waits for the manifest.")
    memory.sessions.index([file])
    assert memory.sessions.to_index([file]) == []
    kept = [*(tmp_path / "cache").rglob("*"), *(tmp_path / "memory").rglob("*")]
    assert [it for it in kept if it.is_file() and token.encode() in it.read_bytes()] == []


def test_what_an_earlier_version_saw_by_its_path_is_not_read_again(
    memory: Memory, tmp_path: Path
) -> None:
    file = write(tmp_path, "one", "Why does the lock hang?", "It waits for the manifest.")
    memory.sessions.index([file])
    seen = next((tmp_path / "cache").glob("*-sessions")) / SEEN
    seen.write_text(seen.read_text().replace(file_key(file.path), str(file.path)))
    assert str(file.path) in seen.read_text()
    with open_memory(tmp_path / "memory", cache=tmp_path / "cache") as other:
        assert other.sessions.to_index([file]) == []
        assert other.sessions.to_index([file._replace(size=file.size + 1)])


def test_a_capture_takes_the_session_in(memory: Memory, tmp_path: Path) -> None:
    made = ClaudeCode().user("Always keep the lock short, please.").edit("store/lock.py")
    path = tmp_path / "s.jsonl"
    path.write_text("\n".join(made.agent("Kept it short in store/lock.py.").lines))
    with path.open("rb") as lines:
        report = memory.capture.apply(memory.capture.plan(lines, environ={}))
    digest = memory.sessions.digests()[0]
    assert digest.memories == tuple(report.ids)
    assert digest.path == str(path)
    assert found(memory, "short")[:1]
    with path.open("rb") as lines:
        memory.capture.apply(memory.capture.plan(lines, environ={}))
    assert memory.sessions.digests()[0].memories == tuple(report.ids)


def test_a_query_that_looks_into_sessions_changes_nothing(memory: Memory) -> None:
    with pytest.raises(InvalidQuery) as raised:
        check_understood(memory.parse_query("in:sessions lock"))
    assert [it.kind for it in raised.value.notes] == ["place-not-changed"]


def as_earlier(cache: Path, version: int, written: str) -> Path:
    """Make the index one that an earlier version left: its folder, which is returned."""
    folder = next(cache.glob("*-sessions"))
    earlier = folder.with_name(folder.name.replace(f"-v{VERSION}-", f"-v{version}-"))
    folder.rename(earlier)
    seen = earlier / SEEN
    seen.write_text(seen.read_text().replace(FORMAT, written))
    return earlier


@pytest.mark.parametrize("same_way", [True, False])
def test_another_version_of_the_index_loses_no_message(
    memory: Memory, tmp_path: Path, *, same_way: bool
) -> None:
    one = write(tmp_path, "one", "Why does the lock hang?", "It waits for the manifest.")
    gone = write(tmp_path, "gone", "Where is the manifest?", "Beside the lock.")
    undone = write(tmp_path, "undone", "What is a manifest?", "A list.")
    memory.sessions.index([one, gone, undone])
    written = f"{FORMAT}0" if same_way else "sessions-0-1"
    gone.path.unlink()
    (tmp_path / "memory" / SESSIONS / "undone.json").unlink()
    as_earlier(tmp_path / "cache", VERSION - 2, written)
    with open_memory(tmp_path / "memory", cache=tmp_path / "cache") as between:
        assert len(found(between, "manifest")) == 2
    as_earlier(tmp_path / "cache", VERSION - 1, written)
    with open_memory(tmp_path / "memory", cache=tmp_path / "cache") as other:
        assert sorted(found(other, "manifest")) == ["gone#1", "one#2"]
        assert [it.content for it in other.sessions.messages("gone")][1] == "Beside the lock."
        assert other.sessions.around(other.search("in:sessions hang").hits)["one#1"][1] != ""
        assert (other.sessions.to_index([one]) == []) is same_way
        assert other.sessions.to_index([undone]) == [undone]
        other.sessions.index([one])
        assert sorted(found(other, "manifest")) == ["gone#1", "one#2"]


def test_of_earlier_versions_the_newest_is_taken_over(memory: Memory, tmp_path: Path) -> None:
    memory.sessions.index([write(tmp_path, "one", "Why does the lock hang?", "It waits.")])
    oldest = as_earlier(tmp_path / "cache", 2, FORMAT)
    with open_memory(tmp_path / "memory", cache=tmp_path / "cache") as between:
        between.sessions.index([write(tmp_path, "two", "Where is the lock?", "Beside the till.")])
        assert sorted(found(between, "lock")) == ["one#1", "two#1"]
    (newest,) = (it for it in (tmp_path / "cache").glob("*-sessions") if it != oldest)
    newest.rename(newest.with_name(newest.name.replace(f"-v{VERSION}-", f"-v{VERSION - 1}-")))
    later = tmp_path / "cache" / newest.name.replace(f"-v{VERSION}-", f"-v{VERSION + 1}-")
    shutil.copytree(oldest, later)
    with open_memory(tmp_path / "memory", cache=tmp_path / "cache") as other:
        assert sorted(found(other, "lock")) == ["one#1", "two#1"]


def test_an_earlier_index_that_is_damaged_is_left(memory: Memory, tmp_path: Path) -> None:
    file = write(tmp_path, "one", "Why does the lock hang?", "It waits for the manifest.")
    memory.sessions.index([file])
    earlier = as_earlier(tmp_path / "cache", VERSION - 1, FORMAT)
    for path in (earlier / "messages").iterdir():
        path.write_bytes(b"\0" * 7)
    with open_memory(tmp_path / "memory", cache=tmp_path / "cache") as other:
        assert found(other, "manifest") == []
        assert other.sessions.to_index([file]) == [file]
        assert other.sessions.index([file]).taken == 1
        assert found(other, "manifest") == ["one#2"]


def test_an_index_that_another_program_made_meanwhile_stands(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.sessions.index([write(tmp_path, "one", "Why does the lock hang?", "It waits.")])
    there = SessionIndex._open_folder
    answers = iter([lambda *_: False])  # it was looked for a moment too early
    monkeypatch.setattr(SessionIndex, "_open_folder", lambda *asked: next(answers, there)(*asked))
    with open_memory(tmp_path / "memory", cache=tmp_path / "cache") as other:
        assert found(other, "lock") == ["one#1"]


def test_what_is_no_session_waits_no_more_until_it_changes(tmp_path: Path) -> None:
    path = tmp_path / "garbage.jsonl"
    path.write_text("no session\n")
    (file,) = files_at([path], "claude-code")
    with open_memory(tmp_path / "memory", cache=tmp_path / "cache") as memory:
        assert memory.sessions.to_index([file]) == [file]
        left = memory.sessions.index([file]).left
        assert left
        assert memory.sessions.to_index([file]) == []
        assert [row.file for row in memory.sessions.listing([file])] == [file]
        again = memory.sessions.index([file])
        assert (again.left, again.known) == (left, 0)
        assert memory.sessions.to_index([file._replace(size=file.size + 1)])


def test_the_last_that_ended_is_told_first(memory: Memory, tmp_path: Path) -> None:
    said = {"a": 1, "b": 3, "c": 2, "d": 2}
    files = [write(tmp_path, name, *["Hello there."] * long) for name, long in said.items()]
    memory.sessions.index(files)
    assert [it.id for it in memory.sessions.digests()] == ["b", "d", "c", "a"]


def test_what_is_counted_is_what_was_asked_for(memory: Memory, tmp_path: Path) -> None:
    memory.store([Observation("engineer", 29, "decision", "The lock waits.", tags=("x",))])
    memory.sessions.index([write(tmp_path, "one", "Does the lock hang?", "It waits for the lock.")])
    for query in ("lock", "in:all lock", "in:sessions lock"):
        assert memory.search(query, facets=()).facets == Facets()
        found = memory.search(query, facets=("agent",)).facets
        assert found.agents and not (found.issues or found.tags or found.categories), query


def test_who_stops_a_run_is_not_asked_again(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("store.sessions.indexing.STEP", 1)
    files = [write(tmp_path, f"s{at}", f"Question {at}.", "Answer.") for at in range(4)]
    asked: list[tuple[int, int]] = []

    def goes_on(done: int, total: int) -> bool:
        asked.append((done, total))
        return len(asked) != 2

    assert memory.sessions.index(files, goes_on) == IndexReport(1, 0, (), unfinished=True)
    assert asked == [(0, 4), (1, 4), (1, 4)]
    assert len(memory.sessions.digests()) == 1
