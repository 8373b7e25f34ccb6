from __future__ import annotations

import gc
import random
from collections import Counter
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from store.compaction.compact import _flattened, _pays, moved_out, plan_compaction, without
from store.compaction.merge import _merged_id, merge, merge_whole, merged_observation
from store.compaction.model import (
    Alone,
    Cluster,
    CompactionResult,
    CompactionSettings,
    LeftOut,
    Reason,
    Strength,
)
from store.compaction.neighbours import Item
from store.compaction.relate import _is_fix_of, _says_the_same, superseded
from store.model import MAX_CONTENT, MAX_SUMMARY, UNDATED, Observation
from store.text.facts import kept, statements
from tests.bench.reworded import reworded_set
from tests.store.compaction.notes import note, planned
from tests.store.factories import NOW


def test_near_duplicates_fold_into_the_newest() -> None:
    plan = planned(
        note("a", "Fixed: retries wait 5 s in src/lock.py", 40, recall_count=2, tags=("x",)),
        note(
            "b", "Retries wait 5 seconds in ./src/lock.py (fixed)", 30, recall_count=1, tags=("y",)
        ),
        note("c", "The index is rebuilt in the background", 20),
    )
    (cluster,) = plan.clusters
    assert cluster.reason is Reason.DUPLICATE
    assert [one.id for one in cluster.originals] == ["b", "a"]
    assert cluster.merged.content == "Retries wait 5 seconds in ./src/lock.py (fixed)"
    assert cluster.merged.timestamp == NOW - timedelta(days=30)
    assert cluster.merged.recall_count == 3
    assert cluster.merged.seen_count == 2
    assert cluster.merged.sources == ("b", "a")
    assert cluster.merged.tags == ("y", "x")
    assert cluster.merged.id.startswith("obs-engineer-29-")
    assert [left.observation_id for left in cluster.left_out] == ["a"]
    assert [left.observation.id for left in plan.left_alone] == ["c"]
    assert (plan.observations_before, plan.observations_after) == (3, 2)
    assert plan.tokens_before - plan.tokens_after == cluster.tokens_before - cluster.tokens_after


def test_a_superseded_observation_gives_way_and_is_said_plainly() -> None:
    plan = planned(
        note("old", "The retry policy waits 5 s between two attempts", 40),
        note("new", "The retry policy now waits 30 s between two attempts", 30),
    )
    (cluster,) = plan.clusters
    assert cluster.reason is Reason.SUPERSEDED
    assert cluster.merged.content == "The retry policy now waits 30 s between two attempts"
    (left,) = cluster.left_out
    assert (left.observation_id, left.superseded, left.missing) == ("old", True, ("5s",))
    at_once = [one._replace(timestamp=NOW - timedelta(days=30)) for one in cluster.originals]
    assert planned(*at_once).is_empty


def test_once_nothing_new_is_left_to_merge_all_that_is_left_is_looked_at_again() -> None:
    said = {
        "a": "File waits session stamp written rebuilt in src/a.py",
        "b": "Archive waits session session written rebuilt",
        "c": "File waits session index written rebuilt cache 5",
        "d": "File waits session archive written lock 9",
        "e": "File waits session stamp written cache 8",
        "f": "File waits session stamp written rebuilt in src/b.py",
        "g": "File waits session stamp written rebuilt in src/a.py",
        "h": "File token session cache written rebuilt",
        "i": "File waits archive stamp written stamp",
    }
    decided = {"category": "decision"}
    plan = planned(
        *(
            note(name, text, 22 + at, **(decided if name in "bcgi" else {}))
            for at, (name, text) in enumerate(said.items())
        )
    )
    merged = {tuple(one.id for one in cluster.originals) for cluster in plan.clusters}
    assert merged == {("a", "b", "g", "i"), ("c", "h")}


def test_what_is_merged_keeps_as_many_links_as_fit() -> None:
    links = [f"[[note number {number:03}]]" for number in range(40)]
    room = MAX_CONTENT - 200
    first = note("a", "x" * room, 30)
    merged = merged_observation([first, note("b", " ".join(links), 31)], first.content, "", "error")
    assert room + 150 < len(merged.content) <= MAX_CONTENT
    told = merged.content.removeprefix(f"{'x' * room}\n\nSee ").split(", ")
    assert told == links[: len(told)]


