"""Where a sensitive name may stand in a text, whatever its letters are."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from store.redaction.name_hints import _HINTS, _PLAIN_HINTS, name_hints
from store.redaction.rules import words_in

_PARTS = [*_PLAIN_HINTS, *_HINTS, "session_id", "signature", "license", "_dsn", *" _éßſ\u212a"]


@given(st.lists(st.sampled_from([*_PARTS, *map(str.upper, _PARTS)]) | st.text(max_size=3)))
def test_hints_are_found_as_their_patterns_find_them(parts: list[str]) -> None:
    text = "".join(parts)
    wanted = [
        match.span()
        for mark, pattern in {**{it: it for it in _PLAIN_HINTS}, **_HINTS}.items()
        if mark in text.casefold()
        for match in re.finditer(pattern, text, re.I)
    ]
    found = name_hints(text, words_in(text))
    assert sorted(found) == sorted(wanted)
    assert [start for start, _ in found] == sorted(start for start, _ in wanted)
