"""What a state of the index offers: enough for the room, kept while it stands, and no longer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, cast

import pytest
from tantivy import Searcher

from store import Memory, open_memory
from store.backends import open_backend
from store.model import Observation
from store.recall import candidates
from store.recall.candidates import CandidateSource
from store.recall.request import RecallRequest
from store.recall.values import Recall
from store.search.index import SearchIndex
from tests.store.recall.makers import NOW, observation

NUMBER = 250


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """A memory of many short notes about one thing."""
    with open_memory(tmp_path / "memory", cache=tmp_path / "cache", clock=lambda: NOW) as opened:
        opened.store([note(number) for number in range(NUMBER)])
        opened.index.refresh()
        yield opened


def note(number: int) -> Observation:
    words = ("queue", "lock", "cache", "page", "index")
    content = f"The {words[number % 5]} of module m{number} was changed by way {number * 7}."
    return observation(content, number, days=number)


def index_of(folder: Path) -> SearchIndex:
    """The index of the memory in a folder, opened as it was left."""
    index = SearchIndex(open_backend(folder / "memory"), folder / "cache")
    assert index.open()
    return index


def offered(recall: Recall) -> set[str]:
    return {it.observation.content for it in recall.candidates}


def test_a_small_budget_judges_as_many_candidates_as_a_large_one(memory: Memory) -> None:
    few = memory.recall.plan("engineer", 29, "queue lock", budget=300)
    more = memory.recall.plan("engineer", 29, "queue lock", budget=20_000)
    assert offered(few) == offered(more)
    assert len(few.candidates) > 2 * len(few.included)


@pytest.mark.parametrize("profile", ["memtui", "agentx", "evolving", "vault"])
def test_an_agent_that_no_index_can_hold_is_nobody(memory: Memory, profile: str) -> None:
    nobody = memory.recall.plan("nobody", 29, "queue lock", profile=profile)
    assert memory.recall.plan("\udcff", 29, "queue lock", profile=profile).text == nobody.text


def test_every_pin_that_is_tried_is_looked_at(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    for few in ("_NEWEST", "_NEAR"):
        monkeypatch.setattr(candidates, few, 20)
    oldest = [note(number).id for number in range(NUMBER - 30, NUMBER)]
    before = memory.recall.plan("reviewer", 1, budget=200)
    assert {it.observation.id for it in before.candidates}.isdisjoint(oldest)
    recall = memory.recall.plan("reviewer", 1, budget=200, pinned=oldest)
    assert {it.observation.id for it in recall.candidates} >= set(oldest)


def test_a_vault_offers_some_of_each_category_however_old(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = observation("A shop that opens at nine.", 900, days=900, category="project")
    memory.store([old])
    memory.index.refresh()
    for few in ("_NEWEST", "_NEAR"):
        monkeypatch.setattr(candidates, few, 20)
    for profile, offers in (("vault", True), ("memtui", False)):
        recall = memory.recall.plan("engineer", 29, profile=profile)
        assert (old.content in offered(recall)) is offers


def test_an_issue_is_offered_whoever_worked_on_it(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = observation("A shop.", 900, days=900, issue_number=7, agent="reviewer")
    memory.store([old])
    memory.index.refresh()
    for few in ("_NEWEST", "_NEAR"):
        monkeypatch.setattr(candidates, few, 20)
    assert old.content in offered(memory.recall.plan("engineer", 7))
    assert old.content not in offered(memory.recall.plan("reviewer", 8))


def test_what_waits_is_offered_however_old(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    waits: dict[str, tuple[dict[str, Any], bool]] = {
        "An open task.": ({"category": "task"}, True),
        "A task that is done.": ({"category": "task", "tags": ("done",)}, False),
        "Pinned.": ({"pinned": True}, True),
        "Ours.": ({"category": "handoff", "issue_number": 29, "agent": "engineer"}, True),
        "Of another issue.": ({"category": "handoff", "agent": "engineer"}, False),
        "Of another agent.": ({"category": "handoff", "issue_number": 29}, False),
        "Of no interest.": ({}, False),
    }
    memory.store(
        [
            observation(text, 900 + n, days=905 - n, **{"issue_number": 7, "agent": "qa", **fields})
            for n, (text, (fields, _)) in enumerate(waits.items())
        ]
    )
    memory.index.refresh()
    for few in ("_NEWEST", "_NEAR"):
        monkeypatch.setattr(candidates, few, 20)
    found = offered(memory.recall.plan("engineer", 29))
    assert {text: text in found for text in waits} == {it: is_ for it, (_, is_) in waits.items()}


def test_of_who_asks_for_their_own_alone_all_that_is_looked_at_is_theirs(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = [
        observation(f"The shop {n}.", 900 + n, days=900, issue_number=7, agent="qa")
        for n in range(30)
    ]
    theirs = [
        observation("The shop of others.", 950, days=1, issue_number=7),
        observation("The shop of another issue.", 951, days=1, agent="qa", issue_number=8),
    ]
    memory.store([*mine, *theirs])
    memory.index.refresh()
    monkeypatch.setattr(candidates, "_NEAR", 20)
    monkeypatch.setattr(candidates, "_NEWEST", 25)
    asked = RecallRequest("qa", 7, budget=2_000, pinned=frozenset({theirs[1].id}))
    for request in (asked._replace(profile="agentx"), asked._replace(own=True)):
        found = offered(memory.recall.plan(request))
        assert found <= {it.content for it in mine}
        assert len(found) == 25
        shop = offered(memory.recall.plan(request._replace(task="shop")))
        assert shop == {it.content for it in mine}


def test_what_is_asked_is_the_agent_the_issue_and_all_that_says_what_it_is_about(
    memory: Memory, tmp_path: Path
) -> None:
    """Whatever of these was asked before of the same state of the index."""
    requests = [
        RecallRequest(),
        RecallRequest(task="queue"),
        RecallRequest(task="queue", branch_words=("cache",)),
        RecallRequest(branch_words=("cache",)),
        RecallRequest(task="queue", changed_files=("src/m7.py",)),
        RecallRequest(task="queue", commits=("Change the page of module m9",)),
        RecallRequest("engineer", 29, "queue"),
        RecallRequest("engineer", 29, "queue", profile="vault"),
        RecallRequest("engineer", 29, "queue", pinned=frozenset({note(249).id})),
        RecallRequest("qa", 29, "queue", own=True),
        RecallRequest("engineer", 30, "queue", own=True),
        RecallRequest("engineer", 29, "queue", own=True),
    ]
    index = index_of(tmp_path)

    def answers(order: Sequence[RecallRequest], *, anew: bool) -> dict[RecallRequest, list[str]]:
        def ask(searcher: Searcher) -> dict[RecallRequest, list[str]]:
            offers = CandidateSource(searcher, index.schema)
            found = {}
            for it in order:
                offers = CandidateSource(searcher, index.schema) if anew else offers
                given = offers.candidates(it, 3_000, filtered=it.own)
                found[it] = [f"{each.observation.id} {dict(each.signals)}" for each in given]
            return found

        return index.ask(ask)

    each = answers(requests, anew=True)
    assert len({str(it) for it in each.values()}) > 8
    assert answers(requests, anew=False) == each
    assert answers(requests[::-1], anew=False) == each


def test_the_best_of_each_kind_is_looked_at_however_small_the_room(
    memory: Memory, tmp_path: Path
) -> None:
    ours = {"issue_number": 29, "agent": "engineer"}
    kinds: dict[str, dict[str, Any]] = {
        "The latest handoff.": {"category": "handoff", **ours},
        "An open task.": {"category": "task", "agent": "qa", "issue_number": 7},
        "Pinned.": {"pinned": True, "agent": "qa", "issue_number": 7},
        "The gate of windows.": {"agent": "qa", "issue_number": 7},
        "It is about src/till.py and no more.": {"agent": "qa", "issue_number": 7},
    }
    held = [
        observation(text, 900 + n, days=900, **fields)
        for n, (text, fields) in enumerate(kinds.items())
    ]
    memory.store(held)
    memory.index.refresh()
    index = index_of(tmp_path)
    request = RecallRequest("engineer", 29, "the gate, see src/till.py")

    def found(room: int) -> list[str]:
        return index.ask(
            lambda searcher: [
                it.observation.content
                for it in CandidateSource(searcher, index.schema).candidates(
                    request, room, filtered=False
                )
            ]
        )

    few = found(0)
    assert set(few) >= set(kinds)
    assert len(few) < 200 < len(found(60_000))
    assert found(60_000)[: len(few)] == few


def test_one_that_is_long_takes_no_more_of_the_room_than_may_be_told_of_it(
    memory: Memory, tmp_path: Path
) -> None:
    """A note is told in a sixth of a budget: three of twice the room leave half of it."""
    long = [observation(f"The shop {n} " + "opens " * 300, 900 + n, days=-9 + n) for n in range(3)]
    memory.store(long)
    memory.index.refresh()
    index = index_of(tmp_path)

    def number(room: int) -> int:
        return index.ask(
            lambda searcher: len(
                CandidateSource(searcher, index.schema).candidates(
                    RecallRequest(), room, filtered=False
                )
            )
        )

    few, more = number(9_000), number(12_000)
    assert few > 150 + 40
    assert more > few


def test_what_is_new_is_offered_and_what_is_archived_no_more(memory: Memory) -> None:
    asked = ("engineer", 29, "queue")
    before = offered(memory.recall.plan(*asked, budget=2_000))
    new = observation("The queue is gone.", 999)
    memory.store([new])
    memory.apply(memory.plan.archive([note(5).id]))
    memory.index.refresh()
    after = offered(memory.recall.plan(*asked, budget=2_000, fresh=False))
    assert note(5).content in before
    assert note(5).content not in after
    assert new.content in after


def test_what_was_told_is_counted_at_once(memory: Memory) -> None:
    asked = ("engineer", 29, "queue")
    recall = memory.recall.plan(*asked, budget=300)
    memory.recall.inject(recall)
    told = {it.observation.id for it in recall.included}
    again = memory.recall.plan(*asked, budget=300)
    counts = {it.observation.id: it.observation.recall_count for it in again.candidates}
    assert told
    assert {counts[identifier] for identifier in told} == {1}


@pytest.mark.parametrize("shared", ["-a1b2c3", "-the-same-long-ending-for-every-one", "z"])
def test_a_handle_is_the_shortest_ending_that_no_other_id_has(tmp_path: Path, shared: str) -> None:
    ids = [f"obs-engineer-29-17090352{number * 37:05}{shared}" for number in range(60)]
    ids += [f"note-{number}" for number in range(9)]  # shorter than the first ending that is tried
    with open_memory(tmp_path / "memory", cache=tmp_path / "cache") as memory:
        memory.store([observation(f"note {it}", id=it) for it in ids])
    index = index_of(tmp_path)
    handles = index.ask(
        lambda searcher: [CandidateSource(searcher, index.schema).handle(named(it)) for it in ids]
    )
    for identifier, handle in zip(ids, handles, strict=True):
        endings = [identifier[-length:] for length in range(3, len(identifier) + 1)]
        alone = [
            it for it in endings if it[0].isalnum() and sum(id_.endswith(it) for id_ in ids) < 2
        ]
        assert handle == alone[0]


def test_ids_with_one_ending_cost_no_look_at_all_of_them(tmp_path: Path) -> None:
    ids = [f"obs-engineer-29-17090352{number:05}-a1b2c3" for number in range(300)]
    with open_memory(tmp_path / "memory", cache=tmp_path / "cache") as memory:
        memory.store([observation(f"note {it}", id=it) for it in ids])
    index = index_of(tmp_path)

    def looked_at(searcher: Searcher) -> int:
        asked = Watched(searcher)
        offers = CandidateSource(cast("Searcher", asked), index.schema)
        for it in ids[:50]:
            offers.handle(named(it))
        return asked.most

    assert index.ask(looked_at) <= 10


class Watched:
    """A searcher that notes the most ids that had an ending asked about."""

    def __init__(self, searcher: Searcher) -> None:
        self.searcher = searcher
        self.most = 0

    def terms_with_prefix(self, field: str, ending: str, limit: int) -> list[tuple[str, int]]:
        found: list[tuple[str, int]] = self.searcher.terms_with_prefix(field, ending)
        self.most = max(self.most, len(found))
        return found[:limit]


def named(identifier: str) -> Observation:
    return observation("note", id=identifier)


def test_what_the_task_names_is_looked_at_however_much_else_it_says(tmp_path: Path) -> None:
    with open_memory(tmp_path / "memory", cache=tmp_path / "cache", clock=lambda: NOW) as memory:
        memory.store([note(number) for number in range(450)])
        named = [
            observation(
                "Page numbers: page_index begins at one, the lock or queue.", 900, days=600
            ),
            observation("We agreed on it for core/page.py alone.", 901, days=600),
        ]
        memory.store(named)
        long = " ".join(f"module m{number} way {number * 7}" for number in range(60))
        task = f"{long}: the queue, lock and cache changed; page_index of core/page.py fails."
        recall = memory.recall.plan("engineer", 29, task, budget=500)
        found = {it.observation.content: it for it in recall.candidates}
        assert found.keys() >= {it.content for it in named}
