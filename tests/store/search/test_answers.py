"""What an index answers beyond a query's first page: cut facets, long ids, limits, what lags."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tantivy import Query as IndexQuery

from store.backends.files.activity import append_activity
from store.backends.files.backend import FilesBackend
from store.errors import NotFound
from store.search import reader as reader_module
from store.search.analyzers import MAX_ID, backwards
from store.search.documents import observation_of
from store.search.index import LAGS, SearchIndex
from store.search.names import naming
from store.search.query import parse_query
from store.search.reader import IndexReader, _near_words
from store.search.relevance import Relevance, relevant
from store.search.tail import RecallTail
from tests.store.factories import NOW, observation, record, write_issue
from tests.store.search.sample_index import STALE, index


@pytest.fixture
def reader() -> IndexReader:
    made = index()
    return IndexReader(made.searcher, made.schema, made.tail)


def _relevant(task: str, most: int, within: IndexQuery | None = None) -> list[tuple[str, float]]:
    made = index()
    found: Relevance = relevant(made.searcher, made.schema, task, most=most, within=within)
    return [(observation_of(made.searcher.doc(it.address)).id, it.score) for it in found.best]


def _agent(name: str) -> IndexQuery:
    return IndexQuery.term_query(index().schema, "agent", name, "basic")


def test_a_page_beyond_the_end_says_nothing_of_names(reader: IndexReader) -> None:
    for offset, rows in ((0, 1), (1, 0), (9, 0)):
        query = parse_query("layer:other,workin", NOW)
        found = reader.search(query, NOW, STALE, limit=5, offset=offset, facets=())
        assert (found.total, len(found.hits), found.notes) == (1, rows, ())


def test_hits_say_how_relevant_they_are_and_lists_do_not(reader: IndexReader) -> None:
    def scores(text: str) -> list[float]:
        query = parse_query(text, NOW)
        found = reader.search(query, NOW, STALE, limit=9, offset=0, facets=())
        return [it.score for it in found.hits]

    lock = scores("lock ")
    assert lock == sorted(lock, reverse=True)
    assert lock[-1] > 0
    assert lock[0] > lock[-1]
    assert set(scores("lock sort:oldest ")) == set(scores("is:pinned")) == {0.0}


def test_of_many_names_those_of_most_are_counted_and_every_issue(
    reader: IndexReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader_module, "_FACET_SIZE", 1)
    query = parse_query("", NOW)
    facets = reader.search(
        query, NOW, STALE, limit=0, offset=0, facets=("agent", "issue", "tag")
    ).facets
    assert (facets.agents, set(facets.issues)) == ({"engineer": 5}, {7, 29})
    assert len(facets.tags) == 1


def test_a_near_word_may_stand_in_any_of_the_rows_in_text_or_title() -> None:
    rows = [observation("A door"), observation("A gate", summary="The warden"), observation("x")]
    assert _near_words(parse_query("wardem ", NOW), rows) == (("wardem", "warden"),)
    assert _near_words(parse_query("gate wardens wardem ", NOW), rows) == (("wardem", "warden"),)


def test_each_spelling_by_which_a_row_was_found_is_told() -> None:
    """Also where another row has the word itself; not where a row has it in another form."""
    rows = [observation(it) for it in ("A timeout", "A timeour", "It times out", "The timeouts")]
    assert _near_words(parse_query("timeout ", NOW), rows) == (("timeout", "timeour"),)


@pytest.mark.parametrize("typed", ["lock -timeout ", "lokc ", "clocl ", '"timeour" ', "agent "])
def test_a_short_word_or_one_to_leave_out_is_looked_for_as_it_is_spelt(typed: str) -> None:
    rows = [observation("The look of the clock", agent="agent")]
    assert _near_words(parse_query(typed, NOW), rows) == ()


def test_the_most_relevant_are_the_first_of_all_with_their_scores() -> None:
    every = _relevant("keeper of the till", 20)
    assert len(every) > 4
    for most in range(1, len(every)):
        assert _relevant("keeper of the till", most) == every[:most]


def test_limits_hold_beside_each_other() -> None:
    within = {name for name, _ in _relevant("the old till lock", 20, _agent("architect"))}
    assert within == {"told", "both"}
    assert {name for name, _ in _relevant("the old lock", 20, _agent("engineer"))} >= {
        "limit", "costly",
    }  # fmt: skip
    assert "flagged" not in {name for name, _ in _relevant("the old lock waited for ever", 20)}
    made = index()

    def named(*names: str, agent: str | None = None, each: int = 8) -> list[str]:
        limit = None if agent is None else _agent(agent)
        found = naming(made.searcher, made.schema, names, limit, each)
        return [observation_of(made.searcher.doc(it)).id for it in found]

    assert set(named("lock")) == {"tests", "costly", "limit"}
    assert named("lock", agent="code-reviewer") == ["tests"]
    assert named("lock", "manifest", agent="architect") == ["built"]
    assert len(named("lock", each=2)) == 2
    assert named("keeper lock") == []
    assert named("manifest lock") == ["tests"]


def test_an_id_longer_than_is_indexed_is_known_by_its_end(tmp_path: Path) -> None:
    alike, other = "x" * MAX_ID + "-one", "y" + "x" * MAX_ID + "-two"
    write_issue(tmp_path, 29, record(alike), record(other))
    made = SearchIndex(FilesBackend(tmp_path), None)
    made.catch_up()
    reader = IndexReader(made.searcher, made.schema, made.tail)
    assert (reader.get("-one").id, reader.get("x-two").id) == (alike, other)
    assert reader.get(alike).id == alike
    assert backwards("abc") == "cba"
    with pytest.raises(NotFound):
        reader.get("-three")


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A memory of two, whose log tells of a recall of each."""
    folder = tmp_path / "memory"
    folder.mkdir()
    write_issue(folder, 29, record("a"), record("b", recallCount=4))
    yield folder


