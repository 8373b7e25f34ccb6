"""Sessions in a recall: messages and files, with their kind, and what stays out."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest

from store import Memory, open_memory
from store.agents.files import files_at
from store.model import Observation
from store.recall.plan import recall
from store.recall.request import RecallRequest
from store.recall.session_files import NO_FILES, FilesOfSessions
from store.recall.values import Candidate, Kind
from tests.store.capture.transcripts import ClaudeCode
from tests.store.factories import observation

NOW = datetime(2026, 3, 4, 12, tzinfo=UTC)


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    memory = open_memory(tmp_path / "memory", cache=tmp_path / "cache")
    one = ClaudeCode(session="s-lock").user("Why does the lock hang on Windows?")
    one.agent("It waits for the manifest, so five retries are the limit.").edit("store/lock.py")
    two = ClaudeCode(session="s-parse").user("Rename the parser.").edit("store/parse.py")
    for made in (one, two.agent("Renamed.")):
        (tmp_path / f"{made.session}.jsonl").write_text("\n".join(made.lines))
    memory.sessions.index(list(files_at(sorted(tmp_path.glob("*.jsonl")), "claude-code")))
    return memory


def test_messages_are_told_beside_memories_each_with_its_kind(memory: Memory) -> None:
    recall = memory.recall.plan(task="the lock hangs again", budget=2_000)
    told = {it.observation.id: it for it in recall.included}
    answer = told["s-lock#2"]
    assert (answer.kind, answer.observation.session_id) == (Kind.MESSAGE, "s-lock")
    assert "five retries are the limit" in answer.text
    assert answer.text in recall.text
    assert {it.kind for it in recall.candidates} == {Kind.MESSAGE, Kind.SESSION}
    assert recall.files[0].path == "store/lock.py"
    assert "Files this may touch" in recall.text
    assert "store/lock.py 1×" in recall.text


def test_a_message_is_told_by_an_ending_that_no_other_has(memory: Memory, tmp_path: Path) -> None:
    made = ClaudeCode(session="t-lock").user("Does the lock hang?").agent("The lock hangs here.")
    (tmp_path / "t-lock.jsonl").write_text("\n".join(made.lines))
    memory.sessions.index(list(files_at([tmp_path / "t-lock.jsonl"], "claude-code")))
    held = [observation(f"The lock hangs in {it}.", id=f"{it}-abc") for it in ("ci", "qa")]
    memory.store(held)
    recall = memory.recall.plan(task="the lock hangs again", budget=2_000)
    handles = {it.partition(" ")[0].rstrip(":") for it in recall.text.splitlines()}
    assert {"s-lock#2", "t-lock#2", "i-abc", "a-abc"} <= handles


def test_a_session_that_came_in_after_a_recall_is_told_by_the_next(
    memory: Memory, tmp_path: Path
) -> None:
    def told() -> set[str]:
        recall = memory.recall.plan(task="the lock hangs again", budget=2_000)
        return {it.observation.session_id for it in recall.included}

    assert told() == {"s-lock"}
    made = ClaudeCode(session="s-mac").user("Why does the lock hang on macOS?")
    path = tmp_path / "s-mac.jsonl"
    path.write_text("\n".join(made.agent("The lock hangs again where fsync is slow.").lines))
    memory.sessions.index(list(files_at([path], "claude-code")))
    assert told() == {"s-lock", "s-mac"}


def test_a_file_that_stands_no_more_in_the_project_is_not_told(
    memory: Memory, tmp_path: Path
) -> None:
    def told(memory: Memory) -> list[str]:
        return [
            it.path for it in memory.recall.plan(task="the parser and the lock", budget=2_000).files
        ]

    assert sorted(told(memory)) == ["store/lock.py", "store/parse.py"]
    (tmp_path / ".git").mkdir()
    there = open_memory(tmp_path / "memory", cache=tmp_path / "cache")
    assert len(told(there)) == 2, "nothing of these paths is here: they are of another place"
    (tmp_path / "store").mkdir()
    (tmp_path / "store" / "parse.py").touch()
    assert told(there) == ["store/parse.py"]


@pytest.mark.parametrize(("query", "found"), [
    ("file:lock.py", {"s-lock"}), ("file:lock.py,store/parse.py", {"s-lock", "s-parse"}),
    ("-file:lock.py", {"s-parse"}), ("file:lock.py,none.py", {"s-lock"}), ("file:none.py", set()),
])  # fmt: skip
def test_sessions_are_found_by_any_of_the_files_that_they_touched(
    memory: Memory, query: str, found: set[str]
) -> None:
    hits = memory.search(f"in:sessions {query}").hits
    assert {it.entry.id.partition("#")[0] for it in hits} == found


def test_the_files_of_a_session_are_told_by_what_was_said_in_it(
    memory: Memory, tmp_path: Path
) -> None:
    made = ClaudeCode(session="s-tax").user("Have a look at this.").edit("store/tax.py")
    for each in ("Rounding goes half to even.", "The gateway needs whole cents.", "Done."):
        made.agent(each).user("Go on.")
    path = tmp_path / "s-tax.jsonl"
    path.write_text("\n".join(made.lines))
    memory.sessions.index(list(files_at([path], "claude-code")))
    recall = memory.recall.plan(task="rounding half to even is wrong in cents", budget=2_000)
    assert recall.files[0].path == "store/tax.py"


def test_sessions_are_told_by_their_digests_where_the_cache_was_lost(
    memory: Memory, tmp_path: Path
) -> None:
    shutil.rmtree(tmp_path / "cache")
    with open_memory(tmp_path / "memory", cache=tmp_path / "cache") as other:
        recall = other.recall.plan(task="why does the lock hang on windows", budget=2_000)
        assert {(it.kind, it.observation.session_id) for it in recall.candidates} == {
            (Kind.SESSION, "s-lock")
        }
        assert recall.files[0].path == "store/lock.py"


def test_a_recall_is_the_same_however_little_is_remembered(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.store([observation(f"The lock waits for holder {at} at most.") for at in range(9)])
    asked = [
        memory.recall.plan(task=task, budget=2_000) for task in ("the lock hangs", "the parser")
    ]
    for limit in (
        "store.recall.candidates._ANSWERS",
        "store.recall.candidates._REMEMBERED",
        "store.recall.overlaps._REMEMBERED",
        "store.sessions.candidates._REMEMBERED",
        "store.redaction.outgoing._MET",
    ):
        monkeypatch.setattr(limit, 2)
    for _ in range(2):
        again = [
            memory.recall.plan(task=task, budget=2_000) for task in ("the lock hangs", "the parser")
        ]
        assert again == asked


def test_a_session_is_not_told_what_it_said_itself(memory: Memory) -> None:
    recall = memory.recall.plan(task="the lock hangs again", budget=2_000, session_id="s-lock")
    assert "s-lock" not in {it.observation.session_id for it in recall.candidates}
    assert "store/lock.py" not in recall.text


def test_where_nothing_says_what_it_is_about_the_last_sessions_are_told(
    memory: Memory,
) -> None:
    for words in ((), ("unheard-of",)):
        recall = memory.recall.plan(budget=2_000, branch_words=words)
        assert {it.observation.id for it in recall.included} == {"s-lock", "s-parse"}
        assert recall.counts == (0, 0, 2)
        assert "store/lock.py" in recall.text


def test_of_many_sessions_the_last_is_told_that_came_in_last(tmp_path: Path) -> None:
    paths = [tmp_path / f"s-{day:02}.jsonl" for day in range(1, 15)]
    for path in paths:
        made = ClaudeCode(session=path.stem).user("Rename the parser.").agent("Renamed.")
        text = "\n".join(made.lines).replace("2026-03-01", f"2026-03-{path.stem[-2:]}")
        path.write_text(text)
    with open_memory(tmp_path / "memory", cache=tmp_path / "cache") as memory:
        for some in (paths[:-1], paths[-1:]):
            memory.sessions.index(list(files_at(some, "claude-code")))
        told = [it.observation.id for it in memory.recall.plan(budget=2_000).included]
    assert told == ["s-14"]


def test_a_last_session_that_memories_tell_of_is_not_told_again(memory: Memory) -> None:
    memory.store([observation("store/lock.py waits for the manifest", session_id="s-lock")])
    recall = memory.recall.plan(budget=2_000)
    assert recall.counts == (1, 0, 1)
    assert {it.observation.session_id for it in recall.included} == {"s-lock", "s-parse"}


def test_a_task_that_nothing_was_said_of_is_told_no_session(memory: Memory) -> None:
    assert not memory.recall.plan(task="unheard-of", budget=2_000).candidates


def test_an_issue_is_told_its_own_sessions(memory: Memory) -> None:
    assert not memory.recall.plan(issue=42, budget=2_000).candidates


@pytest.mark.parametrize("profile", ["agentx", "evolving"])
def test_the_other_profiles_draw_on_memories_alone(memory: Memory, profile: str) -> None:
    for task in ("lock", ""):
        recall = memory.recall.plan(task=task, budget=2_000, profile=profile)
        assert not recall.candidates
        assert not recall.text


@pytest.mark.parametrize("budget", [20, 60, 150, 400, 1_500])
def test_the_text_keeps_to_its_budget_with_the_files_in_it(memory: Memory, budget: int) -> None:
    recall = memory.recall.plan(task="the lock hangs again", budget=budget)
    assert recall.tokens <= budget


def test_a_muted_message_stays_out(memory: Memory) -> None:
    recall = memory.recall.plan(task="the lock hangs again", budget=2_000, muted=["s-lock#2"])
    assert "s-lock#2" not in {it.observation.id for it in recall.included}


class Said:
    """Sessions that offer what was said, and one that was the last."""

    def __init__(self, *said: Candidate) -> None:
        self.said = list(said)

    def candidates(self, request: RecallRequest) -> list[Candidate]:
        return self.said

    def newest(self, request: RecallRequest, besides: set[str]) -> list[Candidate]:
        return [Candidate(observation(id="newest", content="The last one."), kind=Kind.SESSION)]

    def files(self) -> FilesOfSessions:
        return NO_FILES

    def likeness(self, request: RecallRequest) -> dict[str, float]:
        return {}

    def handle(self, message: Observation) -> str:
        return message.id


class Kept:
    """Memories that note the room they were asked to fill."""

    def candidates(
        self, request: RecallRequest, room: int, *, filtered: bool = False
    ) -> list[Candidate]:
        self.room = room
        return []

    def handle(self, memory: Observation) -> str:
        return memory.id


def recalled(said: Said, request: RecallRequest) -> tuple[list[str], int]:
    """The ids of what is recalled of sessions, and the room that memories had beside it."""
    kept = Kept()
    found = recall(kept, request, NOW, sessions=said)  # type: ignore[arg-type]
    return [it.observation.id for it in found.candidates], kept.room


def test_the_last_sessions_are_told_only_where_nothing_is_known_of_what_is_asked() -> None:
    message = Candidate(observation(id="found", content="Hold the lock."), kind=Kind.MESSAGE)
    asked = RecallRequest(budget=500)
    assert recalled(Said(message), asked)[0] == ["found"]
    assert recalled(Said(), asked._replace(task="the lock"))[0] == []
    assert recalled(Said(), asked)[0] == ["newest"]


def test_what_was_said_takes_of_the_room_of_memories_but_leaves_them_half() -> None:
    def beside(*lengths: int) -> int:
        texts = [observation(id=f"m{at}", content="x" * it) for at, it in enumerate(lengths)]
        said = Said(*(Candidate(it, kind=Kind.MESSAGE) for it in texts))
        return recalled(said, RecallRequest(budget=500, task="the lock"))[1]

    alone = beside()
    assert beside(2_000, 500) == alone - 2_500
    assert beside(alone) == alone - alone // 2


def test_a_session_is_told_the_files_of_those_that_were_alike_not_its_own(
    memory: Memory, tmp_path: Path
) -> None:
    made = ClaudeCode(session="s-mac").user("Why does the manifest wait on macOS?")
    (tmp_path / "s-mac.jsonl").write_text("\n".join(made.edit("store/sync.py").lines))
    memory.sessions.index(list(files_at([tmp_path / "s-mac.jsonl"], "claude-code")))

    def first(session: str) -> str:
        task = (
            "Why the lock hangs on Windows: five retries are the limit, it waits for the manifest."
        )
        asked = RecallRequest(task=task, budget=2_000, session_id=session)
        return memory.recall.plan(asked).files[0].path

    assert (first(""), first("s-lock")) == ("store/lock.py", "store/sync.py")


def test_a_session_is_not_told_to_itself(memory: Memory) -> None:
    def told(task: str, session: str) -> set[str]:
        asked = RecallRequest(task=task, budget=2_000, session_id=session)
        return {it.observation.session_id for it in memory.recall.plan(asked).candidates}

    for task in ("the lock hangs again, rename the parser", ""):
        assert told(task, "s-lock") == {"s-parse"}
        assert told(task, "s-other") == {"s-lock", "s-parse"}
