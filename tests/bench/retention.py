"""What a compaction saves, and what it forgets.

    python -m tests.bench.retention [--conversations FILE] [--banks FOLDER] [--questions N]

On a set of its own, in which several agents report the same sessions in other words (seeded); on
conversations in the LoCoMo format; and on memory banks (dated bullets in Markdown). For each:
observations and tokens before and after, the share of
all facts and of all identifiers in active memory that are kept, and, for conversations, of the
evidence that recall found within 1,000 tokens the share found after. A fact is a statement of an
observation; it is kept when every number, path, identifier and proper name of it and 80% of its
content words are in one active observation. `plainly` measures the same by a reader of the bench's
own, without stems or short forms.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from store import open_memory
from store.compaction.compact import plan_compaction
from store.compaction.model import Cluster, CompactionPlan
from store.model import Observation
from store.records import estimate_tokens, first_line
from store.text.facts import facts_of, keeps, statements
from tests.bench.recall import ADVERSARIAL, observations_of
from tests.bench.reworded import Rewording, reworded_set

DATA = Path(__file__).parents[3] / "shared"
BUDGET = 1_000
WORST = 10
HARDER = Rewording(synonym=0.5, shorter=0.8, order=0.6, added_path=0.4, shifted_date=0.6)


@dataclass(frozen=True, slots=True)
class Row:
    """The figures of one set; shares from 0 to 1, `None` where not measured."""

    name: str
    plan: CompactionPlan
    facts: float
    plain_facts: float
    identifiers: float
    seconds: float
    evidence: float | None = None


def measure(name: str, observations: Sequence[Observation]) -> Row:
    """Compact a set long after its last day and see what is left of its facts."""
    now = max(one.timestamp for one in observations) + timedelta(days=30)
    started = time.perf_counter()
    plan = plan_compaction(observations, now=now)
    seconds = time.perf_counter() - started
    after = plan.after()
    home = {one.id: cluster.merged for cluster in plan.clusters for one in cluster.originals}
    beside: dict[int, list[Observation]] = defaultdict(list)
    for one in after:
        beside[one.issue_number].append(one)
    kept, plainly, total = 0, 0, 0
    for one in observations:
        places = [home.get(one.id, one), *(beside[one.issue_number] if one.id in home else ())]
        for statement in statements(one.content):
            total += 1
            fact = facts_of(statement)
            kept += any(keeps(facts_of(place.content), fact) for place in places)
            plainly += any(plainly_kept(statement, place.content) for place in places)
    before = {mark for one in observations for mark in facts_of(one.content).identifiers}
    held = {form for one in after for form in facts_of(one.content).spoken}
    return Row(
        name=name,
        plan=plan,
        facts=kept / total,
        plain_facts=plainly / total,
        identifiers=len(before & held) / len(before) if before else 1.0,
        seconds=seconds,
    )


_PLAIN_MARK = re.compile(r"[\w.]*(?:[/_][\w.]+)+|`[^`\s]+`|\d[\d.,]*\d|\d|\b[a-z]+[A-Z]\w+")
_PLAIN_NAME = re.compile(r"(?<=[a-z,] )[A-Z][a-z]+\b")
_PLAIN_WORD = re.compile(r"[A-Za-z]{4,}")
_PLAIN_STOP = frozenset(
    {"about", "after", "because", "been", "before", "from", "have", "into", "since", "that", "then"}
    | {"their", "them", "there", "they", "this", "what", "when", "which", "will", "with"}
)


def plainly_kept(fact: str, text: str) -> bool:
    """The definition of a kept fact, read letter by letter: no stems, no short forms."""
    marks = [*_PLAIN_MARK.findall(fact), *_PLAIN_NAME.findall(fact)]
    if not all(mark.strip("`.,") in text for mark in marks):
        return False
    words = {word.lower() for word in _PLAIN_WORD.findall(fact)} - _PLAIN_STOP
    held = {word.lower() for word in _PLAIN_WORD.findall(text)}
    return len(words & held) >= 0.8 * len(words)


def evidence_kept(
    turns: Sequence[Observation], row: Row, questions: Sequence[Mapping[str, Any]]
) -> tuple[int, int]:
    """How many pieces of evidence recall finds within the budget before, and still after."""
    contents = {turn.id: turn.content for turn in turns}
    before = _recalled(turns, questions)
    after = _recalled(row.plan.after(), questions)
    found = still = 0
    for question, old, new in zip(questions, before, after, strict=True):
        held = [facts_of(one.content) for one in new]
        for piece in {one.id for one in old} & set(question["evidence"]):
            found += 1
            fact = facts_of(contents[piece])
            still += any(keeps(facts, fact) for facts in held)
    return found, still


def _recalled(
    observations: Sequence[Observation], questions: Sequence[Mapping[str, Any]]
) -> list[list[Observation]]:
    now = max(one.timestamp for one in observations) + timedelta(days=1)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)
        with open_memory(path / "memory", cache=path / "cache") as memory:
            memory.store(observations)
            memory.index.refresh()
            return [
                [
                    it.observation
                    for it in memory.recall.plan(task=one["q"], budget=BUDGET, now=now).included
                ]
                for one in questions
            ]


def bank(folder: Path) -> Iterator[Observation]:
    """The bullets of the Markdown files of a folder, one observation each."""
    for issue, file in enumerate(sorted(folder.glob("*.md"))):
        for number, line in enumerate(file.read_text("utf-8-sig").splitlines()):
            bullet = re.match(r"- (\d{4}-\d\d-\d\d): (.+)", line)
            if bullet:
                when = datetime.fromisoformat(bullet[1]).replace(tzinfo=UTC)
                yield Observation(
                    id=f"{file.stem}-{number}",
                    agent="claude-code",
                    issue_number=issue,
                    category="lesson",
                    content=bullet[2],
                    summary=first_line(bullet[2]),
                    tokens=estimate_tokens(bullet[2]),
                    timestamp=when + timedelta(seconds=number),
                )


def sets(options: argparse.Namespace) -> Iterator[tuple[str, list[Observation]]]:
    """The sets that there are, each with its name."""
    yield "reworded, 3 agents", reworded_set()
    yield "reworded, 2 agents", reworded_set(agents=2)
    yield "reworded harder, 4 agents", reworded_set(agents=4, rules=HARDER)
    if options.banks.is_dir():
        yield "memory banks", list(bank(options.banks))
    else:
        print(f"No memory banks in {options.banks}: left out.", file=sys.stderr)


def conversation_row(file: Path, most: int) -> Row:
    """Return a row for all conversations, with the evidence that recall keeps."""
    rows: list[Row] = []
    found = still = 0
    for conversation in json.loads(file.read_text("utf-8"))["conversations"]:
        turns = [_completed(turn) for turn in observations_of(conversation)]
        row = measure("conversations", turns)
        asked = [
            one
            for one in conversation["questions"]
            if one["category"] != ADVERSARIAL and one["evidence"]
        ]
        counted = evidence_kept(turns, row, asked[:most])
        found, still = found + counted[0], still + counted[1]
        rows.append(row)
    return replace(_together(rows), evidence=still / found if found else None)


def _completed(turn: Observation) -> Observation:
    tokens = estimate_tokens(turn.content)
    return turn._replace(summary=first_line(turn.content), tokens=tokens)


def _together(rows: Sequence[Row]) -> Row:
    def mean(values: Iterable[float]) -> float:
        weights = [row.plan.observations.before for row in rows]
        return sum(v * w for v, w in zip(values, weights, strict=True)) / sum(weights)

    return Row(
        name=rows[0].name,
        plan=CompactionPlan(
            clusters=tuple(cluster for row in rows for cluster in row.plan.clusters),
            left_alone=tuple(left for row in rows for left in row.plan.left_alone),
        ),
        facts=mean(row.facts for row in rows),
        plain_facts=mean(row.plain_facts for row in rows),
        identifiers=mean(row.identifiers for row in rows),
        seconds=sum(row.seconds for row in rows),
    )


def report(rows: Sequence[Row]) -> None:
    """Print the curve: a line for each set."""
    print(
        f"{'set':26} {'observations':>18} {'tokens':>22}"
        f" {'facts':>7} {'plainly':>8} {'idents':>7} {'evidence':>9} {'s':>6}"
    )
    for row in rows:
        plan = row.plan
        observations = _change(plan.observations.before, plan.observations.after)
        tokens = _change(plan.tokens.before, plan.tokens.after)
        evidence = "" if row.evidence is None else f"{row.evidence:.1%}"
        print(
            f"{row.name:26} {observations:>18} {tokens:>22} {row.facts:>7.1%}"
            f" {row.plain_facts:>8.1%} {row.identifiers:>7.1%} {evidence:>9} {row.seconds:>6.2f}"
        )


def _change(before: int, after: int) -> str:
    return f"{before:,} to {after:,} -{1 - after / before:.0%}"


def worst(name: str, rows: Iterable[Row]) -> None:
    """Print the merges that carry over the smallest share of their originals' words and marks."""
    clusters = [cluster for row in rows for cluster in row.plan.clusters]
    print(f"\nThe {WORST} worst merges of {len(clusters):,}, {name}:")
    for cluster in sorted(clusters, key=lambda it: (_share_carried(it), it.id))[:WORST]:
        print(f"\n{_share_carried(cluster):.0%} carried over: {cluster.reason}")
        for original in cluster.originals:
            print(f"  - {original.content}")
        print("  = " + cluster.merged.content.replace("\n", "\n    "))


def _share_carried(cluster: Cluster) -> float:
    said = [facts_of(original.content) for original in cluster.originals]
    before = frozenset[str]().union(*(facts.bag for facts in said))
    merged = facts_of(cluster.merged.content)
    return len(before & (merged.words | merged.spoken)) / len(before) if before else 1.0


def main(arguments: Sequence[str]) -> None:
    """Print the curve for every set, and the worst merges."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--conversations", type=Path, default=DATA / "bench" / "locomo-dev.json")
    parser.add_argument("--banks", type=Path, default=DATA / "data" / "memory-bank")
    parser.add_argument("--questions", type=int, default=1_000, help="at most, a conversation")
    options = parser.parse_args(arguments)
    rows = [measure(name, observations) for name, observations in sets(options)]
    if options.conversations.is_file():
        rows.append(conversation_row(options.conversations, options.questions))
    else:
        print(f"No conversations at {options.conversations}: left out.", file=sys.stderr)
    report(rows)
    worst("reworded sets", (row for row in rows if row.name.startswith("reworded")))
    worst("real texts", (row for row in rows if not row.name.startswith("reworded")))


if __name__ == "__main__":
    main(sys.argv[1:])
