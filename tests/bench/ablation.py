"""What each weight of recall is worth: every one at nothing, at half and at twice its value.

    python -m tests.bench.ablation --locomo FILE --sessions FILE [--every N]

On conversations in the LoCoMo format (`tests.bench.recall`), asked every Nth question: the share
of the evidence among the first ten, and inside 1,000 tokens. On sessions of a real repository
(`tests.bench.usefulness`): the share of the needed files among the first ten, and inside 1,500
tokens. Printed as a table in Markdown, in points of difference to the weights as they are; a
weight whose factor no candidate had there is left out of that half.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from statistics import mean
from types import ModuleType
from typing import Any
from unittest.mock import patch

from store import open_memory
from store.recall import plan, profiles, ranking, select
from store.recall.candidates import CandidateSource
from store.recall.values import Recall
from store.search import relevance
from tests.bench.recall import ADVERSARIAL, observations_of, share
from tests.bench.usefulness import (
    AGENT,
    BUDGET,
    TEN,
    Issues,
    changes_of,
    distinct_files,
    read,
    task_of,
)

SCALES = (0.0, 0.5, 2.0)
CONSTANTS: tuple[tuple[ModuleType, str], ...] = (
    (relevance, "_SESSION"),
    (relevance, "_AGENT"),
    (relevance, "_AGENT_IN_TEXT"),
    (relevance, "_PHRASE"),
    (relevance, "_DATE"),
    (relevance, "_LENGTH"),
    (ranking, "_RECENT_DAYS"),
    (select, "_ANSWERS"),
    (select, "_NEAR_BEST"),
    (select, "_SAME_REQUEST"),
    (select, "_STALE"),
)
"""Tuned numbers beside the factors' weights, each with its module."""
_NEVER_ZERO = frozenset({"_RECENT_DAYS"})
"""Those that are divided by."""

Ask = Callable[[], Recall]
Judge = Callable[[Recall], tuple[float, float]]


@dataclass(slots=True)
class Variant:
    """One number at another value, and what was measured with it."""

    name: str
    scale: float
    patches: Callable[[], Any]
    first: list[float] = field(default_factory=list)
    inside: list[float] = field(default_factory=list)

    @property
    def figures(self) -> tuple[float, float]:
        """Both shares in percent."""
        return 100 * mean(self.first), 100 * mean(self.inside)


@contextmanager
def asked_anew() -> Iterator[None]:
    """The index is asked again: what it offered for a task is kept otherwise."""
    with patch.object(CandidateSource, "are_of", lambda *_: False):
        yield


@contextmanager
def constant(module: ModuleType, name: str, scale: float) -> Iterator[None]:
    """A module's number at another value."""
    value = getattr(module, name)
    with asked_anew(), patch.object(module, name, type(value)(value * scale)):
        relevance._length_prior.cache_clear()
        yield
    relevance._length_prior.cache_clear()


@contextmanager
def blend(scale: float) -> Iterator[None]:
    """Another share of the neighbours' scores; an observation's own stays."""
    shares = {step: it if step == 0 else it * scale for step, it in relevance._BLEND.items()}
    with asked_anew(), patch.object(relevance, "_BLEND", shares):
        yield


@contextmanager
def weight(name: str, scale: float) -> Iterator[None]:
    """A factor at another weight."""
    changed = {name: ranking.WEIGHTS[name] * scale}

    def named(profile: str | None, given: Mapping[str, float] | None = None) -> profiles.Profile:
        return profiles.profile_named(profile, {**(given or {}), **changed})

    with patch.object(plan, "profile_named", named):
        yield


@contextmanager
def unchanged() -> Iterator[None]:
    """Everything as it is."""
    yield


def variants() -> list[Variant]:
    """All that is tried, as it is first."""
    found = [Variant("as it is", 1.0, unchanged)]
    for scale in SCALES:
        found += [Variant(name, scale, partial(weight, name, scale)) for name in ranking.WEIGHTS]
        found.append(Variant("neighbours (_BLEND)", scale, partial(blend, scale)))
        found += [
            Variant(name, scale, partial(constant, module, name, scale))
            for module, name in CONSTANTS
            if scale or name not in _NEVER_ZERO
        ]
    return found


def tried(all_of: Sequence[Variant], ask: Ask, judge: Judge, seen: set[str]) -> None:
    """Ask once with each variant; factors that no candidate has are known to change nothing."""
    base = ask()
    seen.update(name for it in base.candidates for name, value in it.factors.items() if value)
    for it in all_of:
        if it.name in ranking.WEIGHTS and it.name not in seen:
            first, inside = judge(base)
        else:
            with it.patches():
                first, inside = judge(base if it.name == "as it is" else ask())
        it.first.append(first)
        it.inside.append(inside)


