"""What a review found: each finding whole, apart from the others."""

from __future__ import annotations

from store.capture.text.review_text import told_findings
from store.model import Category
from tests.store.capture.transcripts import ClaudeCode, contents

_TWO = """Found two issues worth fixing before merge.

- **High – a parcel can be billed twice**
  In `shop/bill.py:40` the invoice is written first, and the parcel is marked in a second call.
  If the worker dies between those two calls, the next one bills the parcel again.
- **Low – the label is always empty**
  - `shop/label.py:9` reads the field before it is set.

Recommended fix: write both in one transaction.

**New Experience**
- A label can be printed again, which failed before.
"""


def test_each_finding_is_told_whole_and_apart() -> None:
    assert told_findings(_TWO, 900) == (
        "- High – a parcel can be billed twice: In `shop/bill.py:40` the invoice is written first,"
        " and the parcel is marked in a second call. If the worker dies between those two calls,"
        " the next one bills the parcel again.\n"
        "- Low – the label is always empty: `shop/label.py:9` reads the field before it is set."
    )


def test_one_finding_is_told_in_a_line_and_what_has_no_room_is_counted() -> None:
    one = _TWO[: _TWO.index("- **Low")]
    assert told_findings(one, 900).startswith("High – a parcel can be billed twice: In `shop/bill")
    many = "\n".join(
        f"- **High – field `f{at}` is lost**\n  {'It is never read. ' * 12}" for at in range(9)
    )
    told = told_findings(many, 600)
    assert len(told) <= 640 and told.endswith(" more.")


def test_what_has_no_findings_in_a_list_is_left_to_the_account() -> None:
    assert told_findings("The branch reads the rate twice, which fails offline.", 900) == ""
    assert told_findings("- All tests pass\n- The names are good", 900) == ""


def test_a_review_keeps_what_its_sentences_lean_on() -> None:
    made = ClaudeCode().user("/review").bash("git diff main", "+ x").agent(_TWO)
    (review,) = contents(made.plan(), Category.CODE_CHANGE)
    assert review.startswith(
        "Review found:\n- High – a parcel can be billed twice: In `shop/bill.py:40`"
    )


def test_a_review_of_a_plan_is_told_by_its_headings() -> None:
    found = (
        "## Review of the plan\n\n### 1. Rounding happens twice\n\n`round()` is called in `till.py`"
        " and again in `bank.py`, so cents are lost.\n\n### 2. Locks are not portable\n\n"
        "`flock()` fails on other systems.\n\n### 3. Names are clear\n\n`total()` is fine.\n"
    )
    made = ClaudeCode().user("Review the plan of the till: what breaks?")
    for name in ("plan.md", "till.py", "bank.py"):
        made.call("Read", {"file_path": f"{made.cwd}/{name}"}, "…")
    (told,) = contents(made.agent(found).plan(), Category.CODE_CHANGE)
    assert "- Rounding happens twice: `round()` is called in `till.py`" in told
    assert "- Locks are not portable: `flock()` fails" in told
    assert "Names are clear" not in told


def test_a_report_elsewhere_is_named_without_the_name_of_a_person() -> None:
    made = ClaudeCode().user("Review the changes of the bill").bash("git diff main", "x")
    said = "Report written to `/home/someone/notes/review.md`."
    made.call("Task", {"prompt": "Review the labels"}, said).agent(_TWO)
    (found,) = contents(made.plan(), Category.CODE_CHANGE)
    assert found.endswith("\nReport: ~/notes/review.md")
