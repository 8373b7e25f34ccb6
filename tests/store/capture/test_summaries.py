"""How an agent's own summary is read: headings, bullets in two levels, troubles, accounts."""

from __future__ import annotations

import pytest

from store.agents.transcript import ContextSummary
from store.capture.candidate import Beside, Candidate, Known
from store.capture.candidates import _summed_up, candidates_in
from store.capture.summaries import accounts, sections, summary_candidates
from store.model import Category
from tests.store.capture.dialogues import BEGUN, session_of

TROUBLE = "The lease of `take()` was lost, because rows of it were never written"
OTHER = "The total of `sum()` was off by a cent, because each line was rounded"
RULE = "User feedback on totals: never round the lines, round the sum instead"
FACT = "`rows.db` must never be read while tills write, because counts are torn"


def _sections(text: str) -> dict[str, list[str]]:
    return {head: [it.text for it in items] for head, items in sections(text).items()}


def _told(text: str, *, is_last: bool = True, is_first: bool = True) -> list[tuple[str, str]]:
    summary = ContextSummary(7, text, BEGUN)
    found = summary_candidates(summary, is_last=is_last, is_first=is_first)
    return [(it.category, it.content) for it in found]


@pytest.mark.parametrize(
    "heading",
    [
        "Pending Tasks:",
        "7. Pending Tasks:",
        "## Pending Tasks",
        "**Pending Tasks:**",
        "**Pending Tasks**:",
        "### 7. Pending Tasks",
    ],
)
def test_a_heading_may_be_written_in_many_ways(heading: str) -> None:
    assert _sections(f"{heading}\n- Print it\n") == {"pending tasks": ["Print it"]}


@pytest.mark.parametrize(
    ("below", "items"),
    [
        ("- One\n- Two\n- Three", ["One", "Two", "Three"]),
        ("  - One\n  - Two", ["One", "Two"]),
        ("- One\n\n- Two\n", ["One", "Two"]),
        ("1. One\n2) Two\n* Three\n• Four", ["One", "Two", "Three", "Four"]),
        ("- One:\n  - Inner\n  - Other!\n- Two", ["One: Inner. Other!", "Two"]),
        ("- One\n  goes on\n- Two", ["One: goes on.", "Two"]),
        ("- One\nA line of its own\n- Two", ["One", "A line of its own", "Two"]),
        ("A line\nanother", ["A line", "another"]),
        ("- One:\n- Two", ["One:", "Two"]),
        ("  - One\n- Out\n  - In", ["One", "Out", "In"]),
        ("- One\n  Please continue the conversation from where we left it.", ["One"]),
        ("- One\n```\n- code\n```\n- Two", ["One", "Two"]),
        ("", []),
    ],
)
def test_a_bullet_is_told_with_all_that_stands_under_it(below: str, items: list[str]) -> None:
    assert _sections(f"Pending Tasks:\n{below}\n") == {"pending tasks": items}


def test_what_stands_behind_a_heading_is_its_first_item_and_one_that_comes_again_goes_on() -> None:
    text = "Intro\nCurrent Work: Print it\nPending Tasks:\n- One\nCurrent Work:\n- Sort it\n"
    assert _sections(text) == {"current work": ["Print it", "Sort it"], "pending tasks": ["One"]}
    assert _sections("- One\n- Two") == {}


@pytest.mark.parametrize(
    "heading",
    ["Errors and fixes", "Errors and Fixes", "Error and fix", "Errors and fix", "Error and Fixes"],
)
def test_troubles_are_told_below_any_form_of_their_heading(heading: str) -> None:
    told = _told(f"## {heading}\n- {TROUBLE}\n- {OTHER}\n- {RULE}\n")
    if heading == "Error and Fixes":
        assert told == []
    else:
        assert told == [(Category.ERROR, TROUBLE), (Category.ERROR, OTHER), (Category.LESSON, RULE)]


@pytest.mark.parametrize(
    ("below", "told"),
    [
        (
            f"- {TROUBLE}\n- Cause: it ended.\n- Fix: renew it\n- {OTHER}",
            [f"{TROUBLE}: Cause: it ended. Fix: renew it.", OTHER],
        ),
        (
            f"#### Error 1: {TROUBLE}\n- It ended at six.\n- Renewed it.\n#### Error 2: {OTHER}\n"
            "- Summed cents.",
            [f"{TROUBLE}: It ended at six. Renewed it.", f"{OTHER}: Summed cents."],
        ),
        (
            f"#### {TROUBLE}\n- Status: all is well\n- The code:\n- Renewed it.",
            [f"{TROUBLE}: Renewed it."],
        ),
        (f"#### {TROUBLE}\n  under it\n- Renewed it.", [f"{TROUBLE}: under it. Renewed it."]),
        (f"- Cause: {TROUBLE}", [f"Cause: {TROUBLE}"]),
        (
            f"- {TROUBLE}\n  - Cause: it ended\n- Fix: renewed",
            [f"{TROUBLE}: Cause: it ended. Fix: renewed."],
        ),
    ],
)
def test_a_trouble_is_told_with_the_items_that_say_its_cause_and_fix(
    below: str, told: list[str]
) -> None:
    assert [text for _, text in _told(f"Errors and fixes:\n{below}\n")] == told