@pytest.mark.parametrize("collecting", [True, False])
def test_garbage_is_collected_afterwards_as_it_was_before(collecting: bool) -> None:
    collected: list[bool] = []

    def stop(done: int, total: int) -> None:
        collected.append(gc.isenabled())
        raise InterruptedError

    try:
        gc.enable() if collecting else gc.disable()
        with pytest.raises(InterruptedError):
            plan_compaction(
                [note("a", "The index is rebuilt in the background")],
                now=NOW,
                settings=CompactionSettings(),
                progress=stop,
            )
        assert gc.isenabled() is collecting
    finally:
        gc.enable()
    assert collected == [False]


def test_changes_of_a_file_become_one_line_of_history() -> None:
    plan = planned(
        note("a", "Created src/lock.py", 40, category="code-change"),
        note("b", "Updated `src/lock.py`: waits with jitter", 30, category="code-change"),
        note("c", "Renamed Gate to Lock in src/lock.py.", 20, category="code-change"),
        note("d", "Updated src/other.py: a flag", 20, category="code-change"),
        note("e", "src/lock.py is the only lock", 20),
    )
    (cluster,) = plan.clusters
    assert cluster.reason is Reason.FILE_HISTORY
    assert cluster.about == "src/lock.py"
    assert cluster.merged.content == (
        "src/lock.py: 2026-02-09 Renamed Gate to Lock; 2026-01-30 Updated: waits with jitter; "
        "2026-01-20 Created"
    )
    later = note("f", "Deleted src/lock.py", 10, category="code-change")
    (grown,) = planned(cluster.merged, later).clusters
    assert grown.merged.content == (
        "src/lock.py: 2026-02-19 Deleted; 2026-02-09 Renamed Gate to Lock; "
        "2026-01-30 Updated: waits with jitter; 2026-01-20 Created"
    )


def test_an_error_and_its_fix_become_one() -> None:
    error = "LockTimeout on manifest.json after 5 retries of the writer"
    fix = "Fixed the LockTimeout of the writer by a jitter of 3 ms between retries"
    plan = planned(
        note("error", error, 40, category="error"),
        note("fix", fix, 39, category="lesson"),
        note("other", "Fixed a typo in the manual", 38, category="lesson"),
    )
    (cluster,) = plan.clusters
    assert cluster.reason is Reason.ERROR_AND_FIX
    assert cluster.merged.category == "error"
    assert cluster.merged.content == f"{error}\nFix: {fix}"
    before = note("early", fix, 41, category="lesson")
    assert planned(note("error", error, 40, category="error"), before).is_empty


def test_a_fix_is_told_with_the_error_that_it_fits_best() -> None:
    near = "LockTimeout on manifest.json after 5 retries of the writer in store.py"
    far = "LockTimeout of the reader on activity.jsonl"
    fix = "Fixed the LockTimeout on manifest.json of the writer in store.py by a jitter of 3 ms"
    plan = planned(
        note("near", near, 40, category="error"),
        note("far", far, 39, category="error"),
        note("fix", fix, 38, category="lesson"),
    )
    assert [cluster.merged.content for cluster in plan.clusters] == [f"{near}\nFix: {fix}"]


def test_what_has_its_own_reason_in_lines_is_told_alone() -> None:
    changes = [
        note(
            str(age),
            f"src/lock.py: Waits {age} s.\nAsked: Wait {age} s",
            age,
            category="code-change",
        )
        for age in (200, 210)
    ]
    errors = [
        note(
            f"e{age}",
            f"`make test` failed: E{age} in src/lock.py\nCause: E{age}",
            age,
            category="error",
        )
        for age in (220, 230)
    ]
    assert planned(*changes, *errors, strength=Strength.THOROUGH).is_empty


