"""Plans: their settled sections, by heading."""

from __future__ import annotations

import json

import pytest

from tests.store.capture.evidence.found import found

PLAN = """\
# Plan: Short leases

## Context

A worker that dies keeps its lease for an hour, and nobody takes the job.

## Decisions

- A lease ends after five seconds and is renewed by its worker
- No lock file: it stays behind when a worker dies

## Open questions

- How long is a renewal allowed to take at most?

## Steps

1. Shorten the lease
"""
WHY = (
    "Plan: Short leases. A worker that dies keeps its lease for an hour, and nobody takes the job."
)
SETTLED = (
    "Decisions (Short leases): A lease ends after five seconds and is renewed by its worker;"
    " No lock file: it stays behind when a worker dies"
)
EDIT = "EDIT shop/queue.py\n-a\n+b\n"
HANDED_IN = f"ExitPlanMode {json.dumps({'plan': PLAN})}"
WRITTEN = json.dumps({"file_path": "/home/someone/shop/docs/plan-leases.md", "content": PLAN})


@pytest.mark.parametrize(
    ("session", "memories"),
    [
        (f"USER {PLAN}{EDIT}", [SETTLED]),
        (f"CALL {HANDED_IN}\nUser has approved your plan.\n{EDIT}", [SETTLED]),
        # Where nobody carries it out in this session, the next one is told why.
        (f"CALL {HANDED_IN}\nUser has approved your plan.\n", [WHY, SETTLED]),
        (f"OPEN {HANDED_IN}\n", [WHY, SETTLED]),
        (f"CALL Write {WRITTEN}\nok\n{EDIT}", [SETTLED]),
        (f"REFUSED {HANDED_IN}\nno\n{EDIT}", []),
        (f"USER Shorten the leases\n{EDIT}AGENT {PLAN}", []),
    ],
)
def test_settled_sections(session: str, memories: list[str]) -> None:
    assert found(session, "plans") == [("decision", memory) for memory in memories]
