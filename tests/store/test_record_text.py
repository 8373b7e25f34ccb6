"""A record as it is laid out in its file, whatever its values need."""

from __future__ import annotations

import json
import math

import pytest

from store.records import as_json, compact_json, new_record


@pytest.mark.parametrize("last", ["x", "größer", "\ud800", 2**70, math.nan, None, [], {}])
def test_any_value_is_laid_out_alike(last: object) -> None:
    text = as_json({"a": {"b": [1, "c"]}, "last": last})
    assert text.startswith(b'{\n  "a": {\n    "b": [\n      1,\n      "c"\n    ]\n  },\n  "last": ')
    assert text.endswith(b"\n}")
    read = json.loads(text)["last"]
    assert read == last or (isinstance(read, float) and math.isnan(read))


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_what_is_no_number_is_kept_wherever_it_stands(number: float) -> None:
    for value in ({"a": number}, [number], {"a": [1, {"b": [number, None]}]}):
        assert repr(json.loads(as_json(value))) == repr(value)


def test_keys_keep_their_order() -> None:
    value = {"b": 1, "a": {"d": 2, "c": 3}}
    for text in (as_json(value), compact_json(value)):
        assert list(json.loads(text)) == ["b", "a"]
        assert list(json.loads(text)["a"]) == ["d", "c"]


def test_a_record_stands_inside_a_list() -> None:
    assert new_record({"a": 1}).text == b'{\n      "a": 1\n    }'


@pytest.mark.parametrize("last", ["x", "größer", "\ud800", 2**70, None, [], {}])
def test_any_value_has_one_line(last: object) -> None:
    text = compact_json({"a": [1, "c"], "last": last})
    assert text.startswith(b'{"a":[1,"c"],"last":')
    assert b"\n" not in text
    assert json.loads(text)["last"] == last