def test_stale_issues_are_told_as_few() -> None:
    notes = [
        note(f"n{number}", f"The {what} of store/locks.py is {how}", 200 + number)
        for number, (what, how) in enumerate(
            [("gate", "one file"), ("marker", "linked whole"), ("wait", "short"), ("limit", "30 s")]
        )
    ]
    (cluster,) = planned(*notes).clusters
    assert cluster.reason is Reason.RELATED
    assert len(cluster.originals) == 4
    assert planned(*notes, stale_days=1_000).is_empty
    assert len(planned(*notes, stale_days=1_000, strength=Strength.THOROUGH).clusters) == 1


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"pinned": True}, Alone.PINNED),
        ({"muted": True}, Alone.MUTED),
        ({"category": "task"}, Alone.OPEN_TASK),
        ({"category": "handoff"}, Alone.LATEST_HANDOFF),
        ({"timestamp": NOW - timedelta(days=6)}, Alone.YOUNG),
        ({"timestamp": NOW + timedelta(days=6)}, Alone.YOUNG),
    ],
)
def test_left_alone(fields: dict[str, Any], why: Alone) -> None:
    twin = note("twin", "The lock waits for its turn", 50)
    plan = planned(twin, note("it", "The lock waits for its turn", **fields))
    assert plan.is_empty
    assert {left.observation.id: left.why for left in plan.left_alone}["it"] is why


def test_done_tasks_and_earlier_handoffs_do_fold() -> None:
    done = [note(name, "Write the manual", category="task", tags=("done",)) for name in "ab"]
    handoffs = [note(name, "Left at the locks", category="handoff") for name in "cde"]
    newer = note("f", "The index is rebuilt in the background", 9)
    plan = planned(*done, *handoffs, newer)
    assert [len(cluster.originals) for cluster in plan.clusters] == [2, 2]


def test_ids_that_are_not_unique_are_left_alone() -> None:
    plan = planned(note("a", "The lock waits"), note("a", "The lock waits"))
    assert {left.why for left in plan.left_alone} == {Alone.AMBIGUOUS}
    assert plan.observations_after == 2


def test_issues_categories_and_speakers_are_kept_apart() -> None:
    text = "The lock waits for its turn"
    assert planned(note("a", text), note("b", text, issue_number=30)).is_empty
    assert planned(note("a", text), note("b", text, category="error")).is_empty
    assert not planned(note("a", text), note("b", text, category="decision")).is_empty
    assert not planned(note("a", text), note("b", text, agent="reviewer")).is_empty
    mine = "I went to the meeting about locks"
    assert planned(note("a", mine), note("b", mine, agent="reviewer")).is_empty


def test_archived_ones_are_passed_over() -> None:
    plan = planned(note("a", "The lock waits"), note("b", "The lock waits", archived=True))
    assert plan.observations_before == 1


def test_undated_observations_are_old() -> None:
    text = "The lock waits"
    plan = planned(note("a", text, timestamp=UNDATED), note("b", text, timestamp=UNDATED))
    assert plan.clusters[0].merged.id.startswith("obs-engineer-29-0-")


def test_what_fits_nowhere_else_is_told_with_the_nearest_in_time() -> None:
    told = [
        note(name, f"Changed src/lock.py: {name} " + f"{name}{name} " * words, 30 + at)
        for at, (name, words) in enumerate((("a", 250), ("b", 250), ("c", 350), ("d", 10)))
    ]
    groups = [
        [each.id for each in it.originals] for it in merge(told, Reason.FILE_HISTORY, "src/lock.py")
    ]
    assert groups == [["a", "b"], ["c", "d"]]


def test_limits_hold_however_much_there_is_to_say() -> None:
    long = [
        note(f"n{number}", f"Updated src/lock.py: {number} is {'very ' * 40}many", 30 + number)
        for number in range(40)
    ]
    long = [one._replace(category="code-change") for one in long]
    plan = planned(*long)
    assert len(plan.clusters) > 1
    for cluster in plan.clusters:
        assert len(cluster.merged.content) <= MAX_CONTENT
        assert len(cluster.merged.summary) <= MAX_SUMMARY


def test_strengths_merge_more_and_more() -> None:
    memories = reworded_set(sessions=6)
    left = [
        plan_compaction(
            memories, now=NOW, settings=CompactionSettings(strength=strength, stale_days=9_999)
        ).observations_after
        for strength in Strength
    ]
    assert len(memories) / 2 >= left[0] >= left[1] > left[2]