@pytest.mark.parametrize(
    ("item", "is_told"),
    [
        (f'{TROUBLE} ("too late")', True),
        ('User said "never late" and "cents" instead', False),
        ('User said "never late" instead of it all to me', True),
        (f'{RULE}, "as is", "in cents", for each of the tills', True),
        ("Lost, because it is not", False),
    ],
)
def test_what_is_only_cited_or_short_is_no_trouble(item: str, is_told: bool) -> None:
    assert bool(_told(f"Errors and fixes:\n- {item}\n")) is is_told


@pytest.mark.parametrize(
    ("item", "is_told"),
    [
        (RULE, True),
        ("User feedback on totals: said that the sum of each till looks good to him", False),
        ("User rejected the second table: never keep it beside the `first` of the till", True),
        ("User feedback on the Write tool: never write with it to `till.py` at night", True),
        ("User feedback on sleep: never wait for rows so long. Fixed the tests of it", True),
        ("User feedback on names: I had wrongly assumed that it must never be so short", False),
    ],
)
def test_what_a_person_corrected_is_a_lesson_where_it_sets_a_rule(item: str, is_told: bool) -> None:
    told = _told(f"Errors and fixes:\n- {item}\n")
    assert told == ([(Category.LESSON, item)] if is_told else [])


def test_a_programs_notes_are_no_part_of_a_summary() -> None:
    note = "<system-reminder>\nPending Tasks:\n- Write the manual page\n</system-reminder>"
    assert _told(f"{note}\nErrors and fixes:\n- {TROUBLE}\n") == [(Category.ERROR, TROUBLE)]


def test_facts_are_told_together_where_one_of_them_sets_a_rule() -> None:
    other = "Sums of `till.py` are kept in cents, since banks send no floats"
    short = "`a.py` must wait"
    head = "Key Technical Concepts:\n"
    assert _told(f"{head}- {FACT}\n- Python\n- {other}\n- {short}") == [
        (Category.KEY_FACT, f"{FACT}\n{other}")
    ]
    assert _told(f"{head}- {other}") == []


@pytest.mark.parametrize(
    ("is_last", "is_first", "kinds"),
    [
        (True, True, [Category.ERROR, Category.TASK, Category.TASK, Category.COMPACTION_SUMMARY]),
        (True, False, [Category.ERROR, Category.TASK, Category.TASK]),
        (False, True, [Category.ERROR, Category.COMPACTION_SUMMARY]),
        (False, False, [Category.ERROR]),
    ],
)
def test_what_is_pending_is_told_at_the_end_and_what_was_asked_at_the_beginning(
    is_last: bool, is_first: bool, kinds: list[str]
) -> None:
    text = (
        "Primary Request and Intent:\n- Close the till\n- Print it\n"
        f"Errors and fixes:\n- {TROUBLE}\nProblem Solving:\n- Found it\n- Mended it\n"
        "Pending Tasks:\n- Write the manual page\n- None\n- Short task\n- Measure the whole till\n"
    )
    told = _told(text, is_last=is_last, is_first=is_first)
    assert [kind for kind, _ in told] == kinds
    if is_first:
        assert told[-1][1] == "Asked: Close the till; Print it\nSolved: Found it; Mended it"


def test_what_was_asked_or_solved_is_told_alone_too() -> None:
    asked, solved = "Primary Request and Intent:\n- Close it\n", "Problem Solving:\n- Found it\n"
    assert _told(asked) == [(Category.COMPACTION_SUMMARY, "Asked: Close it")]
    assert _told(solved) == [(Category.COMPACTION_SUMMARY, "Solved: Found it")]
    assert _told("Current Work:\n- Closing it\n") == []


def test_a_candidate_stands_where_its_summary_does() -> None:
    (found,) = summary_candidates(ContextSummary(7, f"Errors and fixes:\n- {TROUBLE}\n", BEGUN))
    assert (found.line, found.at, found.passage, found.marks) == (7, BEGUN, TROUBLE, ())


