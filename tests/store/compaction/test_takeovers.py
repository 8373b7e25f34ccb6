from __future__ import annotations

import pytest

from store.compaction.model import Reason
from store.compaction.takeovers import takeovers
from store.model import Category, Observation
from tests.store.compaction.notes import note, planned

_FIRST = "Commands that worked here: run the tests: `make test`; lint: `make lint`"
_SECOND = (
    "Commands that worked here: run the tests: `make test --quick`; lint: `make lint`;"
    " build: `make till` in `shop`"
)
_THIRD = f"{_SECOND}; format: `make fmt`"


def _procedure(identifier: str, content: str, days: float, *sources: str) -> Observation:
    return note(identifier, content, days, category=Category.PROCEDURE, sources=sources)


def test_procedures_give_way_to_the_later_one_that_took_them_over() -> None:
    plan = planned(
        _procedure("p1", _FIRST, 40),
        _procedure("p2", _SECOND, 35, "p1", "session:s#3"),
        _procedure("p3", _THIRD, 30, "p2"),
    )
    (cluster,) = plan.clusters
    assert cluster.reason is Reason.SUPERSEDED
    assert cluster.merged.content == _THIRD
    assert [one.id for one in cluster.originals] == ["p3", "p2", "p1"]
    assert [(left.statement, left.instead) for left in cluster.left_out if left.superseded] == [
        ("run the tests: `make test`", "run the tests: `make test --quick`")
    ]
    assert planned(cluster.merged).is_empty


@pytest.mark.parametrize(
    ("older", "later", "is_superseded"),
    [
        ("test: `make test`", "test: `make test`", True),
        ("test: `make test`", "test: `make test --quick -v`", True),
        ("test: `make test -v`", "test: `make test --quick -v`", True),
        ("test: `make test -v`", "test: `make test`", False),
        ("test: `make test`", "test: `make test unit`", False),
        ("test: `make test`", "check: `make test`", False),
        ("test: `make test`", "test: `make test` in `shop`", False),
        ("test: `make test` in `shop`", "test: `make test -v` in `shop`", True),
        ("test: `make test`; lint: `make lint`", "test: `make test`", False),
    ],
)
def test_a_command_gives_way_to_the_same_with_more_options(
    older: str, later: str, is_superseded: bool
) -> None:
    head = "Commands that worked here: "
    held = [_procedure("p1", head + older, 40), _procedure("p2", head + later, 30, "p1")]
    assert [len(it.originals) for it in takeovers(held)] == [2] * is_superseded
    wide = _procedure("p3", f"{head}{later}; more: `x`", 20, "p2", "p1")
    found = takeovers([*held, wide])
    taken = [one.id for it in found for one in it.originals]
    assert len(taken) == len(set(taken))
    assert ("p1" in taken) is is_superseded