def test_a_cluster_can_be_left_out_and_an_observation_moved_out() -> None:
    plan = planned(*[note(name, "The lock waits for its turn", 30 + ord(name)) for name in "abc"])
    (cluster,) = plan.clusters
    assert without(plan, cluster.id).is_empty
    assert {left.why for left in without(plan, cluster.id).left_alone} == {Alone.CHOSEN}
    assert without(plan, "no such cluster") == plan
    smaller = moved_out(plan, "b")
    assert [one.id for one in smaller.clusters[0].originals] == ["a", "c"]
    assert [left.observation.id for left in smaller.left_alone] == ["b"]
    assert moved_out(smaller, "a").is_empty
    assert moved_out(plan, "no such observation") == plan
    assert smaller.observations_before == plan.observations_before


def test_what_stays_after_a_move_out_is_joined_by_no_looser_rule() -> None:
    """The two were alike through the third alone; both are about one file."""
    steps = "the version in src/till.py, then ask the clerk to approve."
    plan = planned(
        note("a", f"To release the service of the till, update {steps}", 40, category="procedure"),
        note("b", f"To release the service of the till, change {steps}", 41, category="procedure"),
        note("c", f"To ship the service of the till, update {steps}", 42, category="procedure"),
    )
    assert [cluster.reason for cluster in plan.clusters] == [Reason.DUPLICATE]
    assert moved_out(plan, "a").is_empty
    assert not planned(*plan.clusters[0].originals[1:], strength=Strength.THOROUGH).is_empty


