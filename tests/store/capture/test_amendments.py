"""Which held decision a new one says it changes."""

from __future__ import annotations

from typing import Any

import pytest

from store.capture.decisions.amendments import amended_by
from store.model import Category, Observation
from tests.store.factories import observation

RULE = "The lock of the manifest waits five seconds for its holder."
NEW = "Amended rule: the lock of the manifest waits nine seconds for its holder now."


def _held(content: str = RULE, **fields: Any) -> Observation:  # noqa: ANN401
    return observation(content, **{"id": "held", "session_id": "earlier", **fields})


@pytest.mark.parametrize(
    ("held", "is_amended"),
    [
        ({}, True),
        ({"category": Category.LESSON}, True),
        ({"category": Category.KEY_FACT}, True),
        ({"category": Category.CODE_CHANGE}, False),
        ({"archived": True}, False),
        ({"session_id": "now"}, False),
        ({"content": f"{RULE}\nBecause nobody holds it longer, as the tests of tills show."}, True),
        ({"content": "The lock waits for others."}, False),
        (
            {"content": f"{RULE} Tills, carts, menus, queues, coupons and gates never do."},
            False,
        ),
    ],
)
def test_only_what_still_settles_the_same_matter_is_amended(
    held: dict[str, Any], is_amended: bool
) -> None:
    new = observation(NEW, session_id="now")
    assert amended_by(new, [_held(**held)]) == ("held" if is_amended else "")


def test_the_nearest_is_amended_whatever_stands_before_it() -> None:
    far = _held("The lock of the manifest waits five seconds in tills.", id="far")
    for told in ([far, _held()], [_held(), far]):
        assert amended_by(observation(NEW, session_id="now"), told) == "held"


@pytest.mark.parametrize(
    "new", [{"content": RULE}, {"content": NEW, "category": Category.CODE_CHANGE}]
)
def test_what_says_no_change_or_settles_nothing_amends_nothing(new: dict[str, Any]) -> None:
    assert amended_by(observation(**{"session_id": "now", **new}), [_held()]) == ""


def test_of_two_that_are_as_near_the_first_is_amended() -> None:
    for first, second in (("a", "b"), ("b", "a")):
        held = [_held(id=first), _held(id=second)]
        assert amended_by(observation(NEW, session_id="now"), held) == first
