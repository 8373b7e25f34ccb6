"""Two memories, and what a compaction makes of them: one, with what is left out and why, or two."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from syrupy.assertion import SnapshotAssertion

from store.compaction.compact import plan_compaction
from store.compaction.model import CompactionSettings
from store.model import Observation
from tests.store.factories import NOW, observation

LEASE = "The lease of a queue ends after 30 seconds."
PAIRS: tuple[tuple[str, str, str], ...] = (
    ("key-fact", LEASE, LEASE),
    ("key-fact", LEASE, "The lease of a queue ends after 5 seconds."),
    ("key-fact", LEASE, "The lease of a queue now ends after 5 seconds instead of 30."),
    ("key-fact", LEASE, "The lease of a queue ends after 30 seconds, says the vendor."),
    ("key-fact", LEASE, "The lease of a queue ends after thirty seconds."),
    ("key-fact", LEASE, "The lease of a queue never ends after 30 seconds."),
    ("key-fact", LEASE, "The lease of a worker ends after 30 seconds."),
    ("key-fact", LEASE, f"{LEASE} It is kept in one row."),
    ("key-fact", f"{LEASE} It is kept in one row.", LEASE),
    ("key-fact", f"{LEASE} It is kept in a row.", f"{LEASE} A worker renews it."),
    ("key-fact", "Rates are cached in `tax.py`.", "Rates are cached in `cart.py`."),
    ("key-fact", "Rates are cached in `tax.py`.", "Rates are cached in `tax.py` and `cart.py`."),
    ("key-fact", "`load(rows)` reads all rows.", "`rows(load)` reads all rows."),
    ("key-fact", "`load` reads all rows at once.", "`load` reads all the rows at once."),
    ("key-fact", "Reads come before writes.", "Writes come before reads."),
    ("key-fact", "Alice asked Bob for a review.", "Bob asked Alice for a review."),
    ("key-fact", "Logs are on by default.", "Logs are off by default."),
    ("key-fact", "- one row\n- two rows", "- one row\n- three rows"),
    ("decision", "We chose SQLite for the queue.", "We chose Postgres for the queue."),
    ("decision", "We chose SQLite for the queue.", "We chose SQLite for the queue, it is plain."),
    ("decision", "Jobs are kept ten years.", "Jobs older than a year are kept ten years."),
    (
        "lesson",
        "Run the linter before each commit.",
        "Run the linter before each commit. And push.",
    ),
    ("code-change", "shop/load.py: Reads row by row.", "shop/load.py: Closes each file."),
    ("code-change", "shop/load.py: Reads row by row.", "shop/load.py: Reads row by row."),
    ("code-change", "shop/load.py: Reads.\nAsked: why.\nSo it is fast.", "shop/load.py: Closes."),
    ("code-change", "shop/load.py: Reads.", "shop/load.py: " + "Closes it. " * 40),
    ("code-change", "shop/load.py and shop/tax.py: Reads.", "shop/load.py: Closes."),
    ("code-change", "shop/load.py: Reads.", "shop/tax.py: Closes."),
    ("code-change", "Reads.", "Closes."),
    (
        "error",
        "`pytest` failed: KeyError: lease in shop/queue.py",
        "`pytest` failed: KeyError: lease",
    ),
    ("handoff", "Done: the lease. Next: measure it.", "Done: measured. Next: the manual."),
    ("procedure", "Run tests: `pytest`", "Run tests: `pytest -q`"),
    (
        "procedure",
        "Run tests: `pytest -q`; `ruff check`",
        "Run tests: `pytest -q -x`; `ruff check`",
    ),
    ("procedure", "Run tests: `pytest -q`", "Run tests: `pytest -x`"),
    ("procedure", "Run tests: `pytest -q` first", "Run tests: `pytest -q`"),
    ("task", "Write the manual of leases", "Write the manual of leases"),
    ("compaction-summary", "The lease is kept.", "The lease is kept. So are rows."),
)
FIXES = (
    "shop/queue.py: Fixed KeyError: lease, found by `pytest tests`, by making the row first.",
    "shop/queue.py, shop/tax.py, shop/load.py and shop/cart.py: Fixed KeyError: lease.",
    "shop/queue.py: Renames the lease.",
    "shop/tax.py: Fixed ValueError: rate.",
)


def _memory(number: int, category: str, content: str) -> Observation:
    return observation(
        content,
        id=f"o{number}",
        category=category,
        agent=("engineer", "tester")[number % 2],
        timestamp=NOW - timedelta(days=90 - number),
        session_id=f"s{number}",
        tags=(f"t{number}", "both"),
        recall_count=number,
        seen_count=number + 1,
        summary=content[:30],
        tokens=9,
        extra={"of": number, f"only{number}": 1},
    )


def _told(memories: list[Observation]) -> list[str]:
    plan = plan_compaction(memories, now=NOW, settings=CompactionSettings())
    told = []
    for it in plan.clusters:
        one = it.merged
        told.append(
            f"  one {it.reason} {it.about}: {one.content!r} {one.agent} {one.timestamp:%m-%d}"
            f" {one.session_id} {','.join(one.tags)} {one.recall_count}x seen {one.seen_count}"
            f" {dict(one.extra)} of {','.join(one.sources)}"
        )
        told += [
            f"    without {left.statement!r} of {left.observation_id}, by {left.instead!r}"
            f"{' superseded' * left.superseded} {' '.join(left.missing)}".rstrip()
            for left in it.left_out
        ]
    return [*told, *(f"  alone {it.observation.id} {it.why}" for it in plan.left_alone)]


def test_two_memories(snapshot: SnapshotAssertion) -> None:
    told = []
    for category, older, newer in PAIRS:
        for one, other in ((older, newer), (newer, older)):
            told.append(f"{category}: {one!r} | {other!r}")
            told += _told([_memory(1, category, one), _memory(2, category, other)])
    assert "\n".join(told) == snapshot


def test_an_error_and_what_may_have_mended_it(snapshot: SnapshotAssertion) -> None:
    error = _memory(1, "error", "`pytest tests` failed in shop/queue.py: KeyError: lease")
    told = []
    for fix in FIXES:
        for number in (0, 2):
            told.append(f"{fix} {'before' if number == 0 else 'after'}")
            told += _told([error, _memory(number, "code-change", fix)])
    told += [
        "all",
        *_told([error, *(_memory(2 + at, "code-change", it) for at, it in enumerate(FIXES))]),
    ]
    assert "\n".join(told) == snapshot


def test_what_is_left_alone(snapshot: SnapshotAssertion) -> None:
    told = []
    changes: tuple[dict[str, Any], ...] = (
        {"pinned": True},
        {"muted": True},
        {"archived": True},
        {"issue_number": 30},
        {"timestamp": NOW},
        {"timestamp": NOW + timedelta(days=2)},
        {"category": "decision"},
        {"last_recalled": NOW},
        {"extra": {"conflict": [{"content": "Or so"}]}},
    )
    for fields in changes:
        told.append(str(fields))
        one, other = _memory(1, "key-fact", LEASE), _memory(2, "key-fact", LEASE)
        told += _told([one, other._replace(**fields)])
    assert "\n".join(told) == snapshot