def test_a_summary_without_lists_is_kept_whole_and_of_one_with_lists_what_is_of_a_kind() -> None:
    assert _told("All is well.") == [(Category.COMPACTION_SUMMARY, "All is well.")]
    lists = "## Decisions\n- Keep the sums in cents\n## Other\n- Something that was there\n"
    assert _told(lists) == [(Category.DECISION, "Keep the sums in cents")]
    assert _told("- Something that was there\n- Another of these\n") == []


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        (f"# Gotchas\n- {FACT}\n# History\n- {TROUBLE}, since `a.py`", [FACT]),
        (f"# History\n- {TROUBLE}, since `a.py`\n# Gotchas\n- {FACT}", [FACT]),
        (f"<technical_details>\n- {FACT}\n</technical_details>\n- {TROUBLE}, since `a.py`", [FACT]),
        (
            f"# Learnings\n- {FACT}\n\n# Constraints\n- {TROUBLE}, since `a.py`\n",
            [FACT, f"{TROUBLE}, since `a.py`"],
        ),
        (
            f"# Gotchas\n- {FACT} {'and so on ' * 80}",
            [f"{FACT} {'and so on ' * 53}and so on…"[:600]],
        ),
    ],
)
def test_of_other_forms_the_parts_that_say_how_things_are_are_kept(
    text: str, facts: list[str]
) -> None:
    told = [it for kind, it in _told(text) if kind == Category.KEY_FACT]
    assert [it.rstrip("…")[:500] for it in told] == [it.rstrip("…")[:500] for it in facts]
    assert all(len(it) <= 600 for it in told)


@pytest.mark.parametrize(
    ("items", "told"),
    [
        ("- `a.py`: Added `sum()`", {"a.py": "Added `sum()`"}),
        (
            "- **`shop/a.py`**\n  - Added `sum()`\n  - Fixed it",
            {"shop/a.py": "Added `sum()` Fixed it"},
        ),
        ("- `a.py`: read it\n- b.py - Fixed it", {"b.py": "Fixed it"}),
        ("- `a.py`\n  - Read it", {}),
        ("- Added it", {}),
        ("- `a.py`: `sum()` is new", {"a.py": "`sum()` is new"}),
        ("- `a.py`\n  - `sum()` is new: `(a, b)`", {"a.py": "`sum()` is new: `(a, b)`"}),
        ("- `a.py` (added `sum()`)", {"a.py": "added `sum()`"}),
        ("- `a.py` (new)", {"a.py": "new"}),
        ("- `shop/src/till/` (new)", {"shop/src/till": "new"}),
        ("- `shop/src/till`: Added it", {"shop/src/till": "Added it"}),
        ("- `a.py`: Added it\n- `a.py`: Fixed it", {"a.py": "Fixed it"}),
    ],
)
def test_what_a_summary_says_was_changed_is_told_by_path(items: str, told: dict[str, str]) -> None:
    summary = ContextSummary(1, f"Files and Code Sections:\n{items}\n", None)
    assert accounts((summary,)) == told
    assert accounts((ContextSummary(1, "Current Work:\n- `a.py`: Added it", None),)) == {}


def test_what_a_summary_says_of_a_file_tells_its_change() -> None:
    text = (
        "USER Mend the sums of the till\nEDIT till.py\n-a\n+b\nSUMMARY Files and Code Sections:\n"
    )
    said = "- `till.py`: Fixed `sum()`, because each of its lines was rounded and lost a cent\n"
    found = candidates_in(session_of(text + said), Known(), (), is_over=True)
    told = [it.candidate if isinstance(it, Beside) else it for it in found]
    contents = [it.content for it in told if isinstance(it, Candidate)]
    assert any("because each of its lines was rounded" in it for it in contents)


def test_of_two_summaries_the_later_tells_of_a_file() -> None:
    texts = ("- `a.py`: Added it\n- `b.py`: Added it", "- `a.py`: Fixed it\n- `c.py`: Read it")
    both = tuple(ContextSummary(1, f"Files and Code Sections:\n{it}", None) for it in texts)
    assert accounts(both) == {"a.py": "Fixed it", "b.py": "Added it"}


def test_of_several_summaries_the_first_tells_what_was_asked_and_the_last_what_is_left() -> None:
    def told(text: str) -> list[str]:
        return [f"{it.line} {it.category}" for it in _summed_up(session_of(text))]

    summary = (
        "SUMMARY Primary Request and Intent:\n- Close the till\n"
        "Pending Tasks:\n- Write the manual page\n"
    )
    look = "BASH ls\nx\n"
    kinds = (Category.TASK, Category.COMPACTION_SUMMARY)
    assert told(summary) == [f"2 {it}" for it in kinds]
    assert told(look + summary) == [f"4 {Category.TASK}"]
    assert told(summary + look) == [f"2 {Category.COMPACTION_SUMMARY}"]
    assert told(summary + look + summary) == [
        f"2 {Category.COMPACTION_SUMMARY}",
        f"6 {Category.TASK}",
    ]
    assert told(look + summary + look) == []
    assert told(look) == []