def test_progress_is_told_and_can_stop() -> None:
    memories = reworded_set(sessions=3)
    seen: list[tuple[int, int]] = []
    chosen = CompactionSettings()
    plan_compaction(
        memories, now=NOW, settings=chosen, progress=lambda done, of: seen.append((done, of))
    )
    each = len(memories) // 3
    assert seen == [(each * (at + 1), len(memories)) for at in range(3)]

    def stop(done: int, of: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        plan_compaction(memories, now=NOW, settings=chosen, progress=stop)


def test_the_result_says_what_was_done() -> None:
    plan = planned(note("a", "The lock waits"), note("b", "The lock waits"), note("c", "Else 5"))
    assert CompactionResult.of(plan) == CompactionResult(
        observations_before=3,
        observations_after=2,
        tokens_before=plan.tokens_before,
        tokens_after=plan.tokens_after,
        merged=1,
        archived=2,
        created_ids=(plan.clusters[0].id,),
    )


words = st.sampled_from(
    ["lock", "waits", "now", "not", "5 s", "30 s", "src/a.py", "src/b.py", "`open_it`", "Caroline",
     "fixed", "index", "error", "I", "cache.", "Updated", "2026-02-01"]
)  # fmt: skip


categories = st.sampled_from(["key-fact", "decision", "code-change", "error", "task"])


@st.composite
def memories(draw: st.DrawFn) -> list[Observation]:
    texts = st.lists(words, min_size=1, max_size=8).map(" ".join)
    found = []
    for number in range(draw(st.integers(0, 14))):
        fields = {
            "category": draw(categories),
            "pinned": draw(st.integers(0, 9)) == 0,
            "agent": draw(st.sampled_from(["engineer", "reviewer"])),
            "issue_number": draw(st.integers(1, 2)),
            "recall_count": draw(st.integers(0, 3)),
        }  # fmt: skip
        days = draw(st.integers(0, 200))
        found.append(note(f"n{number}", draw(texts), days, **fields))
    return found


@settings(max_examples=60, deadline=None)
@given(memories(), st.sampled_from(list(Strength)), st.randoms(use_true_random=False))
def test_properties(found: list[Observation], strength: Strength, chance: random.Random) -> None:
    plan = planned(*found, strength=strength)
    places = Counter(
        [one.id for cluster in plan.clusters for one in cluster.originals]
        + [left.observation.id for left in plan.left_alone]
    )
    assert places == Counter(one.id for one in found)
    merged = {one.id: cluster for cluster in plan.clusters for one in cluster.originals}
    assert not any(one.pinned or one.is_open_task for one in found if one.id in merged)

    shuffled = list(found)
    chance.shuffle(shuffled)
    assert planned(*shuffled, strength=strength) == plan
    assert planned(*plan.after(), strength=strength).is_empty

    assert sum(one.recall_count for one in plan.after()) == sum(one.recall_count for one in found)
    for identifier in sorted(merged)[:2]:
        smaller = moved_out(plan, identifier)
        assert identifier in {left.observation.id for left in smaller.left_alone}
        assert smaller.observations_before == len(found)

    for cluster in plan.clusters:
        assert cluster.merged.timestamp == max(one.timestamp for one in cluster.originals)
        assert set(cluster.merged.sources) == {one.id for one in cluster.originals}
        gone = {left.statement for left in cluster.left_out if left.superseded}
        for one in cluster.originals:
            for statement in statements(one.content):
                assert statement in gone or kept(statement, cluster.merged.content)


def test_commands_that_differ_are_no_duplicates() -> None:
    one = note("a", "Commands that worked here: run some tests: `go test -race <path> -v`", 40)
    two = note("b", "Commands that worked here: run some tests: `go test -v <path>`", 41)
    commands = [each._replace(category="procedure") for each in (one, two)]
    assert planned(*commands).is_empty


def test_what_is_left_over_of_one_error_never_moves_into_another() -> None:
    shared = "`make test` failed: want 2, got 1 in the cart of the shop."
    one = note("a", f"{shared}\nCause: the first row of the list is skipped by `sum_rows`.", 40)
    two = note("b", f"{shared}\nCause: a discount is taken twice when a page is loaded.", 41)
    errors = [each._replace(category="error") for each in (one, two)]
    assert planned(*errors).is_empty


def test_a_change_of_several_files_is_in_no_files_history() -> None:
    one = note("a", "src/lock.py, src/gate.py: the wait is five seconds.", 40)
    two = note("b", "src/lock.py: the pause has jitter.", 41)
    three = note("c", "src/lock.py: the marker is checked by its process id.", 42)
    changes = [each._replace(category="code-change") for each in (one, two, three)]
    (cluster,) = planned(*changes).clusters
    assert {each.id for each in cluster.originals} == {"b", "c"}


def test_what_stands_for_others_takes_in_only_what_says_nothing_else() -> None:
    """The facts of originals that are in the archive must not wear away, merge by merge."""
    merged = note("a", "Always run the upload tests before a release of the shop.", 40)
    merged = merged._replace(sources=("obs-1", "obs-2"))
    alike = note("b", "Always execute the upload tests before every release of the shop.", 41)
    assert planned(merged, alike).is_empty
    assert not planned(merged._replace(sources=("session:s#1",)), alike).is_empty


def test_decisions_of_different_days_on_one_subject_are_told_alone() -> None:
    early = note("early", "The flag of store/cli.py is off by default.", 220, category="decision")
    late = note("late", "The flag of store/cli.py turns reports on.", 201, category="decision")
    assert planned(early, late).is_empty


def test_what_is_as_old_as_is_asked_for_is_compacted() -> None:
    pair = [note(name, "The lock file of the store is removed last.") for name in "ab"]
    for younger, merged in ((0, True), (1, False)):
        moment = NOW - timedelta(days=3) + timedelta(microseconds=younger)
        plan = planned(*(it._replace(timestamp=moment) for it in pair), young_days=3)
        assert bool(plan.clusters) is merged


@pytest.mark.parametrize(
    ("category", "length", "pays"),
    [
        ("decision", 90, True),
        ("lesson", 91, False),
        ("key-fact", 200, True),
    ],
)
def test_decisions_are_told_together_only_where_that_takes_nine_tenths(
    category: str, length: int, pays: bool
) -> None:
    pair = note("a", "x" * 50), note("b", "x" * 50, category=category)
    cluster = Cluster(reason=Reason.RELATED, originals=pair, merged=note("m", "x" * length))
    assert _pays(cluster) is pays
    assert _pays(replace(cluster, reason=Reason.DUPLICATE))


def test_the_id_of_what_was_merged_has_the_form_of_a_store() -> None:
    newest = note("a", "x", agent="Naïve-Bot_7")
    assert _merged_id(newest, ["a", "b"]).startswith("obs-navebot7-29-1769774400000-")
    long = newest._replace(agent="an agent of many letters", timestamp=UNDATED)
    assert _merged_id(long, ["a"]).startswith("obs-anagentofmanyletters-29-0-")
    assert _merged_id(long._replace(agent="x" * 30), ["a"]).startswith(f"obs-{'x' * 20}-29-0-")
    assert _merged_id(newest, ["a", "b"]) == _merged_id(newest, ["b", "a"])
    assert _merged_id(newest, ["a", "b"]) != _merged_id(newest, ["a"])


@pytest.mark.parametrize(
    ("fix", "same", "other"),
    [
        ("till.py: `load_prices` waits for locked rows of sqlite3.", True, True),
        ("`load_prices`: sqlite3 rows wait.", True, False),
        ("till.py: `load_prices` is renamed.", False, False),
        ("Rows that say they are locked wait.", False, False),
        ("Rows that say they are locked and fail wait.", True, False),
    ],
)
def test_a_change_of_another_session_mends_only_what_it_plainly_names(
    fix: str, same: bool, other: bool
) -> None:
    said = "`load_prices` of `till.py` fails: sqlite3 says the rows are locked."

    def mends(of_error: str, of_fix: str, days: float = 29) -> bool:
        error = note("e", said, 30, category="error", session_id=of_error)
        change = note("f", fix, days, category="code-change", session_id=of_fix)
        return _is_fix_of(Item(change), Item(error))

    assert [mends("s", "s"), mends("s", ""), mends("", "t")] == [same] * 3
    assert mends("s", "t") is other
    assert not mends("s", "s", 31)
    assert mends("s", "s", 30) is same


@pytest.mark.parametrize(("words", "mended"), [("alpha", False), ("alpha bravo", True)])
def test_a_change_that_names_what_failed_mends_it_from_three_tenths_of_its_words(
    words: str, mended: bool
) -> None:
    said = "`load_prices` fails: alpha bravo charlie delta echo foxtrot golf hotel."
    error = Item(note("e", said, 30, category="error"))
    assert len(error.subjects) == 10
    change = note("f", f"`load_prices` now: {words}.", 29, category="code-change")
    assert _is_fix_of(Item(change), error) is mended
    for files, narrow in (
        ("a/b.py, c/d.py, e/f.py", True),
        ("a/b.py, c/d.py, e/f.py, g/h.py", False),
    ):
        wide = change._replace(content=f"{files}: {change.content}")
        assert _is_fix_of(Item(wide), error) is (mended and narrow)


def test_an_error_that_names_nothing_is_mended_in_its_own_session_alone() -> None:
    error, fix = (note(name, "The rows are locked and time runs out.", 30) for name in "ef")
    elsewhere = fix._replace(session_id="t")
    error = error._replace(session_id="s")
    assert _is_fix_of(Item(fix), Item(error))
    assert not _is_fix_of(Item(elsewhere), Item(error))


@pytest.mark.parametrize("agent", ["engineer", "tester"])
def test_similar_words_are_told_together_of_one_agent(agent: str) -> None:
    plan = planned(
        note("a", "Menus open slowly where many dishes are listed twice", 140, agent="engineer"),
        note("b", "Dishes are listed in many menus, one opens slowly", 130, agent=agent),
    )
    assert [cluster.reason for cluster in plan.clusters] == [Reason.RELATED] * (agent == "engineer")


@pytest.mark.parametrize(("length", "together"), [(240, 1), (241, 0)])
def test_only_what_is_small_is_told_together(length: int, together: int) -> None:
    long = "Menus open slowly where many dishes are listed twice; of each a picture is loaded "
    long = f"{long}{'and drawn ' * 30}"[:length].ljust(length, "n")
    short = note("b", "Dishes are listed in many menus, one opens slowly", 130)
    assert len(planned(note("a", long, 140), short).clusters) == together


@pytest.mark.parametrize(("category", "together"), [("error", [["f", "e"]]), ("decision", [])])
def test_only_an_error_not_known_to_be_mended_takes_a_fix(
    category: str, together: list[list[str]]
) -> None:
    plan = planned(
        note("e", "`pay` fails: the rows are locked.", 40, category=category),
        note("f", "Fixed: `pay` waits for locked rows.", 30, category="code-change"),
        note("g", "Fixed: `pay` waits for locked rows that fail.", 39, category="error"),
    )
    assert [[one.id for one in it.originals] for it in plan.clusters] == together


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Sort menus by price in src/menu.py", "Sort menus by price in src/card.py", False),
        ("Kestrel sorts dishes by price", "Falcon sorts dishes by price", False),
        ("Kestrel sorts dishes by price", "Kestrel sorts the dishes by prices", True),
        ("Dishes are sorted with `sort -n`", "Dishes are sorted with `sort -r`", False),
        ("Dishes are sorted with `sort -n`", "Dishes are sorted", True),
        ("Dishes are sorted", "Dishes are sorted with `sort -n`", True),
        ("Dishes are sorted by price and name", "Dishes are not sorted by price and name", False),
    ],
)
def test_what_says_the_same(one: str, other: str, same: bool) -> None:
    assert _says_the_same(Item(note("a", one)), Item(note("b", other))) is same


