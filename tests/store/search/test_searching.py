"""Answering queries: what is found, in which order, with which facets and marks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memtui.words.notices import sentence
from memtui.words.queries import understood
from store import Memory
from store.backends.location import FOLDER
from store.errors import AmbiguousId, NotFound
from store.model import Facets, Layer, SearchResult
from store.search.analyzers import MAX_TERM
from store.search.query import NAMES
from tests.store.factories import NOW, make_memory, record, write_issue

_TEXTS = {
    "files": "Chose plain files; manifest.json is rebuilt from src/memory/types.ts",
    "class": "JsonObservationStore keeps one file per issue",
    "lock": "LOCK_TIMEOUT of 5 retries was reached while two agents locked the manifest",
    "chinese": "锁定超时：清单在两个代理之间被锁定",
    "japanese": "マニフェストのロックがタイムアウトした",
    "korean": "매니페스트 잠금 시간 초과",
    "accents": "The café's résumé of Zürich",
    "cpp": "C++ templates and C# differ",
    "compaction": "Compaction of caches was postponed",
}


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    """One observation for each text, a day apart, the first the newest; and some marked ones."""
    root = tmp_path_factory.mktemp("project")
    write_issue(
        root / FOLDER,
        29,
        *(
            record(
                name, content=text, summary=text, timestamp=f"2026-02-{27 - at:02}T10:00:00.000Z"
            )
            for at, (name, text) in enumerate(_TEXTS.items())
        ),
    )
    write_issue(
        root / FOLDER,
        30,
        record("pin", agent="reviewer", category="error", content="Pinned thing", pinned=True),
        record("mute", agent="reviewer", category="lesson", content="Muted thing", muted=True),
        record("todo", agent="architect", category="task", content="Open thing", tags=["disk"]),
        record("done", agent="architect", category="task", content="Done thing", tags=["done"]),
        record("odd", agent="architect", category="post-mortem", content="Odd thing", tokens=900),
        record("used", agent="architect", content="Used thing", recallCount=7),
        record("flag", content="Flagged thing", archived=True),
    )
    write_issue(root / FOLDER, 30, record("moved", content="Moved thing"), archived=True)
    with make_memory(root) as opened:
        yield opened


def _ids(memory: Memory, query: str) -> set[str]:
    result = memory.search(query, facets=())
    assert (result.near, result.relaxed) == ((), False)
    return {hit.entry.id for hit in result.hits}


@pytest.mark.parametrize(
    ("query", "ids"),
    [
        ("manifest.json", {"files"}),
        ("manifest.js", {"files"}),
        ("json manifest ", {"files"}),
        ("types.ts ", {"files"}),
        ("src/memory/types.ts ", {"files"}),
        ("src/memory", {"files"}),
        ("memory/types", {"files"}),
        ("JsonObservationStore ", {"class"}),
        ("jsonobservationstore ", {"class"}),
        ("json store ", {"class"}),
        ("ObservationStore", {"class"}),
        ("observation", {"class"}),
        ("JsonObs", {"class"}),
        ("LOCK_TIMEOUT ", {"lock"}),
        ("lock_timeout ", {"lock"}),
        ("timeout ", {"lock"}),
        ("LOCK_", {"lock"}),
        ("lock ", {"lock"}),
        ("locking ", {"lock"}),
        ("agent lock", {"lock"}),
        ("cache compact", {"compaction"}),
        ('"one file per" ', {"class"}),
        ('"file one per" ', set()),
        ('"one fi', {"class"}),
        ("manifest -json ", {"lock"}),
        ('manifest -"two agents" ', {"files"}),
        ("锁定", {"chinese"}),
        ("超时", {"chinese"}),
        ("定", {"chinese"}),
        ("清单在两个代理", {"chinese"}),
        ("单清", set()),
        ("タイムアウト", {"japanese"}),
        ("ロック ", {"japanese"}),
        ("잠금", {"korean"}),
        ("시간 초과", {"korean"}),
        ("cafe ", {"accents"}),
        ("zürich resume ", {"accents"}),
        ("C++ ", {"cpp"}),
        ("c++ templ", {"cpp"}),
    ],
)
def test_words_and_identifiers(memory: Memory, query: str, ids: set[str]) -> None:
    assert _ids(memory, f"{query}") == ids


@pytest.mark.parametrize(
    ("query", "ids"),
    [
        ("agent:reviewer", {"pin", "mute"}),
        ("agent:reviewer,nobody -category:error", {"mute"}),
        ("category:task", {"todo", "done"}),
        ("category:post-mortem", {"odd"}),
        ("layer:working", {"todo", "done"}),
        ("layer:other", {"odd"}),
        ("issue:30 thing -agent:architect", {"pin", "mute"}),
        ("issue:#30 -agent:architect,reviewer", set()),
        ("tag:disk", {"todo"}),
        ("tag:#disk,done", {"todo", "done"}),
        ("id:todo", {"todo"}),
        ("id:odo,ne", {"todo", "done", "japanese"} - {"japanese"}),
        ("is:pinned", {"pin"}),
        ("is:muted", {"mute"}),
        ("is:pinned,muted", {"pin", "mute"}),
        ("is:open", {"todo"}),
        ("-is:open category:task", {"done"}),
        ("is:archived", {"flag", "moved"}),
        ("thing -is:archived", {"pin", "mute", "todo", "done", "odd", "used"}),
        ("is:archived,pinned", {"flag", "moved", "pin"}),
        ("after:2026-02-27 issue:29", {"files"}),
        ("before:2026-02-20", {"compaction"}),
        ("-after:2026-02-20", {"compaction"}),
        ("after:2026-02-25 before:2026-02-27", {"class", "lock"}),
        ("after:3d issue:29", {"files"}),
        ("before:1y", set()),
        ("reviewer ", {"pin", "mute"}),
    ],
)
def test_fields_flags_and_dates(memory: Memory, query: str, ids: set[str]) -> None:
    assert _ids(memory, query) == ids


def test_pages_follow_each_other(memory: Memory) -> None:
    whole = [hit.entry.id for hit in memory.search("issue:29").hits]
    pages = [memory.search("issue:29", limit=4, offset=at, facets=()) for at in (0, 4, 8, 12)]
    assert [hit.entry.id for page in pages for hit in page.hits] == whole
    assert {page.total for page in pages} == {len(whole)}
    assert memory.search("issue:29", limit=0).hits == ()
    assert memory.search("issue:29", limit=0).total == len(whole)
    assert memory.search("issue:29", limit=1_000_000).total == len(whole)
    for many in (10**10, 10**30):
        assert memory.search("issue:29", limit=many).total == len(whole)
        assert memory.search("issue:29", offset=many).hits == ()
        assert memory.search("lock order:relevance", limit=many, offset=many).hits == ()


def test_facets_count_what_is_found_each_without_its_own_filter(memory: Memory) -> None:
    everything = memory.search("thing").facets
    assert everything.agents == {"architect": 4, "reviewer": 2}
    chosen = memory.search("thing agent:reviewer").facets
    assert chosen.agents == everything.agents
    assert chosen.categories == {"error": 1, "lesson": 1}
    assert chosen.layers == {Layer.EPISODIC: 1, Layer.SEMANTIC: 1}
    narrowed = memory.search("thing agent:reviewer category:error").facets
    assert narrowed.agents == {"reviewer": 1}
    assert narrowed.categories == {"error": 1, "lesson": 1}
    assert memory.search("thing layer:working").facets.categories == everything.categories
    assert memory.search("issue:30").facets.issues == {29: len(_TEXTS), 30: 6}
    assert memory.search("tag:disk").facets.tags == {"disk": 1, "done": 1}
    assert memory.search("thing", facets=()).facets == Facets()
    assert memory.search("thing", facets=("agent",)).facets == Facets({"agent": everything.agents})


def test_near_spellings_are_tried_where_few_match_and_said(memory: Memory) -> None:
    for query, near in [("manifset ", "manifest"), ("timeot", "timeout"), ("obsrvation ", None)]:
        result = memory.search(query)
        assert result.total >= 1
        assert result.facets.agents == {"engineer": result.total}
        word = query.strip()
        assert [typed for typed, _ in result.near] == ([word] if near else [])
        assert near is None or dict(result.near)[word] == near
    assert memory.search("xyzzyx ").total == 0
    assert memory.search('"manifset" ').total == 0
    assert memory.search("-manifset ").near == ()


def test_what_can_not_be_searched_is_said(memory: Memory) -> None:
    (note,) = memory.search(f"lock {'x' * 100} {'y' * 100}").notes
    assert note.kind == "term-too-long"
    assert (str(note.values["terms"]).count("`"), note.values["letters"]) == (4, MAX_TERM)
    assert memory.search("x" * 5_000).total == memory.search(f'"{"x" * 100}"').total == 0
    assert len(understood(memory.search("x" * 5_000), NOW)) < 200
    assert memory.search(f"{'x' * 100} thing").total == memory.search("thing").total > 0
    assert memory.search(f"-{'x' * 100}").total == len(_TEXTS) + 6
    assert memory.search("aB" * 50).total == memory.search(f"漢 {'aB' * 50}").total == 0


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("agent:revewer", "no agent `revewer`; did you mean `reviewer`?"),
        ("lock agent:nobody", "no agent `nobody`"),
        ("category:lessons tag:#dsk", "no category `lessons`; did you mean `lesson`?"),
        ("tag:#dsik", "no tag `dsik`; did you mean `disk`?"),
        ("cagetory:lesson", "`cagetory:` is not a field; did you mean `category:`?"),
    ],
)
def test_a_name_that_is_misspelt_is_told(memory: Memory, query: str, said: str) -> None:
    found = memory.search(query)
    assert found.total == 0
    assert sentence(found.notes[0]) == said


_PIECES = st.sampled_from(
    [
        "lock",
        "manifest.json",
        "锁",
        "锁定",
        "JsonStore",
        '"',
        "-",
        ":",
        "(",
        "+",
        "*",
        "~",
        "^",
        "\\",
    ]
    + ["is:archived", "sort:tokens", "\ud800", "é", "1", "7d", " ", " ", " "]
    + [f"{field}:" for field in NAMES]
)


@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.lists(_PIECES, max_size=10).map("".join)
    | st.text(st.characters(exclude_categories=()), max_size=20),
    st.sampled_from([0, 1, 50]),
    st.sampled_from([0, 3, 99]),
)
def test_no_query_raises(memory: Memory, query: str, limit: int, offset: int) -> None:
    result = memory.search(query, limit=limit, offset=offset, fresh=False)
    assert isinstance(result, SearchResult)
    assert understood(result, NOW)
    assert len(result.hits) <= min(limit, max(0, result.total - offset))
    for hit in result.hits:
        assert all(0 <= start < end <= len(hit.snippet) for start, end in hit.marks)


@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.text(st.characters(exclude_categories=()), max_size=12))
def test_no_id_raises_anything_but_our_errors(memory: Memory, identifier: str) -> None:
    try:
        found = memory.get(identifier, fresh=False)
    except (NotFound, AmbiguousId) as error:
        assert error.hint
    else:
        assert found.id.endswith(identifier.strip())


def test_an_observation_is_found_by_any_unique_ending_of_its_id(tmp_path: Path) -> None:
    write_issue(tmp_path / FOLDER, 7, record("obs-a-7"), record("obs-b-7"), record("b-7"))
    with make_memory(tmp_path) as memory:
        assert memory.get("b-7").id == "b-7"
        assert memory.get("a-7").id == "obs-a-7"
        assert memory.get(" obs-b-7 ").id == "obs-b-7"
        with pytest.raises(AmbiguousId, match="3 ids end in '-7'") as caught:
            memory.get("-7")
        assert "obs-a-7" in caught.value.hint
        for nothing in ("c-7", "", "obs"):
            with pytest.raises(NotFound):
                memory.get(nothing)


def test_hostile_records_are_found_and_shown_as_they_are(tmp_path: Path) -> None:
    hostile = "\x1b[2J half \ud83d of a pair [red]lock[/] \u202e"
    write_issue(
        tmp_path / FOLDER,
        7,
        record("a\ud800", agent="x\ud800", category="\ud800", content=hostile, tags=["t\ud800"]),
        record("huge", content="lock", tokens=2**53 - 1, recallCount=2**53 - 1),
        record("old", content="lock", timestamp="0001-01-01T00:00:00Z"),
        record("far", content="lock", timestamp="9999-12-31T23:59:59.999Z"),
    )
    with make_memory(tmp_path) as memory:
        result = memory.search("lock ")
        assert result.total == 4
        assert memory.by_issue(7)[0].content == hostile
        found = memory.search("half ").hits[0].entry
        assert (found.id, found.agent, found.tags) == ("a\ud800", "x\ud800", ("t\ud800",))
        assert memory.get("a\ud800").content == hostile
        assert memory.stats().total_observations == 4
