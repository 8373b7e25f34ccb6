"""Samples are summed up and shown as they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bench.measure import Figure, Series, Target, each_median
from tests.bench.report import machine, read_json, write_json

_NONE = Target()


def figure(name: str, median: float, target: Target = _NONE, per: str = "") -> Figure:
    return Figure("test", name, 1_000, "ms", 5, median, median * 2, target, per)


def test_of_several_runs_the_median_of_each_sample_counts() -> None:
    runs = [[Series("one", [1, 9, 5]), Series("two", [4])] for _ in range(2)]
    runs.append([Series("one", [7, 2, 5]), Series("two", [6])])
    assert [list(each.samples) for each in each_median(runs)] == [[1, 9, 5], [4]]
    assert each_median(runs[:1]) == runs[0]
    with pytest.raises(ValueError, match="shorter"):
        each_median([*runs, [Series("one", [1, 2]), Series("two", [3])]])


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


def test_a_run_can_be_read_again(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    write_json(path, machine(), [figure("one", 1.5)])
    assert read_json(path) == {("one", 1_000): 1.5}
    assert machine()["python"]
