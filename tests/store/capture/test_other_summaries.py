"""What the summaries of other programs teach: not every bullet of them."""

from __future__ import annotations

from store.agents.transcript import ContextSummary
from store.capture.summaries import summary_candidates
from store.model import Category

_TAGGED = """<overview>
The till was ported, and its hooks were looked at.
</overview>

<work_done>
- [x] The cart is COMPLETE at 9f7d15a
- [x] Verdict landed in `reviews/`
</work_done>

<technical_details>
- **Hooks**: an error of `pre-tool` is taken for a refusal, read only at the start.
- `till.py`
- Prices are kept in `prices.toml`, never in the database, since tills are offline.
</technical_details>

<next_steps>
- Send the cart to be reviewed again
</next_steps>
"""
_HEADED = """## Goal

Print the prices.

## Discoveries

- `print_all` must be called only after `load`, as it reads the cache without a lock
- `src/till.py` exists

## Accomplished

- Wrote `print_all` and its tests
"""


def _kept(text: str) -> list[tuple[str, str]]:
    summary = ContextSummary(line=1, at=None, text=text)
    return [(it.category, it.content) for it in summary_candidates(summary)]


def test_of_a_tagged_summary_its_facts_are_kept() -> None:
    assert _kept(_TAGGED) == [
        (
            Category.KEY_FACT,
            "Hooks: an error of `pre-tool` is taken for a refusal, read only at the start.",
        ),
        (
            Category.KEY_FACT,
            "Prices are kept in `prices.toml`, never in the database, since tills are offline.",
        ),
    ]


def test_of_a_summary_with_headings_what_was_discovered_is_kept() -> None:
    assert _kept(_HEADED) == [
        (
            Category.KEY_FACT,
            "`print_all` must be called only after `load`, as it reads the cache without a lock",
        )
    ]


def test_a_summary_of_plain_words_is_kept_whole() -> None:
    assert _kept("The till prints all prices.") == [
        (Category.COMPACTION_SUMMARY, "The till prints all prices.")
    ]


def test_the_headings_of_the_layout_of_our_own_are_kept_as_before() -> None:
    assert _kept("## Decisions\n- Prices are cents, not floats\n") == [
        (Category.DECISION, "Prices are cents, not floats")
    ]


def test_a_test_that_was_mended_by_its_name_is_no_error() -> None:
    text = (
        "## Errors and fixes\n"
        "- The sum was off by one cent only on the till of today. Fixed `test_sum` of the tills\n"
        "- The sum was off by one cent only on the till of today. Fixed `sum_of()` of the tills\n"
    )
    found = [it.content for it in summary_candidates(ContextSummary(1, text))]
    assert found == [
        "The sum was off by one cent only on the till of today. Fixed `sum_of()` of the tills"
    ]


def test_a_fix_without_its_trouble_is_no_error() -> None:
    mended = "Fix: Used another scanner instead, because the first one was blocked by the till."
    whole = f"Scan: It failed because `till.py` keeps the lock. {mended}"
    text = f"## Errors and fixes\n- Error: {mended}\n- {whole}\n"
    found = [it.content for it in summary_candidates(ContextSummary(1, text))]
    assert found == [whole]


def test_what_stands_below_a_heading_of_its_own_is_one_error() -> None:
    text = (
        "## Errors and fixes\n"
        "### Error 1: The till stays closed\n"
        "- **Details**: The page answers 503 after each start.\n"
        "- **Root Cause**: The build failed, because `types.ts` was moved away.\n"
        "- **Fix**:\n"
        "```bash\nnpm run build\n```\n"
        '- **User Feedback**: "still broken"\n'
        "- **Status**: about to try again\n"
        "### Error 2: The sum is off, because `sum_of()` adds floats\n"
    )
    found = [it.content for it in summary_candidates(ContextSummary(1, text))]
    assert found == [
        "The till stays closed: Details: The page answers 503 after each start. "
        "Root Cause: The build failed, because `types.ts` was moved away.",
        "The sum is off, because `sum_of()` adds floats",
    ]
