"""SPEC-29's own extractor."""

from __future__ import annotations

import pytest

from store.capture.evidence.summaries import bullets
from store.model import Category


def test_bullets_become_observations_of_their_section() -> None:
    summary = (
        "- before any heading\n# Decisions\n- chose per-issue files\n* chose atomic replace\n"
        "- short\n## File Changes\n- wrote store/a.py\n### Errors found\n- lock timed out\n"
        "## Key Facts\n- the lock is per issue\n## Something else\n- no category for this\n"
        "#### Decisions\n- too deep a heading"
    )
    assert bullets(summary) == [
        (Category.COMPACTION_SUMMARY, "before any heading"),
        (Category.DECISION, "chose per-issue files"),
        (Category.DECISION, "chose atomic replace"),
        (Category.CODE_CHANGE, "wrote store/a.py"),
        (Category.ERROR, "lock timed out"),
        (Category.KEY_FACT, "the lock is per issue"),
        (Category.COMPACTION_SUMMARY, "no category for this"),
        (Category.COMPACTION_SUMMARY, "too deep a heading"),
    ]


@pytest.mark.parametrize("text", ["plain words without bullets", "- tiny\n- few"])
def test_a_text_without_bullets_is_one_summary(text: str) -> None:
    assert bullets(text) == [(Category.COMPACTION_SUMMARY, text)]


def test_limits_of_the_extractor() -> None:
    assert bullets("  \n") == []
    assert len(bullets("\n".join(f"- bullet number {i}" for i in range(80)))) == 50
    ((_, long),) = bullets("- " + "word " * 1_000)
    assert len(long) == 2_000
    assert bullets("## Decisions\n- ten chars!\n- nine char\n") == [("decision", "ten chars!")]