@pytest.mark.parametrize(("reason", "length", "clusters"), [
    (Reason.RELATED, 749, 1), (Reason.RELATED, 750, 0), (Reason.ERROR_AND_FIX, 750, 1),
])  # fmt: skip
def test_what_is_on_one_subject_is_told_together_up_to_1500_characters(
    reason: Reason, length: int, clusters: int
) -> None:
    pair = [note("a", "a" * length), note("b", "b" * (length + 1), 31)]
    assert len(merge(pair, reason, "")) == clusters


def test_the_characters_of_a_plan_are_those_before_and_after() -> None:
    said = "Retries wait 5 s in src/lock.py"
    plan = planned(note("a", f"Fixed: {said}", 40), note("b", said), note("c", "Ids are random"))
    assert plan.characters == (2 * len(said) + 7 + 14, len(said) + 7 + 14)


def test_what_is_left_out_of_two_merged_before_is_told_by_who_said_it() -> None:
    one, other = note("a", "Menus open slowly.", 40), note("b", "Dishes are listed twice.", 41)
    part = Cluster(reason=Reason.DUPLICATE, originals=(one, other), merged=note("part", "x"))
    left = [
        LeftOut(observation_id=by, statement=said, instead="")
        for by, said in ((part.id, other.content), (part.id, "Gone."), ("c", other.content))
    ]
    third = note("c", "Dishes are listed twice.", 39)
    joined = (part.merged, third)
    whole = _flattened(
        Cluster(
            reason=Reason.RELATED, originals=joined, merged=note("m", "x"), left_out=tuple(left)
        ),
        [part],
    )
    assert whole is not None
    assert [it.id for it in whole.originals] == ["c", "a", "b"] == [*whole.merged.sources]
    assert [it.observation_id for it in whole.left_out] == ["b", "a", "c"]


