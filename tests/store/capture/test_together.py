"""The plans of several sessions as one, what is cut and listed, and where an issue is told."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

from store.agents.session import Session
from store.capture.candidate import listed, shorten
from store.capture.evidence.summaries import extract_observations
from store.capture.place import issue_for
from store.capture.plan import Captured, CapturePlan, Skipped
from store.capture.several import SeveralSessions
from store.model import Category, Observation
from store.notice import notice
from tests.store.factories import observation


def _plan(name: str, *kept: Observation, issue: int = 29, **more: Any) -> CapturePlan:  # noqa: ANN401
    return CapturePlan(
        tuple(Captured(it, "said") for it in kept),
        issue=issue,
        session_id=name,
        session=Session(id=name),
        **more,
    )


def _several(held: dict[int, list[Observation]]) -> SeveralSessions:
    made = iter(range(1, 99))

    def new_id(agent: str, issue: int, when: datetime) -> str:
        return f"{agent}-{issue}-{when:%d}-{next(made)}"

    return SeveralSessions(lambda issue: held.get(issue, []), new_id)


def _rule(content: str, **more: Any) -> Observation:  # noqa: ANN401
    return observation(content, id="", agent="codex", **more)


def test_a_later_session_sees_what_those_before_it_would_leave_with_its_id() -> None:
    several = _several({29: [observation("Held", id="obs-1")]})
    several.add(_plan("one", _rule("One"), _rule("Two")))
    several.add(_plan("two", _rule("Three", issue_number=7), issue=7))
    assert [(it.id, it.content) for it in several.held(29)] == [
        ("obs-1", "Held"),
        ("codex-29-01-1", "One"),
        ("codex-29-01-2", "Two"),
    ]
    assert [it.id for it in several.held(7)] == ["codex-7-01-3"]
    assert several.held(8) == []


def test_what_an_issue_holds_is_read_once_also_where_it_is_asked_before() -> None:
    held = {29: [observation("Held", id="obs-1")]}
    several = _several(held)
    assert len(several.held(29)) == 1
    several.add(_plan("one", _rule("One")))
    assert [it.content for it in several.held(29)] == ["Held", "One"]
    assert len(held[29]) == 1


def test_one_plan_has_all_of_each_the_newest_first() -> None:
    several = _several({})
    skipped = [Skipped(text, notice("known")) for text in "abc"]
    several.add(
        _plan("one", _rule("One"), skipped=(skipped[0],), redactions=("x",), unread_lines=2)
    )
    several.add(
        _plan("two", _rule("Two"), _rule("Three"), skipped=tuple(skipped[1:]), unread_lines=3)
    )
    several.leave("a.jsonl can't be read")
    several.leave("b.jsonl can't be read")
    plan = several.together()
    assert [it.observation.content for it in plan.kept] == ["Two", "Three", "One"]
    assert {it.passage for it in plan.kept} == {"said"}
    assert [it.text for it in plan.skipped] == ["b", "c", "a"]
    assert (plan.redactions, plan.unread_lines) == (("x",), 5)
    assert plan.left == ("a.jsonl can't be read", "b.jsonl can't be read")
    assert [it.session_id for it in plan.sessions] == ["two", "one"]
    assert all(it.session is None for it in plan.sessions)
    assert _several({}).together() == CapturePlan()


def test_of_procedures_only_those_that_none_replaced_are_kept() -> None:
    several = _several({})
    procedure = Category.PROCEDURE
    several.add(_plan("one", _rule("Lint", category=procedure), _rule("Rule")))
    several.add(_plan("two", _rule("Test", category=procedure, sources=("codex-29-01-1", "x"))))
    several.add(_plan("three", _rule("Build", category=procedure, sources=("codex-29-01-3",))))
    several.add(_plan("four", _rule("New rule", sources=("codex-29-01-2",))))
    plan = several.together()
    assert [it.observation.content for it in plan.kept] == ["New rule", "Build", "Rule"]
    assert [len(it.kept) for it in plan.sessions] == [1, 1, 0, 1]


@pytest.mark.parametrize(
    ("text", "limit", "told"),
    [
        ("one two three", 13, "one two three"),
        ("one  two\n three ", 13, "one two three"),
        ("one two three", 12, "one two…"),
        ("one two, three", 10, "one two…"),
        ("one two three", 8, "one…"),
        ("onetwothree", 6, "onetw…"),
        ("one", 3, "one"),
        ("", 3, ""),
    ],
)
def test_a_text_is_cut_between_words(text: str, limit: int, told: str) -> None:
    assert shorten(text, limit) == told
    assert len(told) <= limit


@pytest.mark.parametrize(
    ("limit", "told"),
    [
        (10, "aa, bb, cc"),
        (9, "aa, bb and 1 more"),
        (6, "aa, bb and 1 more"),
        (5, "aa and 2 more"),
        (1, "aa and 2 more"),
    ],
)
def test_as_many_names_are_listed_as_fit(limit: int, told: str) -> None:
    assert listed(["aa", "bb", "cc"], limit) == told
    assert listed(["aa"], 1) == "aa"
    assert listed([], limit) == ""


@pytest.mark.parametrize(
    ("environ", "hook", "branch", "issue"),
    [
        ({"MEMTUI_ISSUE": "7", "AGENTX_ISSUE": "8", "ISSUE_NUMBER": "9"}, {}, "", 7),
        ({"AGENTX_ISSUE": "8", "ISSUE_NUMBER": "9"}, {}, "", 8),
        ({"ISSUE_NUMBER": " #9 "}, {"issue": 4}, "", 9),
        ({"MEMTUI_ISSUE": "", "ISSUE_NUMBER": "9"}, {}, "", 9),
        ({"MEMTUI_ISSUE": "none", "AGENTX_ISSUE": "8"}, {}, "", 8),
        ({"MEMTUI_ISSUE": "-3"}, {}, "issue-5", 5),
        ({}, {"issue": "x", "issue_number": "#4"}, "issue-5", 4),
        ({}, {"issueNumber": 4}, "issue-5", 4),
        ({}, {"issue_number": 3, "issueNumber": 4}, "", 3),
        ({}, {"issue": 0}, "issue-5", 0),
        ({}, {"number": 4}, "issue-5", 5),
        ({}, {}, "main", 0),
    ],
)
def test_an_issue_is_told_by_the_first_place_that_has_a_number(
    environ: dict[str, str], hook: dict[str, object], branch: str, issue: int
) -> None:
    assert issue_for(environ=environ, hook=hook, branch=branch) == issue
    assert issue_for(option=3, environ=environ, hook=hook, branch=branch) == 3
    assert issue_for(option=0, environ=environ, hook=hook, branch=branch) == 0


@pytest.mark.parametrize(
    ("summary", "told"),
    [
        (
            "- Before all of it\n# Decisions\n- Keep it in cents\n* Keep it in files\n"
            "## Errors found\n- It broke at night\n### Notes\n- It is for Greta\n"
            "# Key fact\n- Tills are slow\n## Modified files\n- Changed till.py",
            [
                ("compaction-summary", "Before all of it"),
                ("decision", "Keep it in cents"),
                ("decision", "Keep it in files"),
                ("error", "It broke at night"),
                ("compaction-summary", "It is for Greta"),
                ("key-fact", "Tills are slow"),
                ("code-change", "Changed till.py"),
            ],
        ),
        ("# Decisions\n- 123456789\n- 1234567890", [("decision", "1234567890")]),
        (" All is well \n", [("compaction-summary", "All is well")]),
        ("# Decisions\n- short", [("compaction-summary", "# Decisions\n- short")]),
        (" \n", []),
    ],
)
def test_a_summary_is_read_by_the_headings_of_its_bullets(
    summary: str, told: list[tuple[str, str]]
) -> None:
    found = extract_observations(summary, "engineer", 29, "s-1")
    assert [(it.category, it.content) for it in found] == told
    assert {(it.agent, it.issue_number, it.session_id) for it in found} <= {("engineer", 29, "s-1")}


def test_at_most_fifty_are_read_each_within_its_limits() -> None:
    found = extract_observations("\n".join(f"- {at:02} {'is long ' * 300}" for at in range(51)))
    assert [it.content[:2] for it in found] == [f"{at:02}" for at in range(50)]
    assert {len(it.content) for it in found} == {2_000}
    assert {len(it.summary) for it in found} == {240}
