"""Each clause is run by one test or named with the reason why none can be."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

_HERE = Path(__file__).parent
_TEST = re.compile(r"^def test_(\d{3})((?:_\d+)+)_(different)?", re.MULTILINE)
_SECTION = re.compile(r"^## (\d{3}): .*?^Done: ([^;]*?)[;.](.*?)(?=^## )", re.MULTILINE | re.DOTALL)
_ROW = re.compile(r"^\| (\d{3}-[^|]*) \|", re.MULTILINE)
_NUMBERS = re.compile(r"(\d+)(?: to (\d+))?")
LEAST_RUN = 312


def _lines(name: str) -> dict[str, str]:
    lines = (_HERE / name).read_text("utf-8").splitlines()
    return {line.split(" ", 1)[0]: line.partition(" ")[2] for line in lines}


def _run() -> dict[str, list[bool]]:
    """The clauses of all tests, and for each test if memtui does something different."""
    run: dict[str, list[bool]] = {}
    for path in _HERE.glob("test_*.py"):
        for document, numbers, word in _TEST.findall(path.read_text("utf-8")):
            for number in numbers.split("_")[1:]:
                run.setdefault(f"{document}-{number}", []).append(bool(word))
    return run


def _numbers(document: str, text: str) -> list[str]:
    ranges = _NUMBERS.findall(text.replace(f"{document}-", ""))
    return [
        f"{document}-{it}"
        for first, last in ranges
        for it in range(int(first), int(last or first) + 1)
    ]


def test_every_clause_is_run_once_or_named() -> None:
    clauses, run, not_run = _lines("clauses.txt"), _run(), _lines("not_run.txt")
    assert len(clauses) == 337 and len(run) >= LEAST_RUN
    assert Counter([*run, *not_run]) == Counter(clauses.keys())
    assert [clause for clause, tests in run.items() if len(tests) > 1] == []
    assert all(len(reason) > 20 for reason in not_run.values())


def test_the_manual_says_of_each_clause_if_it_is_done_or_different() -> None:
    manual = (_HERE.parents[1] / "docs" / "seeds.md").read_text("utf-8")
    done, different = [], []
    for document, numbers, table in _SECTION.findall(manual):
        done += _numbers(document, numbers)
        different += [it for row in _ROW.findall(table) for it in _numbers(document, row)]
    assert Counter([*done, *different]) == Counter(_lines("clauses.txt").keys())
    named = {clause for clause, tests in _run().items() if tests[0]}
    assert named == set(different) & _run().keys()
