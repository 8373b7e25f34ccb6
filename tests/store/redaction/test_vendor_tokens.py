"""The rules of vendors find tokens that are made by their own patterns."""

from __future__ import annotations

import string
from importlib import import_module
from random import Random
from typing import Any

from store.redaction.sanitizer import words_in
from store.redaction.span import Span
from store.redaction.vendor_rules import vendor_rules, vendor_spans
from tests.store.redaction.test_sanitizer import ALNUM

PARSER: Any = import_module("re._parser")


def _spans(text: str) -> list[Span]:
    return list(vendor_spans(text, words_in(text)))


def test_each_rule_finds_tokens_of_its_form() -> None:
    held = 0
    for rule in vendor_rules():
        drawn_from = Random(rule.name)
        for _ in range(2):
            text = f"see {_written(PARSER.parse(rule.source), drawn_from)} there"
            held += any(_spans(text))
    assert held > 1.2 * len(vendor_rules())


def _written(parsed: Any, random: Random) -> str:  # noqa: ANN401 - the parser has no types
    """A text that a pattern matches, as few of everything as it takes."""
    text = ""
    for name, value in parsed:
        match str(name):
            case "LITERAL":
                text += chr(value)
            case "IN":
                text += random.choice(_letters(value))
            case "MAX_REPEAT" | "MIN_REPEAT":
                text += "".join(_written(value[2], random) for _ in range(value[0]))
            case "SUBPATTERN":
                text += _written(value[3], random)
            case "BRANCH":
                text += _written(random.choice(value[1]), random)
    return text


def _letters(members: Any) -> str:  # noqa: ANN401 - as above
    found = ""
    for name, value in members:
        match str(name):
            case "LITERAL":
                found += chr(value)
            case "RANGE":
                found += "".join(map(chr, range(value[0], value[1] + 1)))
            case "CATEGORY":
                found += {"CATEGORY_DIGIT": string.digits, "CATEGORY_SPACE": " "}.get(
                    str(value), ALNUM
                )
    return found


def test_a_token_that_stands_by_itself_is_none_within_a_word() -> None:
    token = "".join(("LTAI", "5tQx8Kp2Zr", "7Vb3Nw9Ymc"))
    for text in (token, f"key {token};", f'"{token}"'):
        assert [text[it.start : it.end] for it in _spans(text)] == [token]
    for text in (f"x{token}", f"{token}x", f"_{token}"):
        assert not _spans(text)
