"""The page of specifications says of each clause once whether it is done or different."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

_HERE = Path(__file__).parent
_PAGE = (_HERE.parents[1] / "docs" / "seeds.md").read_text("utf-8")
_SECTION = re.compile(r"^## (\d{3}): .*?(?=^## )", re.M | re.S)
_DONE = re.compile(r"^Done: ([\d\s,toand]+)", re.M)
_RANGE = re.compile(r"(\d+)(?: to (\d+))?")
_ROW = re.compile(r"^\| (\d{3}-\d[^|]*) \|", re.M)
_CLAUSES = {line.split()[0] for line in (_HERE / "clauses.txt").read_text("utf-8").splitlines()}


def _numbers(document: str, text: str) -> Iterator[str]:
    for first, last in _RANGE.findall(text):
        yield from (f"{document}-{at}" for at in range(int(first), int(last or first) + 1))


def _done() -> list[str]:
    sections = [(match[1], match[0]) for match in _SECTION.finditer(_PAGE)]
    assert [document for document, _ in sections] == ["000", "001", "002", "003", "004"]
    found: list[str] = []
    for document, text in sections:
        (ranges,) = _DONE.findall(text)
        found += _numbers(document, ranges)
    return found


def _different() -> list[str]:
    return [
        number
        for cell in _ROW.findall(_PAGE)
        for number in _numbers(cell[:3], cell.replace(f"{cell[:3]}-", ""))
    ]


def test_each_clause_is_done_or_different() -> None:
    counted = Counter([*_done(), *_different()])
    assert {number for number, count in counted.items() if count > 1} == set()
    assert counted.keys() ^ _CLAUSES == set()


def test_what_runs_as_different_has_its_reason() -> None:
    tests = "\n".join(path.read_text("utf-8") for path in _HERE.glob("test_*.py"))
    run = re.findall(r"^def test_(\d{3})_(\d+)_different_", tests, re.M)
    assert {f"{document}-{number}" for document, number in run} - {*_different()} == set()
