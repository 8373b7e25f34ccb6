"""Each clause is run by one test or named with the reason why none can be."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

_HERE = Path(__file__).parent
_TEST = re.compile(r"^def test_(\d{3})_(\d+)_", re.MULTILINE)
LEAST_RUN = 300


def _lines(name: str) -> dict[str, str]:
    lines = (_HERE / name).read_text("utf-8").splitlines()
    return {line.split(" ", 1)[0]: line.partition(" ")[2] for line in lines}


def test_every_clause_is_run_once_or_named() -> None:
    modules = [path.read_text("utf-8") for path in _HERE.glob("test_*.py")]
    run = [f"{document}-{number}" for text in modules for document, number in _TEST.findall(text)]
    clauses, not_run = _lines("clauses.txt"), _lines("not_run.txt")
    found = Counter([*run, *not_run])
    assert len(clauses) == 337
    assert found.keys() == clauses.keys() and max(found.values()) == 1
    assert all(len(reason) > 20 for reason in not_run.values())
    assert len(run) >= LEAST_RUN
