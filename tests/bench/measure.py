"""What a measurement is, and how its samples are taken and summed up.

A measurement is a generator of series over a `World`. Write one, put `@measurement` above it in a
module that `tests.bench.running` imports, and the runner knows it:

    @measurement
    def getting(world: World) -> Iterator[Series]:
        samples = timings(lambda: world.memory.get(world.any_id()), runs=world.runs(50))
        yield Series("get by id", samples, Target(median=1))
"""

from __future__ import annotations

import gc
import math
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.bench.world import World

AIMED_AT = 50_000
"""Targets are for stores of at most so many observations, unless they say otherwise."""
UP_TO_AIM = (1, AIMED_AT)
AT_AIM = (AIMED_AT, AIMED_AT)
ANY_SIZE = (1, 1_000_000_000)

IMPORTING = "import tantivy, pydantic"
"""The least that a process of ours could import, and what the machine's pace is told by."""
NEAR = 1.2
"""How many times a floor is near enough to it."""

Medians = Mapping[tuple[str, int], float]
"""The medians of a run, by name and size."""


@dataclass(frozen=True, slots=True)
class Target:
    """Where a figure must stand: each limit that is given must hold, at sizes within `sizes`.

    `median` and `p95` are upper limits in the series' unit, `at_least` a lower one of the median.
    Of the series `per`, the median may be `times` at most, may be more by `over` at most, and must
    be `at_least_times` or more (so that a peer's row holds how far behind it must be). Of the
    series `beside` it may be `same` times at most; of the same one at the smallest size of the run
    `linear` times for each observation. `floor` names the series that nothing made of these
    libraries can be quicker than: `NEAR` times the floor is allowed where that is more than `times`
    allows.
    """

    median: float | None = None
    p95: float | None = None
    at_least: float | None = None
    times: float | None = None
    over: float | None = None
    at_least_times: float | None = None
    same: float | None = None
    linear: float | None = None
    floor: str = ""
    beside: str = ""
    sizes: tuple[int, int] = UP_TO_AIM


@dataclass(frozen=True, slots=True)
class Series:
    """The samples of one thing measured, in `unit`.

    `per` names the series of the same size that this one is shown as a multiple of.
    """

    name: str
    samples: Sequence[float]
    target: Target = Target()
    unit: str = "ms"
    per: str = ""


@dataclass(frozen=True, slots=True)
class Figure:
    """A series summed up: what the table and the JSON hold."""

    measurement: str
    name: str
    size: int
    unit: str
    runs: int
    median: float
    p95: float
    target: Target = Target()
    per: str = ""
    pace: float = 0.0
    """Milliseconds of a Python that does `IMPORTING`, around it: the machine's pace."""

    @property
    def key(self) -> tuple[str, int]:
        """What identifies a figure in another run."""
        return self.name, self.size

    def keeps_target(self, medians: Medians) -> bool | None:
        """Whether each limit holds; None where none can be told from the run's `medians`."""
        target, per = self.target, medians.get((self.per, self.size))
        smallest, first = self.smallest(medians)
        beside = medians.get((target.beside, self.size))
        held = (
            _held(target.median, lambda limit: self.median <= limit),
            _held(target.p95, lambda limit: self.p95 <= limit),
            _held(target.at_least, lambda limit: self.median >= limit),
            _held(self.most(medians), lambda limit: self.median <= limit),
            _held(target.over, lambda limit, base: self.median <= limit + base, per),
            _held(target.at_least_times, lambda limit, base: self.median >= limit * base, per),
            _held(target.same, lambda limit, base: self.median <= limit * base, beside),
            _held(
                target.linear,
                lambda limit, base: self.median / self.size <= limit * base / smallest,
                first,
            ),
        )
        known = [each for each in held if each is not None]
        return all(known) if known else None

    def most(self, medians: Medians) -> float | None:
        """What the median may be, by `times` or by the floor: whichever allows more."""
        per = medians.get((self.per, self.size))
        if self.target.times is None or per is None:
            return None
        floor = medians.get((self.target.floor, self.size), 0.0)
        return max(self.target.times * per, NEAR * floor)

    def smallest(self, medians: Medians) -> tuple[int, float | None]:
        """The smallest size of the run that has this series, and its median if that is another."""
        size = min((size for name, size in medians if name == self.name), default=self.size)
        return size, medians.get((self.name, size)) if size < self.size else None

    def wanted(self) -> str:
        """The target in words."""
        target, unit, per = self.target, self.unit, self.per
        beyond = f" or, where that is more, {NEAR:g} × {target.floor}"
        said = (
            (target.median, f"median ≤ {{:g}} {unit}"),
            (target.p95, f"p95 ≤ {{:g}} {unit}"),
            (target.at_least, f"≥ {{:,.0f}} {unit}"),
            (target.times, f"≤ {{:g}} × {per}{beyond if target.floor else ''}"),
            (target.over, f"≤ {{:g}} {unit} over {per}"),
            (target.at_least_times, f"≥ {{:g}} × {per}"),
            (target.same, f"≤ {{:g}} × {target.beside}"),
            (target.linear, "for each observation ≤ {:g} × the smallest store's"),
        )
        return ", ".join(text.format(limit) for limit, text in said if limit is not None)

    def record(self) -> dict[str, Any]:
        """The figure as JSON; of the target, what it says."""
        target = asdict(self.target).items()
        return {
            **asdict(self),
            "median": round(self.median, 5),
            "p95": round(self.p95, 5),
            "pace": round(self.pace, 2),
            "target": {name: it for name, it in target if it not in (None, "")},
        }

    @classmethod
    def of(cls, record: dict[str, Any]) -> Figure:
        """The figure that was written as JSON."""
        target = dict(record["target"])
        target["sizes"] = tuple(target["sizes"])
        return cls(**{**record, "target": Target(**target)})


