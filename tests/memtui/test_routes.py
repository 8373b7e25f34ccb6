from __future__ import annotations

from typing import Any, cast

import pytest

from memtui.tui.frame.routes import History, PickIssue, Prompt, Route


def test_a_route_carries_what_it_names() -> None:
    route = PickIssue({29: 3}, chosen=("29",))
    assert (route.counts, route.chosen, route.free) == ({29: 3}, ("29",), False)
    assert Prompt("Tag", "Which?").check("anything") == ""
    assert Prompt("Tag", "Which?", check=str.upper).check("a") == "A"


@pytest.mark.parametrize(
    ("route", "values", "named"),
    [
        (PickIssue, (), {}),
        (PickIssue, ({},), {"chosen": (), "counts": {}, "other": 1}),
        (PickIssue, ({}, (), True, 1), {}),
        (History, (1,), {}),
    ],
)
def test_a_route_takes_what_it_names_alone(
    route: type[Route[Any]], values: tuple[object, ...], named: dict[str, object]
) -> None:
    with pytest.raises(TypeError, match="argument"):
        cast(Any, route)(*values, **named)