def on_conversations(file: Path, every: int, all_of: Sequence[Variant]) -> set[str]:
    """Ask every Nth question of each conversation; the factors that were seen."""
    seen: set[str] = set()
    for conversation in json.loads(file.read_text("utf-8"))["conversations"]:
        asked = [
            it for it in conversation["questions"]
            if it["category"] != ADVERSARIAL and it["evidence"]
        ]  # fmt: skip
        turns = list(observations_of(conversation))
        now = max(turn.timestamp for turn in turns) + timedelta(days=1)
        with (
            tempfile.TemporaryDirectory() as folder,
            open_memory(Path(folder) / "memory", cache=Path(folder) / "cache") as memory,
        ):
            memory.store(turns)
            memory.index.refresh()
            for question in asked[::every]:
                evidence = set(question["evidence"])

                def ask(task: str = question["q"], now: datetime = now) -> Recall:
                    return memory.recall.plan(task=task, budget=1_000, now=now, fresh=False)

                def judge(found: Recall, wanted: set[str] = evidence) -> tuple[float, float]:
                    first = (it.observation.id for it in found.candidates[:TEN])
                    return share(wanted, first), share(wanted, _ids(found))

                tried(all_of, ask, judge, seen)
    return seen


def _ids(found: Recall) -> Iterable[str]:
    return (it.observation.id for it in found.included)


def on_sessions(file: Path, first: int, all_of: Sequence[Variant]) -> set[str]:
    """Ask before each session from the `first` on; the factors that were seen."""
    known: set[str] = set()
    seen: set[str] = set()
    issues = Issues()
    with (
        tempfile.TemporaryDirectory() as folder,
        open_memory(Path(folder) / "memory", cache=Path(folder) / "cache") as memory,
    ):
        for place, session in enumerate(read(file)):
            issue = issues.of(session["branch"])
            memory.index.refresh()
            wanted = known.intersection(session["files"])
            if place >= first and wanted:

                def ask(session: dict[str, Any] = session, issue: int = issue) -> Recall:
                    return memory.recall.plan(
                        agent=AGENT, issue=issue, task=task_of(session), budget=BUDGET,
                        now=datetime.fromisoformat(session["created"]), fresh=False,
                    )  # fmt: skip

                def judge(found: Recall, wanted: set[str] = wanted) -> tuple[float, float]:
                    files = distinct_files((it.observation for it in found.candidates), TEN)
                    inside = [file for file in known if file in found.text]
                    return share(wanted, files), share(wanted, inside)

                tried(all_of, ask, judge, seen)
            changes = changes_of(session, issue)
            for batch in range(0, len(changes), 50):
                memory.store([it._replace() for it in changes[batch : batch + 50]])
            known.update(distinct_files(changes))
    return seen


def table(title: str, all_of: Sequence[Variant], seen: set[str]) -> str:
    """Differences to the weights as they are, in points: first ten, and inside the budget."""
    base, *others = all_of
    first, inside = base.figures
    rows = [
        f"{title}, {len(base.first)} asked: {first:.1f} % among the first ten, "
        f"{inside:.1f} % inside the budget.",
        "",
        "| number | × 0 | × ½ | × 2 |",
        "| --- | ---: | ---: | ---: |",
    ]
    names = dict.fromkeys(it.name for it in others)
    for name in names:
        if name in ranking.WEIGHTS and name not in seen:
            continue
        cells = {it.scale: it.figures for it in others if it.name == name}
        shown = (
            f"{cells[scale][0] - first:+.1f} / {cells[scale][1] - inside:+.1f}"
            if scale in cells else ""
            for scale in SCALES
        )  # fmt: skip
        rows.append(f"| `{name}` | {' | '.join(shown)} |")
    return "\n".join(rows)


def main(arguments: Sequence[str]) -> None:
    """Measure on what data was named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--locomo", type=Path)
    parser.add_argument("--sessions", type=Path)
    parser.add_argument("--every", type=int, default=1, help="ask every Nth question only")
    parser.add_argument("--from", type=int, default=60, dest="first", help="the first session")
    options = parser.parse_args(arguments)
    if options.sessions:
        all_of = variants()
        seen = on_sessions(options.sessions, options.first, all_of)
        print(table("Sessions of a repository", all_of, seen), "\n", flush=True)
    if options.locomo:
        all_of = variants()
        seen = on_conversations(options.locomo, options.every, all_of)
        print(table("Conversations", all_of, seen))


if __name__ == "__main__":
    main(sys.argv[1:])