Measurement = Callable[["World"], Iterator[Series]]
REGISTRY: list[Measurement] = []
"""Every measurement, in the order their modules were imported."""
ONCE: list[Measurement] = []
"""Those of them that no store's size makes a difference for."""
THRICE: list[Measurement] = []
"""Those of them that are taken in three processes."""


def measurement(function: Measurement) -> Measurement:
    """Make a measurement known to the runner."""
    REGISTRY.append(function)
    return function


def once(function: Measurement) -> Measurement:
    """Make a measurement known for which the store's size makes no difference.

    It is taken in the first world of a run only.
    """
    ONCE.append(function)
    return measurement(function)


def thrice(function: Measurement) -> Measurement:
    """Make a measurement known whose samples are each of another question, always the same ones.

    It is taken in three processes, and of each question the median counts: so its p95 is that of
    hard questions, not of moments in which the machine did something else.
    """
    THRICE.append(function)
    return measurement(function)


def timed(action: Callable[..., object], *arguments: object) -> float:
    """Milliseconds of one call."""
    start = perf_counter()
    action(*arguments)
    return (perf_counter() - start) * 1_000


def timings(action: Callable[[], object], *, runs: int, warm_up: int = 3) -> list[float]:
    """Milliseconds of each of `runs` calls, after `warm_up` calls that don't count.

    The garbage collector is on, as in use, but starts each series clean.
    """
    gc.collect()
    for _ in range(warm_up):
        action()
    return [timed(action) for _ in range(runs)]


def interleaved(
    actions: Mapping[str, Callable[[], object]], *, runs: int, warm_up: int = 1
) -> dict[str, list[float]]:
    """Milliseconds of each action by its name, one of each in turn.

    So whatever else the machine does meets all of them alike.
    """
    gc.collect()
    samples: dict[str, list[float]] = {name: [] for name in actions}
    for run in range(warm_up + runs):
        for name, action in actions.items():
            took = timed(action)
            if run >= warm_up:
                samples[name].append(took)
    return samples


def take(function: Measurement, world: World) -> list[Series]:
    """The series of one measurement.

    What the bench itself holds is not searched for garbage again and again while others are timed.
    """
    gc.collect()
    gc.freeze()
    return list(function(world))


def each_median(runs: Sequence[Sequence[Series]]) -> list[Series]:
    """The series of several runs of one measurement: of each sample the median."""
    medians = []
    for same in zip(*runs, strict=True):
        questions = zip(*(series.samples for series in same), strict=True)
        medians.append(replace(same[0], samples=list(map(statistics.median, questions))))
    return medians


def sum_up(function: Measurement, size: int, taken: Sequence[Series]) -> Iterator[Figure]:
    """The figures of the series that a measurement gave of a store of this size."""
    for series in taken:
        smallest, largest = series.target.sizes
        yield Figure(
            measurement=function.__name__,
            name=series.name,
            size=size,
            unit=series.unit,
            runs=len(series.samples),
            median=statistics.median(series.samples),
            p95=percentile(series.samples, 95),
            target=series.target if smallest <= size <= largest else Target(),
            per=series.per,
        )


def pace() -> float:
    """Milliseconds of a Python process that does `IMPORTING`, the best of three.

    Where it differs from one measurement to the next, so did the machine.
    """
    command = [sys.executable, "-c", IMPORTING]
    return min(timed(partial(subprocess.run, command, check=True)) for _ in range(3))


def percentile(samples: Sequence[float], percent: float) -> float:
    """The smallest sample that at least `percent` of the samples don't exceed (nearest rank)."""
    ranked = sorted(samples)
    return ranked[max(0, math.ceil(len(ranked) * percent / 100) - 1)]


def _held(limit: float | None, holds: Callable[..., bool], *bases: float | None) -> bool | None:
    """Whether a limit holds; None where there is none, or nothing to compare with."""
    if limit is None or None in bases:
        return None
    return holds(limit, *bases)
