"""The bench runs from end to end; its figures are not looked at here."""

from __future__ import annotations

import math
from argparse import ArgumentTypeError

import pytest

from tests.bench.__main__ import main, parse_sizes
from tests.bench.measure import REGISTRY, Measurement, sum_up, take
from tests.bench.world import world_of


@pytest.mark.long
def test_every_measurement_works() -> None:
    chosen: list[Measurement] = list(REGISTRY)
    with world_of(60, quick=True) as world:
        figures = [figure for it in chosen for figure in sum_up(it, 60, take(it, world))]
        assert world.memory.search("").total >= 60
    assert {figure.measurement for figure in figures} == {it.__name__ for it in chosen}
    assert len({figure.key for figure in figures}) == len(figures)
    assert all(0 < figure.median < math.inf and figure.runs >= 1 for figure in figures)
    names = {figure.name for figure in figures}
    assert all(figure.per in names for figure in figures if figure.per)


def test_a_name_that_no_measurement_has_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--only", "gettin g"])
    assert ended.value.code == 2
    assert "'gettin g'; there are typing" in capsys.readouterr().err


def test_sizes() -> None:
    assert parse_sizes("1k, 10K,50,1m") == [1_000, 10_000, 50, 1_000_000]
    for wrong in ("", "k", "x", "0", "-1k"):
        with pytest.raises(ArgumentTypeError):
            parse_sizes(wrong)
