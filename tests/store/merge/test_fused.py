"""Memories that a merge of lines fused, told apart: three, torn lists, and by their history."""

from __future__ import annotations

from typing import Any

from store.merge.fused import from_history, read_lines, take_apart
from tests.store.factories import record

BASE = record("a")


def test_of_three_that_were_fused_each_takes_its_own_and_the_last_what_is_missing() -> None:
    names, agents = ("a", "b", "c"), ("x", "y")
    pairs: list[tuple[str, Any]] = [("id", name) for name in names]
    pairs += [("agent", agent) for agent in agents]
    pairs += [("content", f"Of {name}") for name in names]
    pairs += [("tokens", 7), ("sessionId", "s"), *(("tags", [name]) for name in "wxyz")]
    told = take_apart(pairs)
    assert [(it["id"], it["agent"], it["content"]) for it in told] == [
        ("a", "x", "Of a"),
        ("b", "y", "Of b"),
        ("c", "y", "Of c"),
    ]
    assert [(it["tokens"], it["sessionId"]) for it in told] == [(7, "s")] * 3
    assert [it["tags"] for it in told] == [["w"], ["x"], ["z"]]


def test_a_line_that_was_parted_from_its_list_is_in_it_once() -> None:
    head = '{\n  "observations": [\n    {\n      "id": "a",\n'
    stray = '      "tags": [\n        "x",\n        "y"\n      ],\n      "tokens": 7,\n'
    lines = '        "y",\n        "z",\n        "z"\n'
    read = read_lines(f"{head}{stray}{lines}")
    assert read == ({}, [[("id", "a"), ("tags", ["x", "y", "z"]), ("tokens", 7)]])


def test_what_was_fused_is_found_for_each_memory_in_it() -> None:
    one, other, third = ({**BASE, "id": name, "content": f"Of {name}"} for name in "abc")
    pairs = [*one.items(), *other.items(), *third.items()]
    sides: list[dict[str, Any]] = [{}, {"a": one, "b": other}, {"c": third}]
    assert from_history(pairs, sides) == [one, other, third]
    assert from_history(pairs, [{}, {"a": one}, {"c": third}]) is None
    said = {**other, "tags": ["torn", "apart"]}
    assert from_history(pairs, [{}, {"a": one, "b": said}, {"c": third}]) == [one, said, third]
