"""What a recall tells of earlier sessions beside memories: their files, messages and the last."""

from __future__ import annotations

from collections.abc import Container, Sequence
from datetime import timedelta
from typing import Any, cast

import pytest

from store.model import Observation
from store.recall.candidates import CandidateSource
from store.recall.file_names import files_of_sessions
from store.recall.plan import NOTHING_TOUCHED, Touched, plan, recall
from store.recall.profiles import PROFILES
from store.recall.reasons import Verdict
from store.recall.request import RecallRequest
from store.recall.session_files import FilesOfSessions, SessionFiles
from store.recall.session_source import newest_of_sessions
from store.recall.terms import Terms
from store.recall.values import Candidate, Kind, Limits, Ranked, Recall
from store.text.tokens import estimate
from tests.store.recall.makers import NOW, observation

FILES = files_of_sessions(
    [
        SessionFiles("s1", NOW - timedelta(1), {f"src/part{at}.py": at + 1 for at in range(12)}),
        SessionFiles("s2", NOW - timedelta(2), {"src/part0.py": 1, "src/part1.py": 1}),
    ]
)


def _planned(
    tokens: int,
    task: str = "gates open late",
    touched: Touched | None = None,
    *candidates: Candidate,
    **request: Any,  # noqa: ANN401
) -> Recall:
    terms = Terms(PROFILES["memtui"], Limits(tokens), estimate(), lambda it: it.id[-4:])
    asked = RecallRequest(task=task, **request)
    return plan(candidates or (Candidate(observation("The gate.")),), asked, terms, NOW, touched)


def _listed(text: str) -> list[str]:
    return [line.split()[0] for line in text.splitlines() if line.startswith("src/")]


def test_the_files_of_a_plan_are_those_that_its_text_names() -> None:
    numbers = []
    for tokens in (100, 240, 300, 500, 800, 5_000):
        found = _planned(tokens, "gates open late", Touched(FILES, {"s1": 1.0, "s2": 0.5}))
        assert [it.path for it in found.files] == _listed(found.text)
        assert all(it.score > 0 and it.why for it in found.files)
        assert list(found.files) == sorted(found.files, key=lambda it: -it.score)
        numbers.append(len(found.files))
    assert numbers == sorted(numbers)
    assert (numbers[0], numbers[-1]) == (0, 10) and 0 < numbers[2] < 10


def test_no_files_are_told_where_nothing_is_asked_or_nothing_fits() -> None:
    touched = Touched(FILES, {"s1": 1.0})
    for found in (
        _planned(900, " \n", touched),
        _planned(900, "gates", None),
        _planned(900, "gates", NOTHING_TOUCHED),
        _planned(900, "gates", touched._replace(gone=lambda path: True)),
        _planned(9, "gates", touched),
    ):
        assert (found.files, _listed(found.text)) == ((), [])
    by_branch = _planned(900, "", touched, branch_words=("gates",))
    assert by_branch.files and _listed(by_branch.text)


def test_first_comes_how_a_session_broke_off_then_the_files_the_notes_and_the_last_line() -> None:
    first = ("Recovering:", "[user]: Go on")
    found = _planned(900, "gates", Touched(FILES, {"s1": 1.0}), first=first, last="Ask for more.")
    lines = found.text.splitlines()
    places = [lines.index(first[0]), lines.index(first[1])]
    places += [next(at for at, line in enumerate(lines) if it in line) for it in ("part0", "gate.")]
    assert places == sorted(places) and lines[-1] == "Ask for more."
    assert lines[places[2] - 1].startswith("Files this may touch")


def test_only_what_was_chosen_is_told_and_listed_and_where_nothing_was_nothing_at_all() -> None:
    said = ("The gate opens late.", "A clerk counts coins.", "Menus are sorted by price.")
    held = [Candidate(observation(text, n), {"relevance": 1 / n}) for n, text in enumerate(said, 1)]
    first, second, third = (it.observation.id for it in held)
    offered: list[list[str]] = []

    def chosen(*ids: str, **request: Any) -> Recall:  # noqa: ANN401
        def choose(ranked: Sequence[Ranked]) -> Sequence[str]:
            offered.append([it.observation.id for it in ranked])
            return ids

        terms = Terms(PROFILES["memtui"], Limits(900), estimate(), lambda it: it.id[-4:])
        asked = RecallRequest(task="gates", budget=900, **request)
        return plan(held, asked, terms, NOW, Touched(FILES, {"s1": 1.0}), choose)

    some = chosen(second, third)
    assert [it.observation.id for it in some.included] == [second, third]
    assert [it.observation.id for it in some.candidates] == [second, third]
    assert some.files and some.left_out == 0
    muted = chosen(second, third, muted=frozenset({third}))
    assert [it.reason.verdict for it in muted.candidates] == [Verdict.RELEVANT, Verdict.MUTED]
    none = chosen(first=("Recovering:", "x"))
    assert none == Recall(
        profile="memtui", channel="text", counter=none.counter, limits=Limits(900)
    )
    assert (none.text, none.files, none.candidates) == ("", (), ())
    assert offered == [[first, second, third]] * 3


