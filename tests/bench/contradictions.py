"""How often the older of two statements that contradict each other is told.

    python -m tests.bench.contradictions [--profile NAME]

Each pair is two decisions of different sessions, a week apart, and a prompt that both answer.
Printed: of how many pairs anything was told, and of these how often the later one, the older one
with a mark that it was amended, and the older one as if it still held.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta

from store.model import Observation
from store.recall.profiles import DEFAULT, PROFILES
from tests.bench.unpacked import temporary_memory

LATER = datetime(2026, 3, 9, 12, tzinfo=UTC)
WEEK = timedelta(days=7)
AMENDED = "(amended "
PAIRS = """
The API listens on port 8080.
The API listens on port 9090.
which port does the API listen on?

Sessions are stored in Redis.
Sessions are no longer stored in Redis but in PostgreSQL.
where are sessions stored?

Uploads are limited to 10 MB.
Uploads are limited to 25 MB.
what is the limit of uploads?

We deploy on Fridays.
We do not deploy on Fridays.
may I deploy this on a Friday?

Run the tests with `npm test`.
Run the tests with `pnpm test` instead of `npm test`.
run the tests please

Use moment.js to format dates.
Replaced moment.js by date-fns to format dates.
format the dates of invoices

The retry limit of the queue is 3.
The retry limit of the queue is 5.
raise the retry limit of the queue

Feature flags live in LaunchDarkly.
Feature flags moved away from LaunchDarkly: they live in a YAML file.
add a feature flag for the new cart

Migrations may run while the service is up.
Migrations must not run while the service is up.
run the migrations of the service

Tokens expire after 15 minutes.
Tokens expire after 60 minutes.
when do tokens expire?

Errors are logged with logrus.
We switched from logrus to slog: errors are logged with slog.
log the errors of the importer

The staging database is shared by all branches.
The staging database is not shared by branches any more: each has its own.
reset the staging database of this branch

The frontend uses Redux for state.
The frontend uses Zustand for state; Redux is gone.
add state for the filter in the frontend

Release by pushing a tag to main.
Release by the workflow `release.yml`, no longer by pushing a tag.
release the next version

Prices are stored as floats.
Prices are stored as integers of cents.
how are prices stored?

Python 3.9 is supported.
Support for Python 3.9 was dropped.
is Python 3.9 supported?

CI runs on four workers.
CI runs on eight workers.
how many workers does CI run on?

The cache is invalidated on each write.
The cache is never invalidated on a write; it expires after a minute.
is the cache invalidated on a write?

Mock the payment provider in tests.
Don't mock the payment provider in tests: use its sandbox.
write tests for the payment provider

Images are resized by the client.
Images are resized by the server.
where are images resized?

The search index is rebuilt nightly.
The search index is rebuilt after each import rather than nightly.
when is the search index rebuilt?

Admins can delete invoices.
Admins cannot delete invoices.
let admins delete invoices

Branch names begin with the ticket number.
From now on branch names begin with the author's initials, not with the ticket number.
what do branch names begin with?

Webhooks are delivered at most once.
Webhooks are delivered at least once.
how often are webhooks delivered?
"""
"""In blocks of three lines: the older statement, the later one, and what somebody asks."""


def pairs() -> Iterator[tuple[str, str, str]]:
    """The older statement, the later one and the prompt of each pair."""
    for block in PAIRS.strip().split("\n\n"):
        older, later, prompt = block.splitlines()
        yield older, later, prompt


def main(arguments: Sequence[str]) -> None:
    """Ask about every pair, in one memory, and print what was told."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.bench.contradictions", description=__doc__
    )
    parser.add_argument("--profile", choices=list(PROFILES), default=DEFAULT)
    profile = parser.parse_args(arguments).profile
    counts = Counter[str]()
    with temporary_memory() as memory:
        for number, (older, later, _) in enumerate(pairs()):
            memory.store([_decision(older, LATER - WEEK, f"older{number:03}")])
            memory.store([_decision(later, LATER, f"later{number:03}")])
        memory.index.refresh()
        for older, later, prompt in pairs():
            counts["pairs"] += 1
            recall = memory.recall.plan(
                task=prompt, budget=1_500, profile=profile, now=LATER + WEEK
            )
            told = {row.observation.content for row in recall.included}
            marked = [line for line in recall.text.splitlines() if AMENDED in line]
            counts["told"] += bool({older, later} & told)
            counts["later"] += later in told
            if older in told:
                is_marked = any(older in line for line in marked)
                counts["marked" if is_marked else "as if it held"] += 1
    print(
        f"{profile}: {counts['told']} of {counts['pairs']} pairs told; the later one of "
        f"{counts['later']}, the older one marked of {counts['marked']}, "
        f"as if it still held of {counts['as if it held']}"
    )


def _decision(content: str, at: datetime, session: str) -> Observation:
    return Observation(
        id=f"decision-{session}",
        agent="engineer",
        issue_number=0,
        category="decision",
        content=content,
        timestamp=at,
        session_id=session,
    )


if __name__ == "__main__":
    main(sys.argv[1:])
