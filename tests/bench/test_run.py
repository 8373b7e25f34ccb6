"""The bench runs from end to end; its figures are not looked at here."""

from __future__ import annotations

import json
import math
import sys
from argparse import ArgumentTypeError
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

from tests.bench import __main__ as bench
from tests.bench import measure_compacting, measure_processes, measure_recalling
from tests.bench.__main__ import main, parse_sizes
from tests.bench.measure import REGISTRY, Measurement, sum_up, take
from tests.bench.running import measured
from tests.bench.world import World, world_of

PROCESSES = {"commands", "hooks", "capturing", "importing", "app", "postgres"}
"""The measurements that start processes."""


@pytest.fixture(scope="module")
def small() -> Iterator[World]:
    """A world of sixty memories."""
    with world_of(60, quick=True) as world:
        yield world


@pytest.mark.parametrize(
    "chosen",
    [
        pytest.param([it for it in REGISTRY if it.__name__ not in PROCESSES], id="here"),
        pytest.param(
            [it for it in REGISTRY if it.__name__ in PROCESSES],
            id="in processes",
            marks=pytest.mark.long,
        ),
    ],
)
def test_every_measurement_works(chosen: list[Measurement]) -> None:
    with world_of(60, quick=True) as world:
        figures = [figure for it in chosen for figure in sum_up(it, 60, take(it, world))]
        assert world.memory.search("").total >= 60
    assert {figure.measurement for figure in figures} == {it.__name__ for it in chosen}
    assert len({figure.key for figure in figures}) == len(figures)
    assert all(0 < figure.median < math.inf and figure.runs >= 1 for figure in figures)
    names = {figure.name for figure in figures}
    assert all(figure.per in names for figure in figures if figure.per)


def test_a_run_is_printed_and_can_be_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "run.json"
    monkeypatch.setattr(bench, "measured", cache(measured))
    for arguments in (["--json", str(file)], ["--asleep", "--compare", str(file)]):
        assert main(["--sizes", "60", "--only", "getting", *arguments]) == 0
    shown = capsys.readouterr().out
    assert "60 observations" in shown
    assert "`import tantivy, pydantic`: " in shown
    assert "get by id" in shown
    kept = json.loads(file.read_text())
    assert kept["machine"]["awake"] is (sys.platform == "linux")
    figures = kept["figures"]
    assert {figure["name"] for figure in figures} >= {"get by id"}
    assert all(figure["pace"] > 0 for figure in figures)


@pytest.mark.long
def test_what_is_taken_thrice_is_the_same_each_time() -> None:
    (rows, facets) = measured(60, "typing")
    assert (rows.name, facets.name) == ("rows for a key typed", "rows and facets for a key typed")
    assert rows.runs == facets.runs > 100
    assert rows.pace > 0


def test_a_name_that_no_measurement_has_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--only", "gettin g"])
    assert ended.value.code == 2
    assert "'gettin g'; there are typing" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("module", "name", "value"),
    [
        (measure_recalling, "_BUDGETS", (0, 0, 0)),
        (measure_compacting, "_tell_again", lambda _: 1_000),
        (measure_processes, "_CAPTURED", 10_000),
    ],
)
def test_what_does_no_work_is_not_measured(
    small: World, monkeypatch: pytest.MonkeyPatch, module: ModuleType, name: str, value: object
) -> None:
    measured = {
        measure_recalling: measure_recalling.recalling,
        measure_compacting: measure_compacting.compacting,
        measure_processes: measure_processes.capturing,
    }
    monkeypatch.setattr(module, name, value)
    with pytest.raises(RuntimeError, match="measure"):
        list(measured[module](small))


def test_sizes() -> None:
    assert parse_sizes("1k, 10K,50,1m") == [1_000, 10_000, 50, 1_000_000]
    for wrong in ("", "k", "x", "0", "-1k"):
        with pytest.raises(ArgumentTypeError):
            parse_sizes(wrong)
