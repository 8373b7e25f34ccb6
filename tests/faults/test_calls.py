"""What each operation asks of the disk, in its order, and what comes of each call that fails.

A lock less, a sync less or two steps in another order are another list of calls; a failure that is
told otherwise, or leaves something else, is another line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from tests.faults.modes import Call, Fault, Kind, Mode
from tests.faults.operations import ALIKE, EVERY, OPERATIONS
from tests.faults.watched import Ground, Outcome

_RECORDS = re.compile(
    r"/(?:memory|archive|pending|issue-\d+|issue-\d+(?:-archived|\.recovered)?\.json)$"
    r"|^\.memory(?:/(?:dev|engineer))?(?:/\w+\.md)?$"
)
"""What every operation that asks the index reads."""
_MANY = 40
"""Calls of which each second one is to fail, unless each is to."""


@pytest.mark.parametrize("name", OPERATIONS)
def test_the_calls_of_an_operation(name: str, tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    done = Ground(tmp_path, OPERATIONS[name]).run()
    assert done.answer.startswith("done")
    assert not done.left
    assert "\n".join(done.calls) == snapshot


@pytest.mark.parametrize("name", [it for it in OPERATIONS if it not in ALIKE])
def test_what_comes_of_a_call_that_fails(
    name: str, tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    ground = Ground(tmp_path, OPERATIONS[name])
    done = ground.run()
    found = []
    points = list(_points(done, every=name in EVERY, forgets=name == "forget"))
    for point in points[:: 1 if len(points) <= _MANY or name in EVERY else 2]:
        failed = ground.run(Fault(point, Mode.IO_ERROR))
        assert failed.calls[: point + 1] == done.calls[: point + 1]
        found.append((done.calls[point], _what_came(failed, ground.before, done.files)))
    lines = []
    for came, calls in groupby(found, key=lambda it: it[1]):
        lines += [*(call for call, _ in calls), f"    {came}"]
    assert "\n".join(lines) == snapshot


def _points(done: Outcome, *, every: bool, forgets: bool) -> Iterator[int]:
    """The calls that are to fail, a read once but in what forgets: unless it is `every` one,
    neither those by which all operations read records, nor of those that make a file or a marker
    any but the last.
    """
    seen = set()
    for point, (line, call) in enumerate(zip(done.calls, done.made, strict=True)):
        is_again = call.kind is Kind.READ and line in seen and not forgets
        if not is_again and (every or _is_of_its_own(call)):
            yield point
        seen.add(line)


def _is_of_its_own(call: Call) -> bool:
    if call.kind is Kind.READ:
        return not _RECORDS.search(call.path)
    if call.kind is Kind.LOCK:
        return call.name != "unlock"
    return call.kind is not Kind.CLOSE and not call.path.endswith((".tmp", ".lock"))


def _what_came(failed: Outcome, before: dict[str, bytes], after: dict[str, bytes]) -> str:
    """What was answered, what stands and what is left behind."""
    stands = min(
        _standing("as after", failed.files, after), _standing("as before", failed.files, before)
    )
    return "\n    ".join(filter(None, [failed.answer, stands[1], failed.left]))


def _standing(name: str, stands: dict[str, bytes], wanted: dict[str, bytes]) -> tuple[int, str]:
    """How many files differ from those that are wanted, and which do."""
    there = {
        file: "missing" if file not in stands else "other" if file in wanted else "too"
        for file in sorted({*stands, *wanted})
        if stands.get(file) != wanted.get(file)
    }
    told = ", ".join(f"{file} {state}" for file, state in there.items())
    return len(there), f"{name} but {told}" if told else name
