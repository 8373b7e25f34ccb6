"""The context budget report: what fills a context, and memory's part in it."""

from __future__ import annotations

from store.recall.report import ContextItem, budget_report
from store.recall.values import Limits, Recall


def _recall(tokens: int, **by_category: int) -> Recall:
    return Recall(
        text="Süß",
        tokens=tokens,
        tokens_by_category=by_category,
        limits=Limits(400, bytes=10_000),
        counter="tests",
    )


def test_the_report_sums_by_category_and_lists_the_largest_first() -> None:
    others = [
        ContextItem("template", "b", 500),
        ContextItem("template", "a", 500),
        ContextItem("odd", "z", 1_499),
        ContextItem("conversation", "talk", 2_000),
        *(ContextItem("skill", f"skill {n}", n) for n in range(14)),
    ]
    report = budget_report(_recall(100, decision=60), 9_000, others).splitlines()
    assert report[2:4] == ["Total: ~4,690 / 9,000 tokens (52%)", "Status: OK"]
    assert report[7:14] == [
        "| instruction | 0 | 0 |",
        "| skill | 91 | 14 |",
        "| agent-def | 0 | 0 |",
        "| template | 1,000 | 2 |",
        "| memory | 100 | 2 |",
        "| conversation | 2,000 | 1 |",
        "| odd | 1,499 | 1 |",
    ]
    assert "Recalled: 0 of 0 candidates" in report
    assert "Tokens: 100 / 400 (25%), tests" in report
    assert "Bytes: 5 / 10,000" in report
    largest = report[report.index("### Items") + 2 :]
    assert largest[:7] == [
        "- talk (conversation): 2,000",
        "- z (odd): 1,499",
        "- a (template): 500",
        "- b (template): 500",
        "- recalled decision (memory): 60",
        "- headings, fence and index (memory): 40",
        "- skill 13 (skill): 13",
    ]
    assert len(largest) == 15
