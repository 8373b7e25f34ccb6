"""What is to be known before a memory is taken at its word."""

from __future__ import annotations

import pytest

from store.recall.caveats import with_caveats
from store.recall.request import RecallRequest
from tests.store.recall.makers import observation


@pytest.mark.parametrize(
    ("unmerged", "amends", "said"),
    [
        ((), {}, ""),
        (("other",), {}, ""),
        (("fix",), {}, "(on branch fix, not merged) "),
        ((), {"a": "amended 1 Mar by b"}, "(amended 1 Mar by b) "),
        (("fix",), {"a": "amended"}, "(on branch fix, not merged; amended) "),
        ((), {"b": "amended"}, ""),
    ],
)
def test_what_is_told_of_a_memory_begins_with_its_caveats(
    unmerged: tuple[str, ...], amends: dict[str, str], said: str
) -> None:
    it = observation("It waits.", id="a", summary="Waits", extra={"branch": "fix"})
    clean = with_caveats(lambda it: it, RecallRequest(unmerged=unmerged), amends)
    assert clean(it) == it._replace(content=f"{said}It waits.", summary=f"{said}Waits")
