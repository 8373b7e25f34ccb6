"""Samples are summed up and shown as they are."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest

from tests.bench import report
from tests.bench.measure import (
    Figure,
    Series,
    Target,
    each_median,
    interleaved,
    percentile,
    sum_up,
    take,
    timings,
)
from tests.bench.report import machine, read_json, table, write_json
from tests.bench.world import World

_NONE = Target()


class OfSize:
    def __init__(self, size: int) -> None:
        self.size = size


def figure(name: str, median: float, target: Target = _NONE, per: str = "") -> Figure:
    return Figure("test", name, 1_000, "ms", 5, median, median * 2, target, per)


def test_percentile_is_a_sample() -> None:
    assert percentile([5, 1, 4, 2, 3], 50) == 3
    assert percentile(range(1, 101), 95) == 95
    assert percentile([7], 95) == 7


def test_warm_up_does_not_count() -> None:
    calls: list[str] = []
    taken = timings(lambda: calls.append("call"), runs=4, warm_up=2)
    assert len(taken) == 4
    assert len(calls) == 6
    assert all(sample >= 0 for sample in taken)


def test_of_several_runs_the_median_of_each_sample_counts() -> None:
    runs = [[Series("one", [1, 9, 5]), Series("two", [4])] for _ in range(2)]
    runs.append([Series("one", [7, 2, 5]), Series("two", [6])])
    assert [list(each.samples) for each in each_median(runs)] == [[1, 9, 5], [4]]
    assert each_median(runs[:1]) == runs[0]
    with pytest.raises(ValueError, match="shorter"):
        each_median([*runs, [Series("one", [1, 2]), Series("two", [3])]])


@pytest.mark.parametrize(("size", "target"), [(1_000, Target(median=3)), (1_000_000, Target())])
def test_targets_hold_up_to_fifty_thousand(size: int, target: Target) -> None:
    def slow(_: World) -> Iterator[Series]:
        yield Series("slow", [1.0, 2.0, 9.0], Target(median=3))

    (summed,) = sum_up(slow, size, take(slow, cast("World", OfSize(size))))
    assert (summed.median, summed.p95, summed.target) == (2.0, 9.0, target)


@pytest.mark.parametrize(
    ("target", "kept"),
    [
        (Target(median=10), True),
        (Target(median=9.9), False),
        (Target(p95=20), True),
        (Target(p95=19), False),
        (Target(at_least=10), True),
        (Target(at_least=11), False),
        (Target(times=2.5), True),
        (Target(times=2.4), False),
        (Target(times=2.4, floor="floor"), True),
        (Target(times=2.2, floor="floor"), True),
        (Target(times=2.2, floor="high floor"), True),
        (Target(times=2.2, floor="low floor"), False),
        (Target(times=2.5, floor="low floor"), True),
        (Target(times=2.0, floor="just above"), False),
        (Target(over=6), True),
        (Target(over=5), False),
        (Target(at_least_times=2.5), True),
        (Target(at_least_times=2.6), False),
        (Target(same=2.5, beside="base"), True),
        (Target(same=2.4, beside="base"), False),
        (Target(linear=0.13), True),
        (Target(linear=0.12), False),
        (Target(median=10, p95=1), False),
    ],
)
def test_a_target_is_kept_where_each_limit_holds(target: Target, kept: bool) -> None:
    floors = {"low floor": 8.0, "just above": 8.1, "floor": 9.0, "high floor": 11.0}
    medians = {(name, 1_000): median for name, median in floors.items()}
    medians |= {("base", 1_000): 4.0, ("ours", 100): 8.0, ("ours", 1_000): 10.0}
    assert figure("ours", 10, target, per="base").keeps_target(medians) is kept


@pytest.mark.parametrize(
    "target",
    [
        Target(),
        Target(times=9),
        Target(over=9),
        Target(same=9, beside="none"),
        Target(linear=9),
    ],
)
def test_what_has_nothing_to_be_compared_with_keeps_no_target(target: Target) -> None:
    assert figure("ours", 10, target, per="none").keeps_target({("ours", 1_000): 10}) is None


def test_what_is_interleaved_is_done_in_turn() -> None:
    done: list[str] = []
    samples = interleaved({"a": lambda: done.append("a"), "b": lambda: done.append("b")}, runs=2)
    assert done == ["a", "b"] * 3
    assert [len(each) for each in samples.values()] == [2, 2]


def test_the_table_shows_targets_and_ratios() -> None:
    shown = table(
        [figure("bare", 2.0), figure("ours", 3.0, Target(times=1.2), per="bare")],
        {("ours", 1_000): 6.0},
    )
    (line,) = [line for line in shown.splitlines() if line.startswith("ours")]
    assert line.split() == ["ours", "3", "ms", "6", "5", "≤", "1.2x", "OVER", "1.50x", "0.50x"]


def test_a_run_can_be_read_again(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    write_json(path, machine(), [figure("one", 1.5)])
    assert read_json(path) == {("one", 1_000): 1.5}
    assert machine()["python"]


def test_a_run_says_whether_tokens_are_counted_or_estimated(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(report, "_version", lambda name: None)
    assert report.machine()["installation"] == "without [tokens]"
    monkeypatch.setattr(report, "_version", lambda name: "1.0" if name == "ctok" else None)
    assert report.machine()["installation"] == "with [tokens]: ctok 1.0"
