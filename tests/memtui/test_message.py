"""Messages that take the values that their classes name."""

from __future__ import annotations

from typing import ClassVar

import pytest

from memtui.tui.message import Message


class Told(Message, bubble=False):
    """Something, how often, and to whom."""

    kinds: ClassVar[tuple[str, ...]] = ()
    what: str
    times: int = 1


class ToldTo(Told, bubble=False):
    """What is told to somebody."""

    whom: str = "all"


def test_values_are_taken_in_their_order_by_name_or_as_usual() -> None:
    message = ToldTo("rain", whom="you")
    assert (message.what, message.times, message.whom) == ("rain", 1, "you")
    assert not message.bubble
    assert message.handler_name == "on_told_to"


def test_a_message_has_the_time_it_was_made() -> None:
    assert Told("rain").time > 0


@pytest.mark.parametrize(("values", "named"), [((), {}), (("a", 1, "b"), {}), (("a",), {"on": 1})])
def test_other_values_are_refused(values: tuple[object, ...], named: dict[str, object]) -> None:
    with pytest.raises(TypeError, match="Told takes what, times"):
        Told(*values, **named)  # type: ignore[arg-type]
