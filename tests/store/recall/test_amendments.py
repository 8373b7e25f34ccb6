"""What amends, repeats or was touched since, and the files to tell."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest

from store.errors import InvalidObservation
from store.model import CHANGED, REMOVED, Observation
from store.recall.amendments import is_amendment, with_amendments
from store.recall.files import mention_of_file, subjects_of
from store.recall.overlaps import giving_way
from store.recall.plan import plan
from store.recall.profiles import PROFILES, Terms, profile_named
from store.recall.reasons import Verdict
from store.recall.request import RecallRequest
from store.recall.touched import files_to_touch, gone_from
from store.recall.values import Candidate, Kind, Recall, limits_of
from store.text.tokens import Family, counter_for
from tests.store.recall.makers import NOW, aged

OLD = (
    "The upload limit is ten megabytes for each attachment of a ticket: "
    "larger scans go to the archive by a nightly job."
)
NEW = "Amended: the upload limit for each attachment of a ticket is now fifty megabytes."


def planned(*candidates: Candidate, budget: int = 1_000, task: str = "upload limit") -> Recall:
    request = RecallRequest(task=task, budget=budget)
    limits, counter = limits_of("text", budget), counter_for(Family.CLAUDE)
    terms = Terms(profile_named(None), limits, counter, lambda it: it.id[-4:])
    return plan(candidates, request, terms, NOW)


def test_what_amends_a_statement_is_as_relevant_and_told_with_it() -> None:
    old = Candidate(aged(OLD, 1, days=9, session_id="s1"), {"relevance": 4.0, "bm25": 4.0})
    new = Candidate(aged(NEW, 2, days=1, session_id="s2"))
    assert with_amendments([old, new])[0].amended_by == new.observation.id
    assert with_amendments([old, new])[1].signals == old.signals
    told = planned(old, new)
    assert told.candidates[0].observation == new.observation
    late = next(it for it in told.candidates if it.observation == old.observation)
    assert late.text.startswith("(amended 28 Feb by ")


@pytest.mark.parametrize(
    ("newer", "session", "days"),
    [
        (NEW, "s1", 1),
        (NEW, "s2", 30),
        ("The upload limit for each attachment of a ticket is ten megabytes.", "s2", 1),
        ("The parser no longer reads a file twice.", "s2", 1),
    ],
    ids=["same session", "older", "says nothing of a change", "another matter"],
)
def test_nothing_else_amends(newer: str, session: str, days: float) -> None:
    older = Candidate(aged(OLD, 1, days=9, session_id="s1"))
    later = Candidate(aged(newer, 2, days=days, session_id=session))
    assert not any(candidate.amended_by for candidate in with_amendments([older, later]))


@pytest.mark.parametrize(
    "text",
    ["We no longer retry.", "This supersedes keep-latest.", "Switching from rsync to git.",
     "New rule: one file a memory.", "Going forward, ask first."],
)  # fmt: skip
def test_these_say_that_they_change_something(text: str) -> None:
    assert is_amendment(text)


@pytest.mark.parametrize("text", ["It retries.", "The longer list is sorted.", "Run it once more."])
def test_these_change_nothing(text: str) -> None:
    assert not is_amendment(text)


# Near-duplicates and undone statements give way to what is newer.


def ways(*observations: Observation) -> dict[str, str]:
    """Content of what gives way, and why."""
    held = {it.id: it for it in observations}
    found = giving_way(observations)
    return {held[key].content: reason for key, (reason, _) in found.items()}


def test_the_older_of_two_that_say_the_same_gives_way() -> None:
    old = aged("Chose one JSON file for each issue, not SQLite.", 1, days=9)
    new = aged("Chose one JSON file for each issue, not SQLite!", 2, days=1)
    assert ways(old, new) == {old.content: Verdict.REPEATED}
    assert giving_way([old, new])[old.id][1] is new


def test_what_says_more_does_not_give_way() -> None:
    old = aged("Chose one JSON file for each issue in store/disk/files.py line 29.", 1, days=9)
    new = aged("Chose one JSON file for each issue.", 2)
    assert ways(old, new) == {}


def test_a_later_negation_contradicts() -> None:
    old = aged("The lock file is removed after each write by the daemon.", 1, days=9)
    new = aged("The lock file is not removed after each write by the daemon.", 2)
    assert ways(old, new) == {old.content: Verdict.CONTRADICTED}


def test_a_later_number_supersedes() -> None:
    old = aged("The lock timeout of the store is 30 seconds by default.", 1, days=9)
    new = aged("The lock timeout of the store is 5 seconds by default.", 2)
    assert ways(old, new) == {old.content: Verdict.SUPERSEDED}


def test_what_replaces_supersedes() -> None:
    old = aged("Sessions are kept in a SQLite database.", 1, days=9)
    new = aged(
        "Sessions are kept in plain JSON files instead of a SQLite database, for reviews.", 2
    )
    assert ways(old, new) == {old.content: Verdict.REPLACED}


def test_events_and_other_issues_contradict_nothing() -> None:
    old = aged("Removed 3 files from the cache folder.", 1, days=9, category="code-change")
    new = aged("Removed 5 files from the cache folder.", 2, category="code-change")
    assert ways(old, new) == {}
    one = aged("The timeout of the lock is 30 seconds.", 1, days=9, issue_number=1)
    other = aged("The timeout of the lock is 5 seconds.", 2, issue_number=2)
    assert ways(one, other) == {}


def test_what_was_summed_up_gives_way_to_the_summary() -> None:
    part = aged("A detail of no further interest.", 1, days=9)
    whole = aged("All details.", 2, sources=(part.id,), category="compaction-summary")
    assert ways(part, whole) == {part.content: Verdict.SUMMED_UP}


# The profiles rank as their documents say: worked examples.


def ranked(
    profile: str, request: RecallRequest, *candidates: Candidate, now: datetime = NOW
) -> dict[str, float]:
    """Scores by content, in the order of the ranking."""
    ranking = PROFILES[profile].rank(candidates, request, now)
    return {it.observation.content: it.score for it in ranking}


def test_memtui_prefers_what_is_relevant_then_the_recent() -> None:
    asked = RecallRequest(agent="engineer", issue=29, task="windows lock")
    relevant = Candidate(
        aged("Relevant", 1, issue_number=7, days=400, session_id="x"), {"relevance": 1.0}
    )
    recent = Candidate(aged("Recent", 3, issue_number=8, session_id="z", agent="tester"))
    far = Candidate(aged("Far", 4, issue_number=8, days=300, session_id="z", agent="a"))
    found = list(ranked("memtui", asked, far, recent, relevant))
    assert found == ["Relevant", "Recent", "Far"]


@pytest.mark.parametrize("profile", PROFILES)
def test_of_equals_the_newest_comes_first_then_the_last_id(profile: str) -> None:
    request = RecallRequest(task="gate")
    held = [
        Candidate(aged(f"Said {n}", n, days=days), {"relevance": 1.0, "bm25": 1.0})
        for n, days in ((5, 2), (1, 1), (3, 2), (4, 3))
    ]
    weights = dict.fromkeys(("recency", "very_recent"), 0.0)
    for order in (held, held[::-1]):
        found = profile_named(profile, weights).rank(order, request, NOW)
        assert [it.observation.content for it in found] == ["Said 1", "Said 5", "Said 3", "Said 4"]
        assert len({round(it.score, 9) for it in found}) == 1


def test_an_unknown_profile_is_named_with_those_that_exist() -> None:
    with pytest.raises(InvalidObservation, match="nobody") as raised:
        profile_named("nobody")
    assert "agentx" in raised.value.hint


# What memory knows of files, and how that ranks them.


@pytest.mark.parametrize(
    ("category", "said", "about"),
    [
        ("code-change", "Renamed the gate: a/lock.py and b/io.py moved", ("a/lock.py",)),
        ("code-change", "a/lock.py: moved to b/io.py", ("a/lock.py",)),
        ("code-change", "Moved a/lock.py to b/io.py: late", ("a/lock.py", "b/io.py")),
        ("code-change", "a/lock.py moved.\nFiles: b/io.py", ("a/lock.py",)),
        (
            "code-change",
            "Waits late: it hung.\nFiles: b/io.py, ./a/lock.py",
            ("b/io.py", "a/lock.py"),
        ),
        ("code-change", "Nothing of files", ()),
        ("error", "Fails: a/lock.py, then b/io.py", ("a/lock.py", "b/io.py")),
        ("decision", "a/lock.py waits for b/io.py", ("a/lock.py",)),
        ("decision", "`a/lock.py` waits", ()),
        ("decision", "Waits for a/lock.py", ()),
        ("decision", "", ()),
        ("lesson", "Wait.\nChanged in this session: a/lock.py, b/io.py", ("a/lock.py", "b/io.py")),
    ],
)
def test_which_files_a_memory_is_about(category: str, said: str, about: tuple[str, ...]) -> None:
    assert subjects_of(aged(said, category=category)) == about


def test_a_task_names_a_file_by_path_or_name() -> None:
    assert mention_of_file("store/disk/files.py", "fix store/disk/files.py") == 1.0
    assert 0 < mention_of_file("store/disk/files.py", "fix files.py now") < 1
    assert mention_of_file("store/disk/files.py", "fix profiles.py now") == 0
    assert mention_of_file("store/disk/files.py", "fix it") == 0


# Files that a task may touch: of the session most about the same.


def session(
    name: str, changed: str, removed: str = "", *, days: float = 1, likeness: float = 1.0
) -> Candidate:
    extra = {CHANGED: dict.fromkeys(changed.split(), 1), REMOVED: removed.split()}
    digest = aged("", days=days, session_id=name, category="session", extra=extra)
    return Candidate(digest, {"bm25": likeness}, Kind.SESSION)


def paths(*sessions: Candidate, task: str = "it hangs") -> list[str]:
    return [hint.path for hint in files_to_touch(sessions, task)]


def test_the_files_of_the_session_most_alike_are_listed_with_its_day() -> None:
    sessions = [
        session("lock", "src/lock.py src/io.py", days=2),
        session("page", "src/page.py src/lock.py", likeness=0.8),
    ]
    assert files_to_touch(sessions, "it hangs") == (
        ("src/io.py", ("27 Feb",)),
        ("src/lock.py", ("27 Feb",)),
    )
    assert files_to_touch([], "it hangs") == ()


@pytest.mark.parametrize("task", ["src/lock.py hangs", "lock.py hangs", "page.py hangs like it"])
def test_nothing_is_listed_where_the_task_names_files(task: str) -> None:
    assert paths(session("lock", "src/lock.py src/io.py"), task=task) == []


def test_nothing_is_listed_of_a_session_that_changed_many_files_besides_tests() -> None:
    assert paths(session("wide", "a.py b.py c.py d.py")) == []
    assert paths(session("wide", "a.py b.py c.py tests/test_a.py")) == ["a.py", "b.py", "c.py"]


def test_what_is_gone_or_was_removed_last_is_left_out() -> None:
    made = session("made", "old/lock.py src/io.py", days=3)
    moved = session("moved", "", "old", days=2, likeness=0.5)
    assert paths(made, moved) == ["src/io.py"]
    assert "old/lock.py" in paths(made, moved, session("back", "old/lock.py", likeness=0.5))
    hints = files_to_touch([made], "it hangs", gone="src/io.py".__eq__)
    assert [hint.path for hint in hints] == ["old/lock.py"]


# Which files are gone: what sessions saw of other places is not judged.


@pytest.mark.parametrize(
    ("path", "gone"),
    [
        ("src/lock.py", False),
        ("src/old.py", True),
        ("old.py", True),
        ("lib/old.py", None),
        ("/src/old.py", None),
        ("~/old.py", None),
        ("../old.py", None),
        ("src/../old.py", None),
        ("src/lib/../lock.py", None),
        ("src/..", None),
        ("src/lib/old.py", True),
        ("src", False),
        ("lib", True),
        ("src/old\0.py", None),
        ("", None),
    ],
)
def test_a_file_is_gone_where_the_folder_that_its_path_begins_with_stands_without_it(
    tmp_path: Path, path: str, gone: bool | None
) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "lock.py").touch()
    (tmp_path / "other" / "lib").mkdir(parents=True)
    assert gone_from([tmp_path])(path) is gone
    assert gone_from([])(path) is None
    (tmp_path / "other" / "old.py").touch()
    assert gone_from([tmp_path, tmp_path / "other"])("old.py") is False
    assert gone_from([tmp_path / "other", tmp_path])("lib/new.py") is True
    assert gone_from([tmp_path / "other", tmp_path])("src/lock.py") is False
