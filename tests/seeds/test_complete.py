"""Of the clauses done so far, each is run by one test or named with the reason why none can be."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

_HERE = Path(__file__).parent
_TEST = re.compile(r"^def test_(\d{3})_(\d+)_", re.MULTILINE)
DONE_UP_TO = {"000": 118, "001": 26, "002": 79, "003": 30, "004": 44}
"""The last clause of each document up to which none is missing."""
LEAST_RUN = 285


def _first_words(name: str) -> list[str]:
    return [line.split(" ", 1)[0] for line in (_HERE / name).read_text("utf-8").splitlines()]


def _is_done(clause: str) -> bool:
    document, number = clause.split("-")
    return int(number) <= DONE_UP_TO.get(document, 0)


def test_every_clause_done_is_run_once_or_named() -> None:
    modules = [path.read_text("utf-8") for path in _HERE.glob("test_*.py")]
    run = [f"{document}-{number}" for text in modules for document, number in _TEST.findall(text)]
    clauses, found = _first_words("clauses.txt"), Counter(run + _first_words("not_run.txt"))
    assert len(clauses) == 337
    assert max(found.values()) == 1
    assert found.keys() <= set(clauses)
    assert {clause for clause in clauses if _is_done(clause)} <= found.keys()
    assert len(run) >= LEAST_RUN
