"""Fields of JSON that anybody may have written."""

from __future__ import annotations

import json

import pytest

from store.platform.json_fields import integer, items, mapping, object_in, string, strings

ANYTHING = json.loads('[null, true, 0, 7, -7, 1.5, "", "a", [], ["a", 1, "b", null], {}, {"a": 1}]')
"""A value of each type, and of some two."""


def test_a_field_of_another_type_is_empty() -> None:
    assert [string(it) for it in ANYTHING if string(it)] == ["a"]
    assert [items(it) for it in ANYTHING if items(it)] == [["a", 1, "b", None]]
    assert [strings(it) for it in ANYTHING if strings(it)] == [("a", "b")]
    assert [mapping(it) for it in ANYTHING if mapping(it)] == [{"a": 1}]
    assert [integer(it) for it in ANYTHING] == [0, 0, 0, 7, -7, *[0] * 7]
    assert [integer(it, 3) for it in ANYTHING][:4] == [3, 3, 0, 7]


@pytest.mark.parametrize("text", [b"", b"[1]", b"null", b'{"a": ', b"\xff", b"[" * 100_000])
def test_a_text_that_is_no_object_is_an_empty_one(text: bytes) -> None:
    assert object_in(text) == {}
    assert object_in(b'{"a": 1}') == {"a": 1}
