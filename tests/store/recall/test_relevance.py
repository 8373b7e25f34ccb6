"""BM25 with neighbours: what was said around a hit is found too."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

import pytest
from tantivy import Query as IndexQuery

from store import open_memory
from store.backends.files.backend import FilesBackend
from store.model import Observation
from store.search.documents import observation_of
from store.search.index import SearchIndex
from store.search.relevance import Relevance, _date_words, relevant, significant_words
from tests.store.recall.makers import observation


class Finder:
    """Finds in an index of given observations, without a folder for it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def index(self, observations: Sequence[Observation]) -> SearchIndex:
        """The index of a new memory that holds the observations."""
        path = Path(tempfile.mkdtemp(dir=self._folder))
        with open_memory(path / "memory", cache=path / "cache") as memory:
            stored = memory.store([it._replace(archived=False) for it in observations])
            gone = [key for key, it in zip(stored, observations, strict=True) if it.archived]
            if gone:
                memory.apply(memory.plan.archive(gone))
        index = SearchIndex(FilesBackend(path / "memory"), None)
        index.catch_up()
        return index

    def __call__(
        self, observations: Sequence[Observation], task: str, agent: str | None = None
    ) -> list[str]:
        """The contents found, best first; with `agent`, only of that one."""
        index = self.index(observations)
        within = None
        if agent is not None:
            within = IndexQuery.term_query(index.schema, "agent", agent, "basic")
        hits = relevant(index.searcher, index.schema, task, most=100, within=within).best
        return [observation_of(index.searcher.doc(hit.address)).content for hit in hits]


@pytest.fixture
def found(tmp_path: Path) -> Finder:
    """Finds in an index of given observations."""
    return Finder(tmp_path)


TALK = [
    observation("Why does the windows build fail?", 1, days=5),
    observation("Because antivirus holds the handle.", 2, days=4.9),
    observation("Let us have lunch.", 3, days=3, session_id="s2"),
    observation("The linux build is green.", 4, days=2, session_id="s3", agent="code-reviewer"),
]


def test_a_neighbour_of_a_hit_is_found_below_it(found: Finder) -> None:
    assert found(TALK, "windows failing")[:2] == [TALK[0].content, TALK[1].content]


def test_other_sessions_are_not_drawn_in(found: Finder) -> None:
    assert TALK[2].content not in found(TALK, "windows failing")


def test_words_are_found_by_their_stem_and_identifiers_by_their_parts(found: Finder) -> None:
    it = observation("JsonObservationStore keeps building indexes", 9)
    assert found([it, TALK[2]], "the observation store") == [it.content]
    assert found([it, TALK[2]], "index build") == [it.content]


def test_an_agent_named_in_the_task_leads(found: Finder) -> None:
    same = [TALK[3]._replace(content="The build is odd", agent=it) for it in ("a", "code-reviewer")]
    one, other = (
        it._replace(id=f"x{n}", session_id=f"t{n}", content=f"{it.content} {n}")
        for n, it in enumerate(same)
    )
    assert found([one, other], "what did the code reviewer say of the build")[0] == other.content


def test_a_date_in_words_is_found(found: Finder) -> None:
    may = [TALK[2]._replace(id=str(n), content=f"n{n}", session_id=str(n)) for n in range(3)]
    assert found(may, "what happened on 26 February 2026")
    assert found(may, "what may happen") == []


def test_archived_ones_and_those_outside_are_not_found(found: Finder) -> None:
    assert found(TALK, "build", "code-reviewer") == [TALK[3].content]
    archived = [it._replace(archived=True) for it in TALK]
    assert found(archived, "build") == []


@pytest.mark.parametrize("task", ["", "  ", "?!", "zebra", "\ud800", "what is it", 'a:b ( "'])
def test_a_task_that_says_nothing_finds_nothing(found: Finder, task: str) -> None:
    assert found(TALK[2:3], task) == []


def test_a_long_task_is_asked_by_its_rarest_words(found: Finder) -> None:
    noise = " ".join(f"word{n}" for n in range(2_000))
    assert found(TALK, f"{noise} antivirus")[0] in {TALK[0].content, TALK[1].content}


def test_chinese_japanese_and_korean_are_found(found: Finder) -> None:
    it = observation("锁文件超时 was raised", 9)
    assert found([it, TALK[2]], "文件超时") == [it.content]


def test_without_a_session_there_are_no_neighbours(found: Finder) -> None:
    alone = [it._replace(session_id="") for it in TALK]
    assert found(alone, "windows failing") == [TALK[0].content]


def test_the_own_score_leaves_out_what_is_around(found: Finder) -> None:
    index = found.index(TALK)
    hits = relevant(index.searcher, index.schema, "windows failing", most=10).best
    assert hits[0].own > 0
    assert [hit.own for hit in hits[1:]] == [0.0] * (len(hits) - 1)


def test_telling_words_leave_out_question_words_unless_nothing_is_left() -> None:
    assert significant_words("what is the lock for") == ("lock",)
    assert significant_words("what is it") == ("what", "is", "it")


def test_what_stands_around_a_hit_counts_for_a_part_of_it(found: Finder) -> None:
    said = [
        observation(f"Something {word}.", number, days=9 - number, session_id="s")
        for number, word in enumerate(("one", "two", "zebra", "four", "five", "six"))
    ]
    index = found.index(said)
    hits = relevant(index.searcher, index.schema, "zebra", most=100).best
    scores = {observation_of(index.searcher.doc(it.address)).content: it.score for it in hits}
    own = scores["Something zebra."]
    parts = [scores.get(it.content, 0.0) / own for it in said]
    session = 0.5 / 3
    expected = [0.25, 0.35, 1.0, 0.5, 0.25, 0.0]
    assert parts == pytest.approx([(it + session) / (1 + session) for it in expected], rel=0.02)


def test_the_words_of_a_date_are_a_day_a_month_and_a_year() -> None:
    assert _date_words(["8", "may", "2023", "41", "308", "rows", "friday"]) == [
        *("2023", "41", "8", "friday", "may"),
    ]
    assert _date_words(["8", "41", "308", "rows"]) == []


def test_of_each_session_the_best_counts_as_a_share_of_the_best_of_all() -> None:
    sessions = (7, 5, 7, 3, 5, 9)
    found = Relevance(sessions=sessions, scores=(8.0, 6.0, 4.0, 2.0, 1.0, 0.0)).of_sessions()
    assert found == {7: 1.0, 5: 0.75, 3: 0.25}
    assert Relevance().of_sessions() == {}
    assert Relevance(sessions=(7,), scores=(0.0,)).of_sessions() == {}


def test_the_name_of_an_agent_counts_little_where_it_stands_in_a_text(found: Finder) -> None:
    said = {"A": "reviewer of code here", "B": "code reviewer over there", "C": "till of that shop"}
    held = [
        observation(text, at, id=name, session_id=name)
        for at, (name, text) in enumerate(said.items())
    ]
    held.append(observation("Nothing.", 9, id="D", session_id="D", agent="code-reviewer"))
    index = found.index(held)
    task = "what did the code reviewer say of the till"
    hits = relevant(index.searcher, index.schema, task, most=9).best
    scores = {observation_of(index.searcher.doc(it.address)).content: it.own for it in hits}
    assert next(iter(scores)) == said["C"]
    assert scores[said["A"]] == pytest.approx(scores[said["B"]]), "side by side or not"
    assert scores[said["A"]] < scores[said["C"]]