def _recalled(folder: Path, name: str, day: int) -> None:
    told = {"type": "recalled", "observationIds": [name]}
    append_activity(folder, {**told, "timestamp": f"2026-02-{day}T00:00:00.000Z"})


def _counts(made: SearchIndex) -> list[int]:
    reader = IndexReader(made.searcher, made.schema, made.tail)
    return [reader.get(name).recall_count for name in ("a", "b")]


def test_recalls_count_once_however_the_index_learns_of_them(folder: Path, tmp_path: Path) -> None:
    made = SearchIndex(FilesBackend(folder), tmp_path / "cache")
    made.catch_up()
    assert _counts(made) == [0, 4]
    _recalled(folder, "a", 10)
    assert made.catch_up_quickly(10**9)
    assert _counts(made) == [1, 4]
    _recalled(folder, "b", 11)
    _recalled(folder, "a", 12)
    made.catch_up()
    assert _counts(made) == [2, 5]
    made.catch_up(recount=True)
    assert (_counts(made), made.tail) == ([2, 5], {})
    _recalled(folder, "a", 13)
    write_issue(folder, 30, record("c", issueNumber=30))
    made.catch_up(recount=True)
    reader = IndexReader(made.searcher, made.schema, made.tail)
    order = reader.ids(parse_query("sort:recalled", NOW), NOW, STALE)
    assert (_counts(made), order) == ([3, 5], ["b", "a", "c"])
    later = SearchIndex(FilesBackend(folder), tmp_path / "cache")
    later.catch_up()
    assert _counts(later) == [3, 5]


def test_a_tail_from_elsewhere_tells_only_of_what_stands_there(folder: Path) -> None:
    backend = FilesBackend(folder)
    _recalled(folder, "a", 10)
    middle = backend.activity_stamp().end
    _recalled(folder, "b", 11)
    tail = RecallTail(backend)
    assert tail.read(0)
    assert set(tail.times) == {"a", "b"}
    assert tail.read(middle)
    assert set(tail.times) == {"b"}
    assert not tail.read(middle)
    assert tail.read(0)
    assert set(tail.times) == {"a", "b"}
    assert tail.read(backend.activity_stamp().end)
    assert tail.times == {}


def test_an_index_that_lags_goes_on_saying_so_until_it_is_opened_anew(
    folder: Path, tmp_path: Path
) -> None:
    made = SearchIndex(FilesBackend(folder), tmp_path / "cache")
    made.catch_up()
    write_issue(folder, 30, record("c", issueNumber=30))
    assert not made.catch_up_quickly(1)
    for _ in range(2):
        assert not made.catch_up()
        assert (made.notice, made.searcher.num_docs) == (LAGS, 2)
    later = SearchIndex(FilesBackend(folder), tmp_path / "cache")
    assert later.catch_up_quickly(10**9)
    assert (later.notice, later.searcher.num_docs) == (None, 3)
