"""What a measurement is, and how its samples are taken and summed up.

A measurement is a generator of series over a `World`. Write one, put `@measurement` above it, and
the runner knows it:

    @measurement
    def getting(world: World) -> Iterator[Series]:
        yield Series("get by id", timings(lambda: world.memory.get(world.any_id())), p95=1)
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


@dataclass(frozen=True, slots=True)
class Series:
    """The samples of one thing measured, in `unit`.

    `median` and `p95` are the targets at 50,000 observations, where there are any; `per` names
    the series of the same size that this one is shown as a multiple of.
    """

    name: str
    samples: Sequence[float]
    unit: str = "ms"
    median: float | None = None
    p95: float | None = None
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
    target_median: float | None = None
    target_p95: float | None = None
    per: str = ""

    @property
    def key(self) -> tuple[str, int]:
        """What identifies a figure in another run."""
        return self.name, self.size

    @property
    def verdict(self) -> str:
        """Whether the targets are kept; empty where there is none."""
        if self.target_median is None and self.target_p95 is None:
            return ""
        kept = self.median <= (self.target_median or math.inf)
        return "ok" if kept and self.p95 <= (self.target_p95 or math.inf) else "OVER"

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


def timings(
    action: Callable[[], object],
    *,
    runs: int = 30,
    warm_up: int = 3,
    before: Callable[[], object] = lambda: None,
) -> list[float]:
    """Milliseconds of each of `runs` calls, after `warm_up` calls that don't count.

    `before` runs before each call, outside of the time. The garbage collector is on, as in use,
    but starts each series clean.
    """
    gc.collect()
    taken = []
    for run in range(warm_up + runs):
        before()
        start = perf_counter()
        action()
        elapsed = perf_counter() - start
        if run >= warm_up:
            taken.append(elapsed * 1_000)
    return taken


def sum_up(function: Measurement, world: World) -> Iterator[Figure]:
    """The figures of one measurement; targets are for 50,000 observations and below."""
    for series in function(world):
        aimed = world.size <= 50_000
        yield Figure(
            measurement=function.__name__,
            name=series.name,
            size=world.size,
            unit=series.unit,
            runs=len(series.samples),
            median=statistics.median(series.samples),
            p95=percentile(series.samples, 95),
            target_median=series.median if aimed else None,
            target_p95=series.p95 if aimed else None,
            per=series.per,
        )


def percentile(samples: Sequence[float], percent: float) -> float:
    """The smallest sample that at least `percent` of the samples don't exceed (nearest rank)."""
    ranked = sorted(samples)
    return ranked[max(0, math.ceil(len(ranked) * percent / 100) - 1)]