def test_what_is_left_out_counts_those_that_more_room_would_tell() -> None:
    held = [Candidate(observation(f"The gate {n} {'opens late ' * 9}", n)) for n in range(20)]
    muted = frozenset(it.observation.id for it in held[:4])
    found = _planned(260, "gate", None, *held, muted=muted)
    out = [it.reason.verdict for it in found.candidates if not it.included]
    assert out.count(Verdict.MUTED) == 4
    assert found.left_out == len(out) - 4 > 0
    wide = _planned(5_000, "gate", None, *held, muted=muted)
    assert wide.left_out == 0 and len(wide.included) == 16


class Sessions:
    """Sessions that offer messages, and the last of them."""

    def __init__(self, *said: Candidate) -> None:
        self.said = said
        self.besides: list[set[str]] = []

    def candidates(self, request: RecallRequest) -> tuple[Candidate, ...]:
        return self.said

    def newest(self, request: RecallRequest, besides: Container[str]) -> list[Candidate]:
        assert isinstance(besides, set)
        self.besides.append(besides)
        last = observation("The last session.", id="last", category="session", session_id="s9")
        return [Candidate(last, {}, Kind.SESSION)]

    def files(self) -> FilesOfSessions:
        return FILES

    def likeness(self, request: RecallRequest) -> dict[str, float]:
        return {"s1": 1.0}

    def handle(self, observation: Observation) -> str:
        return f"said-{observation.id}"


class Memories:
    """What an index offers: always the same, whatever the room, which it notes."""

    def __init__(self, *memories: Observation) -> None:
        self.memories = memories
        self.rooms: list[int] = []

    def candidates(self, request: RecallRequest, room: int, **_: object) -> list[Candidate]:
        self.rooms.append(room)
        return [Candidate(it, {"relevance": 1.0}) for it in self.memories]

    def handle(self, observation: Observation) -> str:
        return f"kept-{observation.id[-2:]}"


def _recalled(memories: Memories, sessions: Sessions | None, **request: Any) -> Recall:  # noqa: ANN401
    def clean(it: Observation) -> Observation:
        return it._replace(content=f"{it.content} (cleaned)")

    asked = RecallRequest(**{"budget": 900, "estimated": True, **request})
    return recall(cast("CandidateSource", memories), asked, NOW, clean=clean, sessions=sessions)


def _message(name: str, text: str) -> Candidate:
    said = observation(text, id=name, category="request", session_id="s8")
    return Candidate(said, {"relevance": 1.0}, Kind.MESSAGE)


def test_memories_and_messages_are_named_and_cleaned_each_by_whoever_read_them() -> None:
    memories = Memories(observation("The gate opens late.", 11))
    found = _recalled(memories, Sessions(_message("m1", "Why is the gate late?")), task="gate")
    told = {it.observation.content: it.kind for it in found.included}
    assert told == {
        "The gate opens late. (cleaned)": Kind.MEMORY,
        "Why is the gate late?": Kind.MESSAGE,
    }
    assert "said-m1" in found.text and "kept-11" in found.text
    assert found.text.count("(cleaned)") == 1


@pytest.mark.parametrize(
    ("length", "room"), [(0, 60_000), (10_000, 50_000), (30_000, 30_000), (90_000, 30_000)]
)
def test_memories_have_half_of_the_room_at_least(length: int, room: int) -> None:
    memories = Memories()
    _recalled(memories, Sessions(_message("m1", "x" * length)), task="gate")
    assert memories.rooms == [room]


@pytest.mark.parametrize("profile", ["agentx", "evolving", "vault"])
def test_the_other_profiles_tell_nothing_of_sessions(profile: str) -> None:
    memories = Memories(observation("The gate opens late."))
    sessions = Sessions(_message("m1", "Why is the gate late?"))
    found = _recalled(memories, sessions, profile=profile, task="gate late")
    assert {it.kind for it in found.candidates} == {Kind.MEMORY}
    assert found.files == () and memories.rooms == [60_000]
    assert _recalled(memories, None, task="gate late").files == ()


@pytest.mark.parametrize(
    ("request_", "asked"),
    [
        (RecallRequest(), True),
        (RecallRequest(branch_words=("gate",), changed_files=("a.py",)), True),
        (RecallRequest(agent="dev", issue=3), True),
        (RecallRequest(task="gate"), False),
    ],
)
def test_the_last_sessions_that_no_memory_tells_of_are_told_where_no_task_is_given(
    request_: RecallRequest, asked: bool
) -> None:
    sessions = Sessions()
    held = [Candidate(observation("x", n, session_id=f"s{n % 2}")) for n in range(3)]
    found = newest_of_sessions(sessions, request_, held)
    assert [it.observation.id for it in found] == ["last"] * asked
    assert sessions.besides == [{"s0", "s1"}] * asked


def test_where_something_was_said_of_it_the_last_sessions_are_not_told() -> None:
    memories = Memories(observation("The gate opens late."))
    some, none = Sessions(_message("m1", "Why is the gate late?")), Sessions()
    _recalled(memories, some)
    assert some.besides == []
    assert "The last session." in _recalled(memories, none).text
    assert none.besides == [{"s1"}]
