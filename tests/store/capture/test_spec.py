"""SPEC-29's own compactor and extractor."""

from __future__ import annotations

import pytest

from store.capture.compactor import compact_conversation as compact
from store.capture.extractor import extract_observations as extract
from store.model import Category


def test_the_summary_has_its_sections() -> None:
    messages = [
        {"role": "user", "content": "Note: keep the API stable\nsecond line"},
        {"role": "assistant", "content": "We decided: use files. Created `store/a.py` today"},
        {"role": "assistant", "content": "Build failed with code 2\nAll voters undecided today"},
    ]
    assert compact(messages).splitlines() == [
        "## Context Compaction Summary",
        "",
        f"Compacted from 3 messages (~{10 + 13 + 13} tokens).",
        "",
        "### Decisions",
        "- decided: use files. Created `store/a.py` today",
        "- decided today",
        "",
        "### Code Changes",
        "- Created `store/a.py`",
        "",
        "### Errors Encountered",
        "- failed with code 2",
        "",
        "### Key Facts",
        "- Note: keep the API stable",
    ]


def test_sections_are_distinct_and_capped() -> None:
    text = "\n".join(f"decided on number {i}\nupdated f{i}.py\nerror {i}" for i in range(40))
    facts = [{"content": f"you must do number {i} soon"} for i in range(20)]
    summary = compact([{"content": text}, {"content": text}, *facts])
    parts = summary.split("### ")[1:]
    assert [part.split("\n")[0] for part in parts] == [
        "Decisions",
        "Code Changes",
        "Errors Encountered",
        "Key Facts",
    ]
    assert [part.count("\n- ") for part in parts] == [10, 15, 10, 10]


def test_an_empty_conversation_has_no_sections() -> None:
    assert compact([]) == "## Context Compaction Summary\n\nCompacted from 0 messages (~0 tokens)."
    assert "###" not in compact([{"content": None}, {"role": "user"}])


def test_bullets_become_observations_of_their_section() -> None:
    summary = (
        "- before any heading\n# Decisions\n- chose per-issue files\n* chose atomic replace\n"
        "- short\n## File Changes\n- wrote store/a.py\n### Errors found\n- lock timed out\n"
        "## Key Facts\n- the lock is per issue\n## Something else\n- no category for this\n"
        "#### Decisions\n- too deep a heading"
    )
    found = extract(summary, "engineer", 29, "s-1")
    assert [(each.category, each.content) for each in found] == [
        (Category.COMPACTION_SUMMARY, "before any heading"),
        (Category.DECISION, "chose per-issue files"),
        (Category.DECISION, "chose atomic replace"),
        (Category.CODE_CHANGE, "wrote store/a.py"),
        (Category.ERROR, "lock timed out"),
        (Category.KEY_FACT, "the lock is per issue"),
        (Category.COMPACTION_SUMMARY, "no category for this"),
        (Category.COMPACTION_SUMMARY, "too deep a heading"),
    ]
    assert {(each.agent, each.issue_number, each.session_id) for each in found} == {
        ("engineer", 29, "s-1")
    }


@pytest.mark.parametrize("text", ["plain words without bullets", "- tiny\n- few"])
def test_a_text_without_bullets_is_one_summary(text: str) -> None:
    (only,) = extract(text, "engineer", 0)
    assert (only.category, only.content) == (Category.COMPACTION_SUMMARY, text)


def test_limits_of_the_extractor() -> None:
    assert extract("  \n", "engineer", 0) == []
    assert len(extract("\n".join(f"- bullet number {i}" for i in range(80)), "e", 0)) == 50
    (long,) = extract("- " + "word " * 1_000, "e", 0)
    assert len(long.content) == 2_000
    assert len(long.summary) == 240


def test_the_compactors_summary_is_read_back() -> None:
    summary = compact([{"content": "We decided to keep files.\nBuild failed in CI twice"}])
    assert [each.category for each in extract(summary, "e", 0)] == ["decision", "error"]


def test_a_bullet_of_ten_characters_says_something() -> None:
    found = extract("## Decisions\n- ten chars!\n- nine char\n", "engineer", 29, "s-1")
    assert [it.content for it in found] == ["ten chars!"]
