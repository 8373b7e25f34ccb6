"""The page and the picture say what the run measured."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.bench.measure import REGISTRY, Figure, Target
from tests.bench.page import DOCS, PARTS, RUN, main, page
from tests.bench.picture import GRID, INK, PANELS, picture
from tests.bench.report import machine, read_run, write_json
from tests.bench.running import MODULES

_NONE = Target()
_SVG = "{http://www.w3.org/2000/svg}"
_BACKGROUNDS = ("#ffffff", "#0d1117")


def figure(
    name: str, size: int, median: float, target: Target = _NONE, measurement: str = "storing"
) -> Figure:
    return Figure(measurement, name, size, "ms", 5, median, 2 * median, target, "bare")


def some_figures() -> list[Figure]:
    return [
        figure(line.series, size, 0.2 * at * size**0.5)
        for size in (1_000, 50_000)
        for panel in PANELS
        for at, line in enumerate(panel.lines, 1)
    ]


@pytest.mark.skipif(not RUN.exists(), reason="no run is kept")
def test_the_page_and_the_picture_are_those_of_the_run_kept(tmp_path: Path) -> None:
    """Where this fails: `python -m tests.bench.page`."""
    assert main([str(RUN), str(tmp_path)]) == 0
    for name in ("benchmarks.md", "benchmarks.svg"):
        assert (DOCS / name).read_text() == (tmp_path / name).read_text()


def test_a_page_says_of_each_run_which_installation_it_was() -> None:
    usual, known = [figure("plan", 50_000, 3)], {**machine(), "installation": "without [tokens]"}
    unsaid = {name: it for name, it in known.items() if name != "installation"}
    assert "Installed without [tokens]." in page(known, usual)
    assert "Which installation it was is not recorded." in page(unsaid, usual)
    assert "installed without [tokens]. " in page(unsaid, usual, since=(known, usual))


def test_what_newer_code_misses_is_told_first() -> None:
    usual = [figure("plan", 50_000, 3)]
    slower = [replace(it, median=8, target=Target(4)) for it in usual]
    shown = page(machine(), usual, since=(machine(), slower))
    newer, _, earlier = shown.partition("## Targets")
    assert "## Newer code, 50,000 alone" in newer
    assert "0 of 1 are met." in newer
    assert "**no**" not in earlier


def test_each_measurement_has_its_part_of_the_page() -> None:
    assert MODULES
    named = [name for part in PARTS for name in part.measurements]
    assert sorted(named) == sorted(each.__name__ for each in REGISTRY)


def test_an_installation_with_counters_stands_beside_the_other() -> None:
    usual = [figure("plan", 1_000, 3), figure("plan", 50_000, 4), figure("else", 50_000, 1)]
    counted = {**machine(), "installation": "with [tokens]: splintr-rs 0.22.0"}
    shown = page(machine(), usual, (counted, [replace(it, median=8) for it in usual[:2]]))
    assert "## With `[tokens]`" in shown
    assert "(splintr-rs 0.22.0)" in shown
    table = shown.partition("## With")[2]
    assert "what, 50,000 observations" in table
    assert "| plan | 4 ms | 8 ms | 2 × |" in table
    assert "| else |" not in table
    alone = {**machine(), "load": 1.5}
    slower = (alone, [replace(it, median=10) for it in usual])
    same = page(machine(), usual, (counted, [replace(it, median=8) for it in usual]), None, slower)
    assert "Of the same code" in same and "| plan | 10 ms | 8 ms | 0.8 × |" in same
    assert "## With" not in page(machine(), usual)


def test_targets_are_shown_where_they_are_aimed_at_and_beyond() -> None:
    met, missed = Target(median=10), Target(p95=10, sizes=(1, 1_000_000))
    shown = page(
        machine(),
        [
            figure("small", 1_000, 3, missed),
            figure("good", 50_000, 3, met),
            figure("bad", 50_000, 7, missed),
            figure("large", 1_000_000, 2, missed),
            figure("bare", 50_000, 1),
        ],
    )
    targets = shown.split("## Writing")[0]
    assert "2 of 3 are met." in targets
    assert "| good | 50,000 | median ≤ 10 ms | 3 / 6 ms | yes |" in targets
    assert "| bad | 50,000 | p95 ≤ 10 ms | 7 / 14 ms | **no** |" in targets
    assert "| large | 1,000,000 | p95 ≤ 10 ms | 2 / 4 ms | yes |" in targets
    assert "small" not in targets
    assert "| small | 3 / 6 ms |  |  |" in shown


@pytest.mark.parametrize(
    ("target", "said"),
    [
        (Target(over=9), "12 / 24 ms, 8 ms over it"),
        (Target(times=9), "12 / 24 ms, 3 ×"),
        (Target(times=2, floor="floor"), "12 / 24 ms, 3 ×, 1.2 × floor"),
        (Target(at_least_times=2), "12 / 24 ms, 3 ×"),
        (Target(same=9, beside="bare"), "12 / 24 ms, 3 × bare"),
        (Target(linear=9), "12 / 24 ms, 0.04 × each of 1,000"),
        (Target(median=9), "12 / 24 ms"),
    ],
)
def test_a_figure_is_shown_beside_what_its_target_speaks_of(target: Target, said: str) -> None:
    figures = [figure("it", 1_000, 6), figure("it", 50_000, 12, target), figure("bare", 50_000, 4)]
    figures.append(figure("floor", 50_000, 10))
    targets = page(machine(), figures).split("## Writing")[0]
    assert f"| {said} |" in targets


@pytest.mark.parametrize(("load", "said"), [(1.6, False), (2.4, True), (None, False)])
def test_a_busy_machine_is_spoken_of(load: float | None, said: bool) -> None:
    shown = page({**machine(), "cores": 2, "load": load}, some_figures())
    assert ("was busy" in shown) is said


@pytest.mark.parametrize(
    ("paces", "said", "uneven"),
    [((33.1, 36.2), "33.1 to 36.2 ms", False), ((33.1, 66.2), "33.1 to 66.2 ms", True)],
)
def test_a_machines_pace_is_spoken_of(paces: Sequence[float], said: str, uneven: bool) -> None:
    figures = [replace(it, pace=paces[at % 2]) for at, it in enumerate(some_figures())]
    shown = page(machine(), figures)
    assert f"took {said} beside" in shown
    assert ("changed its pace" in shown) is uneven
    assert "beside the measurements" not in page(machine(), some_figures())


@pytest.mark.parametrize("awake", [True, False])
def test_processors_that_were_kept_awake_are_spoken_of(awake: bool) -> None:
    shown = page({**machine(), "awake": awake}, some_figures())
    assert ("were kept awake" in shown) is awake


def test_a_run_reads_back_as_it_was_written(tmp_path: Path) -> None:
    figures = [figure("one", 50, 1.25, Target(times=2, sizes=(1, 9))), figure("two", 50, 3)]
    about = {**machine(), "awake": True}
    write_json(tmp_path / "run.json", about, figures)
    kept, read = read_run(tmp_path / "run.json")
    assert kept == about
    assert read == figures


def test_the_picture_has_a_line_and_its_name_for_each_peer() -> None:
    medians = {each.key: each.median for each in some_figures()}
    drawn = ElementTree.fromstring(picture(medians))
    lines = [it for it in drawn.iter(f"{_SVG}path") if it.get("class") == "line"]
    texts = [it.text for it in drawn.iter(f"{_SVG}text")]
    wanted = [line.label for panel in PANELS for line in panel.lines]
    assert len(lines) == len(wanted)
    assert {*wanted, "1,000", "50,000", "10 ms"} <= set(texts)
    for panel in drawn.iter(f"{_SVG}g"):
        names = [it for it in panel.iter(f"{_SVG}text") if it.get("style")]
        heights = sorted(float(it.get("y", "")) for it in names)
        assert all(below - above >= 17 for above, below in pairwise(heights))


def test_what_costs_more_stands_higher() -> None:
    medians = {each.key: each.median for each in some_figures()}
    drawn = ElementTree.fromstring(picture(medians))
    panel = next(drawn.iter(f"{_SVG}g"))
    rights = [it for it in panel.iter(f"{_SVG}circle") if it.get("cx") == "570.0"]
    heights = [float(it.get("cy", "")) for it in rights]
    assert len(heights) == 4
    assert heights == sorted(heights, reverse=True)


def test_a_picture_of_one_size_is_refused() -> None:
    with pytest.raises(ValueError, match="two sizes"):
        picture({each.key: each.median for each in some_figures() if each.size == 1_000})


@pytest.mark.parametrize("background", _BACKGROUNDS)
def test_colours_are_legible_on_light_and_on_dark(background: str) -> None:
    colours = {INK, *(line.colour for panel in PANELS for line in panel.lines)}
    assert all(re.fullmatch("#[0-9a-f]{6}", each) for each in (*colours, GRID))
    faint = [each for each in colours if _contrast(each, background) < 3.5]
    assert faint == []


def _contrast(one: str, other: str) -> float:
    """The contrast ratio of two colours (WCAG 2.1)."""
    lighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
