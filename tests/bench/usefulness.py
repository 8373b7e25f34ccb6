"""Whether recall brings up the files that the next session will need, on a real repository's past.

    python -m tests.bench.usefulness FILE [--profile NAME]... [--without FACTOR]... [--from N]
        [--budget TOKENS]

FILE holds sessions in order of time, as JSON, plain or compressed with xz. After each its code
changes are stored, one observation a file (the branch is the issue, numbered as met; none and
`main` are 0); before each, recall is asked with the first prompt and the branch. Counted: of the
files that the session's commit touched and memory knows, the share that the first ten distinct
files of the ranking name; the sessions with at least one; precision; and the same of the files
that stand anywhere in the injected text, of 1,500 tokens by default. A profile that looks at
nothing but the issue asked for is asked without one: a new branch has no memory yet. `--without`
leaves out a factor of the ranking.
"""

from __future__ import annotations

import argparse
import json
import lzma
import re
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from statistics import mean, median
from typing import Any

from store import Memory
from store.model import Observation
from store.recall.profiles import PROFILES
from store.recall.ranking import WEIGHTS
from store.settings.schema import Settings
from tests.bench.unpacked import temporary_memory

AGENT = "claude-code"
TEN = 10
BUDGET = 1_500


@dataclass(slots=True)
class Tally:
    """What was measured of one profile, a value for each session."""

    found: list[float] = field(default_factory=list)
    precise: list[float] = field(default_factory=list)
    inside: list[float] = field(default_factory=list)
    precise_inside: list[float] = field(default_factory=list)
    millis: list[float] = field(default_factory=list)


class Issues:
    """The issue of each branch, numbered as they are met."""

    def __init__(self) -> None:
        self._known: dict[str, int] = {}

    def of(self, branch: str | None) -> int:
        if branch is None or branch == "main":
            return 0
        return self._known.setdefault(branch, len(self._known) + 1)


def changes_of(session: dict[str, Any], issue: int) -> list[Observation]:
    return [
        Observation(
            agent=AGENT,
            issue_number=issue,
            category="code-change",
            content=f"{edit['file']}: {edit['why']}"[:2_000],
            timestamp=datetime.fromisoformat(session["created"]),
            session_id=f"session-{session['n']}",
        )
        for edit in session["edits"]
    ]


def task_of(session: dict[str, Any]) -> str:
    """The first prompt and the words of the branch."""
    branch = re.sub(r"[-_/]", " ", session["branch"] or "")
    return " ".join([*session["prompts"][:1], branch]).strip()


def distinct_files(observations: Iterable[Observation], most: int | None = None) -> list[str]:
    """The files of code changes, each once, in order."""
    files = (it.content.partition(": ")[0] for it in observations)
    return list(dict.fromkeys(files))[:most]


def measure(
    memory: Memory, session: dict[str, Any], issue: int, known: set[str],
    profile: str, tally: Tally, budget: int = BUDGET,
) -> None:  # fmt: skip
    """Ask recall before one session, and see what the session then touched."""
    filtered = PROFILES[profile].filtered
    wanted = known.intersection(session["files"])
    started = time.perf_counter()
    recall = memory.recall.plan(
        agent=AGENT,
        issue=None if filtered else issue,
        task=task_of(session),
        budget=budget,
        profile=profile,
        now=datetime.fromisoformat(session["created"]),
    )
    tally.millis.append((time.perf_counter() - started) * 1000)
    ranking = distinct_files((it.observation for it in recall.candidates), TEN)
    injected = [file for file in known if file in recall.text]
    for files, found, precise in (
        (ranking, tally.found, tally.precise),
        (injected, tally.inside, tally.precise_inside),
    ):
        hits = len(wanted.intersection(files))
        found.append(hits / len(wanted))
        precise.append(hits / max(len(files), 1))


def read(file: Path) -> list[dict[str, Any]]:
    text = lzma.decompress(file.read_bytes()) if file.suffix == ".xz" else file.read_bytes()
    sessions: list[dict[str, Any]] = json.loads(text)
    return sessions


def main(arguments: Sequence[str]) -> None:
    """Go through the sessions once for each profile asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--profile", action="append", choices=list(PROFILES))
    parser.add_argument("--without", action="append", default=[], choices=list(WEIGHTS))
    parser.add_argument("--budget", type=int, default=BUDGET, help="tokens of the injected text")
    parser.add_argument("--from", type=int, default=60, dest="first", help="the first asked about")
    options = parser.parse_args(arguments)
    settings = Settings(recall_weights=dict.fromkeys(options.without, 0.0))
    sessions = read(options.file)
    tallies = {name: Tally() for name in options.profile or PROFILES}
    known: set[str] = set()
    issues = Issues()
    with temporary_memory(settings) as memory:
        for place, session in enumerate(sessions):
            issue = issues.of(session["branch"])
            memory.index.refresh()
            if place >= options.first and known.intersection(session["files"]):
                for name, tally in tallies.items():
                    measure(memory, session, issue, known, name, tally, options.budget)
            changes = changes_of(session, issue)
            for batch in range(0, len(changes), 50):
                memory.store(changes[batch : batch + 50])
            known.update(distinct_files(changes))
    for name, tally in tallies.items():
        report(name, tally, options.budget)


def report(name: str, tally: Tally, budget: int = BUDGET) -> None:
    """Print one profile's figures."""
    print(f"{name} ({len(tally.found)} sessions)")
    for title, found, precise in (
        (f"first {TEN} files", tally.found, tally.precise),
        (f"inside {budget:,} tokens", tally.inside, tally.precise_inside),
    ):
        hit = mean(share > 0 for share in found)
        print(f"  {title:20} recall {mean(found):.1%}, a hit in {hit:.1%}, "
              f"precision {mean(precise):.1%}")  # fmt: skip
    times = sorted(tally.millis)
    print(f"  median {median(times):.1f} ms, p95 {times[int(len(times) * 0.95)]:.1f} ms")


if __name__ == "__main__":
    main(sys.argv[1:])
