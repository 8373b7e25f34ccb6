from __future__ import annotations

from typing import Any, cast

import pytest

from memtui.tui.frame.routes import History, Prompt, Route, Session


def test_a_route_carries_what_it_names() -> None:
    route = Session("s1", memory="m1")
    assert (route.id, route.message, route.memory) == ("s1", "", "m1")
    assert Prompt("Tag", "Which?").check("anything") == ""
    assert Prompt("Tag", "Which?", check=str.upper).check("a") == "A"


@pytest.mark.parametrize(
    ("route", "values", "named"),
    [
        (Session, (), {}),
        (Session, ("s1",), {"id": "s2"}),
        (Session, ("s1", "", "", True), {}),
        (History, (1,), {}),
    ],
)
def test_a_route_takes_what_it_names_alone(
    route: type[Route[Any]], values: tuple[object, ...], named: dict[str, object]
) -> None:
    with pytest.raises(TypeError, match="argument"):
        cast(Any, route)(*values, **named)
