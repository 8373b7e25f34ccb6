from __future__ import annotations

from pathlib import Path

import pytest

from store.action import Action
from store.backends.files.issue_reader import read_issue
from store.compaction.compact import to_plan
from store.compaction.merge import newest_first
from store.compaction.prune import Pruning, Strategy, prune
from store.errors import NotFound
from store.model import Layer, Location, Observation
from store.operations.apply import apply_plan
from store.operations.changes import Where
from store.operations.undo import undo_operation
from tests.store.compaction.notes import note, planned
from tests.store.factories import NOW, Store

TEXTS = (
    "The lock waits for its turn in src/lock.py",
    "In src/lock.py the lock waits for its turn.",
    "The locks wait for their turn in ./src/lock.py",
)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    store = Store(tmp_path / "memory", clock=lambda: NOW)
    twins = [note(f"obs-{number}", text, 30 + number) for number, text in enumerate(TEXTS)]
    others = [note("obs-9", "Nothing like it"), note("obs-8", TEXTS[0], issue_number=30)]
    store.store([*twins, *others])
    return store


def locations(store: Store, issue: int = 29) -> tuple[list[str], list[str]]:
    records = read_issue(store.folder, issue)
    return (
        [one.id for one in records.observations(Location.ISSUE)],
        [one.id for one in records.observations(Location.ARCHIVE)],
    )


def where(store: Store) -> Where:
    return {issue: read_issue(store.folder, issue) for issue in (29, 30)}


def active(store: Store) -> list[Observation]:
    return newest_first(store.by_issue(29) + store.by_issue(30))


def test_a_compaction_is_applied_and_taken_back(store: Store) -> None:
    before = active(store)
    compaction = planned(*before)
    plan = to_plan(compaction, where(store))
    assert plan.kind == "compact"
    assert (plan.action.figures["memories"], plan.action.figures["merged"]) == (5, 3)
    assert [change.location for change in plan.changes] == [Location.ARCHIVE] * 3 + [
        Location.ISSUE
    ] * 4
    assert (plan.notes[0].values["issue"], plan.notes[0].values["reason"]) == (29, "duplicate")

    apply_plan(store, plan, NOW)
    merged = compaction.clusters[0].merged
    assert locations(store) == (["obs-9", merged.id], ["obs-0", "obs-1", "obs-2"])
    assert all(one.archived for one in read_issue(store.folder, 29).observations(Location.ARCHIVE))
    assert merged in active(store)
    assert planned(*active(store)).is_empty

    undo_operation(store, None, NOW)
    assert active(store) == before


def test_undo_keeps_what_was_written_since(store: Store) -> None:
    apply_plan(store, to_plan(planned(*active(store)), where(store)), NOW)
    store.store([note("obs-new", "Said later")])
    undo_operation(store, None, NOW)
    assert {"obs-0", "obs-1", "obs-2", "obs-9", "obs-new"} == set(locations(store)[0])


def test_an_original_that_is_gone_is_named(store: Store) -> None:
    compaction = planned(*active(store))
    store.drop("obs-1")
    with pytest.raises(NotFound, match="obs-1"):
        to_plan(compaction, where(store))
    with pytest.raises(NotFound):
        to_plan(compaction, {})


def test_a_pruning_archives_and_is_taken_back(store: Store) -> None:
    before = active(store)
    pruning = prune(before, Strategy.OLDEST_FIRST, now=NOW, capacities={Layer.SEMANTIC: 2})
    assert [one.id for one in pruning.archived] == ["obs-0", "obs-1", "obs-2"]
    plan = pruning.to_plan(where(store))
    assert plan.action == Action("prune", {"memories": 3})
    apply_plan(store, plan, NOW)
    assert locations(store) == (["obs-9"], ["obs-0", "obs-1", "obs-2"])
    undo_operation(store, None, NOW)
    assert active(store) == before


def test_a_cap_leaves_one_summary(store: Store) -> None:
    store.store([note(f"obs-cap-{n}", f"Fact number {n}", 50 + n) for n in range(40)])
    pruning = prune(active(store), Strategy.CAP, now=NOW)
    apply_plan(store, pruning.to_plan(where(store)), NOW)
    summaries = [one for one in active(store) if one.category == "compaction-summary"]
    assert len(summaries) == 1
    assert len(active(store)) == 21
    assert prune(active(store), Strategy.CAP, now=NOW) == Pruning()


def test_unknown_keys_survive_in_the_archive(store: Store) -> None:
    odd = [note(f"obs-odd-{n}", "Odd keys stay" + "." * n, extra={"theirs": n}) for n in (1, 2)]
    store.store(odd)
    compaction = planned(*active(store))
    apply_plan(store, to_plan(compaction, where(store)), NOW)
    archived = read_issue(store.folder, 29).find(Location.ARCHIVE, "obs-odd-2")
    assert archived is not None
    assert archived["theirs"] == 2
