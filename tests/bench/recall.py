"""How much of the evidence for a question recall brings up, on conversations in the LoCoMo format.

    python -m tests.bench.recall FILE [--profile NAME]... [--without FACTOR]...

Each conversation becomes a store of its own: a turn is an observation, its speaker the agent, its
session the issue and session. Printed for each profile: evidence recall among the first 5, 10, 25
and 50, evidence inside budgets (the whole text, by the active counter), nDCG@10, what the packaging
costs, and the time of a question; then the same without the task's text. `--without` leaves out a
factor of the ranking.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from math import log2
from pathlib import Path
from statistics import mean, median
from typing import Any

from store import Memory
from store.model import Observation
from store.recall.profiles import PROFILES
from store.recall.ranking import WEIGHTS
from store.recall.values import Recall
from store.settings.schema import Settings
from tests.bench.unpacked import temporary_memory

DEPTHS = (5, 10, 25, 50)
BUDGETS = (250, 500, 1_000, 2_000)
ADVERSARIAL = 5


@dataclass(slots=True)
class Tally:
    """What was measured of one profile, a value for each question."""

    at: dict[int, list[float]] = field(default_factory=lambda: {depth: [] for depth in DEPTHS})
    inside: dict[int, list[float]] = field(default_factory=lambda: {size: [] for size in BUDGETS})
    filled: dict[int, list[float]] = field(default_factory=lambda: {size: [] for size in BUDGETS})
    packaging: dict[int, list[float]] = field(
        default_factory=lambda: {size: [] for size in BUDGETS}
    )
    ndcg: list[float] = field(default_factory=list)
    millis: list[float] = field(default_factory=list)


def observations_of(conversation: dict[str, Any]) -> Iterator[Observation]:
    """The turns of a conversation; those of a session are a second apart."""
    seen: dict[int, int] = {}
    for turn in conversation["turns"]:
        session = int(turn["id"].partition(":")[0].removeprefix("D"))
        started = datetime.strptime(turn["date"], "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
        seen[session] = seen.get(session, 0) + 1
        yield Observation(
            id=turn["id"],
            agent=turn["speaker"].replace(" ", "-"),
            issue_number=session,
            category="key-fact",
            content=turn["text"],
            timestamp=started + timedelta(seconds=seen[session]),
            session_id=f"{conversation['id']}-{session}",
        )


def share(evidence: set[str], found: Iterable[str]) -> float:
    return len(evidence.intersection(found)) / len(evidence)


def ndcg(evidence: set[str], ranking: Sequence[str]) -> float:
    """Normalised discounted cumulative gain of the first ten, each piece of evidence worth one."""
    gain = sum(1 / log2(at + 2) for at, one in enumerate(ranking[:10]) if one in evidence)
    return gain / sum(1 / log2(at + 2) for at in range(min(10, len(evidence))))


def measure(
    memory: Memory, questions: Sequence[dict[str, Any]], profile: str, tally: Tally,
    *, with_task: bool, now: datetime,
) -> None:  # fmt: skip
    """Ask every question of one conversation."""
    for question in questions:
        evidence = set(question["evidence"])
        task = question["q"] if with_task else None

        def ask(budget: int, task: str | None = task) -> Recall:
            return memory.recall.plan(task=task, budget=budget, profile=profile, now=now)

        started = time.perf_counter()
        ranking = [it.observation.id for it in ask(1_000).candidates]
        tally.millis.append((time.perf_counter() - started) * 1000)
        tally.ndcg.append(ndcg(evidence, ranking))
        for depth in DEPTHS:
            tally.at[depth].append(share(evidence, ranking[:depth]))
        for budget in BUDGETS:
            recall = ask(budget)
            tally.inside[budget].append(
                share(evidence, (it.observation.id for it in recall.included))
            )
            tally.filled[budget].append(recall.tokens / budget)
            tally.packaging[budget].append(recall.packaging)


def main(arguments: Sequence[str]) -> None:
    """Measure the profiles asked for, with and without the task's text."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--profile", action="append", choices=list(PROFILES))
    parser.add_argument("--without", action="append", default=[], choices=list(WEIGHTS))
    options = parser.parse_args(arguments)
    settings = Settings(recall_weights=dict.fromkeys(options.without, 0.0))
    conversations = json.loads(options.file.read_text("utf-8"))["conversations"]
    profiles = options.profile or list(PROFILES)
    tallies = {(name, told): Tally() for told in (True, False) for name in profiles}
    for conversation in conversations:
        questions = [
            it for it in conversation["questions"]
            if it["category"] != ADVERSARIAL and it["evidence"]
        ]  # fmt: skip
        turns = list(observations_of(conversation))
        now = max(turn.timestamp for turn in turns) + timedelta(days=1)
        with temporary_memory(settings) as memory:
            memory.store(turns)
            memory.index.refresh()
            for (name, told), tally in tallies.items():
                few = questions if told else questions[:20]
                measure(memory, few, name, tally, with_task=told, now=now)
    for (name, told), tally in tallies.items():
        report(name, tally, told=told)


def report(name: str, tally: Tally, *, told: bool) -> None:
    """Print one profile's figures."""
    asked = "with the question" if told else "without the question's text"
    print(f"{name}, {asked} ({len(tally.ndcg)} questions)")
    print("  recall@   ", *(f"{depth}: {mean(tally.at[depth]):.1%} " for depth in DEPTHS))
    print("  in budget ", *(f"{size}: {mean(tally.inside[size]):.1%} " for size in BUDGETS))
    print("  filled    ", *(f"{size}: {mean(tally.filled[size]):.0%} " for size in BUDGETS))
    print("  packaging ", *(f"{size}: {mean(tally.packaging[size]):.0%} " for size in BUDGETS))
    times = sorted(tally.millis)
    p95 = times[int(len(times) * 0.95)]
    print(f"  nDCG@10 {mean(tally.ndcg):.3f}, median {median(times):.1f} ms, p95 {p95:.1f} ms")


if __name__ == "__main__":
    main(sys.argv[1:])
