"""A pattern made late is the pattern."""

from __future__ import annotations

import re

import pytest

from store.text.regex import regex


def test_a_pattern_is_compiled_when_it_is_first_used(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    compiled = re.compile

    def noted(source: str, flags: int = 0) -> re.Pattern[str]:
        made.append(source)
        return compiled(source, flags)

    monkeypatch.setattr(re, "compile", noted)
    late = regex(r"\bfix(?P<done>ed)?\b", re.I)
    assert made == []
    found = late.search("It is FIXED.")
    assert found is not None and found["done"] == "ED"
    assert [late.sub("-", "fix it"), late.fullmatch("fixes"), late.findall("fix Fixed")] == [
        "- it",
        None,
        ["", "ed"],
    ]
    assert made == [r"\bfix(?P<done>ed)?\b"]


def test_what_else_a_pattern_has_is_asked_of_it() -> None:
    late = regex(rb"a(?P<b>b)", re.S)
    assert (late.pattern, late.groups, dict(late.groupindex)) == (rb"a(?P<b>b)", 1, {"b": 1})
    assert late.flags & re.S
