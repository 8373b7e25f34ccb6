"""A record as it is laid out in its file, whatever its values need."""

from __future__ import annotations

import json
import math

import pytest

from store.raw_record import as_json, compact_json, new_record


@pytest.mark.parametrize("last", ["x", "größer", "\ud800", 2**70, math.nan, None, [], {}])
def test_any_value_is_laid_out_alike(last: object) -> None:
    text = as_json({"a": {"b": [1, "c"]}, "last": last})
    assert text.startswith(b'{\n  "a": {\n    "b": [\n      1,\n      "c"\n    ]\n  },\n  "last": ')
    assert text.endswith(b"\n}")
    read = json.loads(text)["last"]
    assert read == last or (isinstance(read, float) and math.isnan(read))


def test_a_record_stands_inside_a_list() -> None:
    assert new_record({"a": 1}).text == b'{\n      "a": 1\n    }'


@pytest.mark.parametrize("last", ["x", "größer", "\ud800", 2**70, None, [], {}])
def test_any_value_has_one_line(last: object) -> None:
    text = compact_json({"a": [1, "c"], "last": last})
    assert text.startswith(b'{"a":[1,"c"],"last":')
    assert b"\n" not in text
    assert json.loads(text)["last"] == last