@pytest.mark.parametrize("turned", [False, True])
def test_a_later_statement_takes_the_place_of_an_earlier_in_whatever_order(turned: bool) -> None:
    said = "The retry policy waits 5 s", "The retry policy now waits 30 s"
    pair = [
        Item(note(name, text, days)) for name, text, days in zip("ab", said, (9, 8), strict=True)
    ]
    items = pair[::-1] if turned else pair
    assert len(superseded(pair, [(items[0], items[1])])) == 1
    swapped = [
        Item(note(name, text, days)) for name, text, days in zip("ab", said, (8, 9), strict=True)
    ]
    assert superseded(swapped, [(swapped[0], swapped[1])]) == []


def test_what_says_the_same_as_what_was_merged_is_told_anew_from_the_originals() -> None:
    said = ("Retries wait 5 s in src/lock.py", "Fixed: retries wait 5 s in src/lock.py")
    one, other, third = note("a", said[0], 40), note("b", said[1], 41), note("c", said[0], 39)
    (part,) = merge([one, other], Reason.DUPLICATE, "")
    joined = (third, part.merged)
    again = Cluster(reason=Reason.DUPLICATE, originals=joined, merged=note("m", "Folded twice"))
    assert _flattened(again, [part]) == merge_whole([third, one, other], Reason.DUPLICATE, "")
