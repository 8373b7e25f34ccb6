"""What a measurement is, and how its samples are taken and summed up.

A measurement is a generator of series over a `World`. Write one, put `@measurement` above it in a
module that `tests.bench.__main__` imports, and the runner knows it:

    @measurement
    def getting(world: World) -> Iterator[Series]:
        samples = timings(lambda: world.memory.get(world.any_id()), runs=world.runs(50))
        yield Series("get by id", samples, Target(median=1))
"""

from __future__ import annotations

import gc
import math
import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.bench.world import World

AIMED_AT = 50_000
"""Targets are for stores of at most so many observations, unless they say otherwise."""


@dataclass(frozen=True, slots=True)
class Target:
    """Where a figure must stand: each limit that is given must hold.

    `median` and `p95` are upper limits in the series' unit, `at_least` a lower one of the median;
    `times` is the most, `over` the most more, that the median may be of the series `per`.
    """

    median: float | None = None
    p95: float | None = None
    at_least: float | None = None
    times: float | None = None
    over: float | None = None
    any_size: bool = False

    def __str__(self) -> str:
        said = (
            ("≤ {:g}", self.median),
            ("p95 ≤ {:g}", self.p95),
            ("≥ {:,.0f}", self.at_least),
            ("≤ {:g}x", self.times),
            ("≤ +{:g}", self.over),
        )
        return ", ".join(text.format(limit) for text, limit in said if limit is not None)


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

    @property
    def key(self) -> tuple[str, int]:
        """What identifies a figure in another run."""
        return self.name, self.size

    def keeps_target(self, base: float | None) -> bool:
        """Whether each limit holds; `base` is the median of the series `per`."""
        target, base = self.target, math.inf if base is None else base
        return (
            self.median <= _or(target.median, math.inf)
            and self.p95 <= _or(target.p95, math.inf)
            and self.median >= _or(target.at_least, -math.inf)
            and self.median <= base * _or(target.times, math.inf)
            and self.median <= base + _or(target.over, math.inf)
        )

    def record(self) -> dict[str, Any]:
        """The figure as JSON."""
        return asdict(self)


Measurement = Callable[["World"], Iterator[Series]]
REGISTRY: list[Measurement] = []
"""Every measurement, in the order their modules were imported."""


def measurement(function: Measurement) -> Measurement:
    """Make a measurement known to the runner."""
    REGISTRY.append(function)
    return function


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


def sum_up(function: Measurement, world: World) -> Iterator[Figure]:
    """The figures of one measurement."""
    for series in function(world):
        aimed = world.size <= AIMED_AT or series.target.any_size
        yield Figure(
            measurement=function.__name__,
            name=series.name,
            size=world.size,
            unit=series.unit,
            runs=len(series.samples),
            median=statistics.median(series.samples),
            p95=percentile(series.samples, 95),
            target=series.target if aimed else Target(),
            per=series.per,
        )


def percentile(samples: Sequence[float], percent: float) -> float:
    """The smallest sample that at least `percent` of the samples don't exceed (nearest rank)."""
    ranked = sorted(samples)
    return ranked[max(0, math.ceil(len(ranked) * percent / 100) - 1)]


def _or(limit: float | None, otherwise: float) -> float:
    return otherwise if limit is None else limit
