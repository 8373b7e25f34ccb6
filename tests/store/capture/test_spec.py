"""SPEC-29's own extractor."""

from __future__ import annotations

import pytest

from store.capture.evidence.summaries import extract_observations as extract
from store.model import Category


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


def test_a_bullet_of_ten_characters_says_something() -> None:
    found = extract("## Decisions\n- ten chars!\n- nine char\n", "engineer", 29, "s-1")
    assert [it.content for it in found] == ["ten chars!"]
