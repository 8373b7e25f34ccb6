"""What a compaction saves, and what it forgets.

    python -m tests.bench.retention [--banks FOLDER]

On a set of its own, in which several agents report the same sessions in other words (seeded), and
on memory banks (dated bullets in Markdown). For each: observations and tokens before and after, and
the share of all facts and of all identifiers in active memory that are kept. A fact is a statement
of an observation; it is kept when every number, path, identifier and proper name of it and 80% of
its content words are in one active observation. `plainly` measures the same by a reader of the
bench's own, without stems or short forms.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from store.compaction.compact import plan_compaction
from store.compaction.model import CompactionPlan
from store.model import Observation
from store.records import estimate_tokens, first_line
from store.text.facts import facts_of, has_fact, statements
from tests.bench.reworded import Rewording, reworded_set

DATA = Path(__file__).parents[3] / "shared"
HARDER = Rewording(synonym=0.5, shorter=0.8, order=0.6, added_path=0.4, shifted_date=0.6)


@dataclass(frozen=True, slots=True)
class Row:
    """The figures of one set; shares are from 0 to 1."""

    name: str
    plan: CompactionPlan
    facts: float
    plain_facts: float
    identifiers: float
    seconds: float


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
            kept += any(has_fact(facts_of(place.content), fact) for place in places)
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


def sets(banks: Path) -> Iterator[tuple[str, list[Observation]]]:
    """The sets that there are, each with its name."""
    yield "reworded, 3 agents", reworded_set()
    yield "reworded, 2 agents", reworded_set(agents=2)
    yield "reworded harder, 4 agents", reworded_set(agents=4, rules=HARDER)
    if banks.is_dir():
        yield "memory banks", list(bank(banks))
    else:
        print(f"No memory banks in {banks}: left out.", file=sys.stderr)


def report(rows: Sequence[Row]) -> None:
    """Print the curve: a line for each set."""
    print(
        f"{'set':26} {'observations':>18} {'tokens':>22}"
        f" {'facts':>7} {'plainly':>8} {'idents':>7} {'s':>6}"
    )
    for row in rows:
        plan = row.plan
        observations = _change(plan.observations.before, plan.observations.after)
        tokens = _change(plan.tokens.before, plan.tokens.after)
        print(
            f"{row.name:26} {observations:>18} {tokens:>22} {row.facts:>7.1%}"
            f" {row.plain_facts:>8.1%} {row.identifiers:>7.1%} {row.seconds:>6.2f}"
        )


def _change(before: int, after: int) -> str:
    return f"{before:,} to {after:,} -{1 - after / before:.0%}"


def main(arguments: Sequence[str]) -> None:
    """Print the figures of every set."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--banks", type=Path, default=DATA / "data" / "memory-bank")
    options = parser.parse_args(arguments)
    report([measure(name, observations) for name, observations in sets(options.banks)])


if __name__ == "__main__":
    main(sys.argv[1:])
