"""A record as it is laid out in its file, whatever its values need."""

from __future__ import annotations

import json
import math

import pytest

from store.records import as_json


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
