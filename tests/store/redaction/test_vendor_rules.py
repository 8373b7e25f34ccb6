"""A rule of a vendor: what of all that looks like a token is one, and when it is asked."""

from __future__ import annotations

import string
from collections.abc import Sequence
from importlib import import_module
from random import Random
from typing import Any

import pytest

from store.redaction.rules import words_in
from store.redaction.span import Span
from store.redaction.vendor_rules import VendorRule, vendor_rules, vendor_spans
from tests.store.redaction.test_sanitizer import ALNUM

PLAIN, RANDOM, OTHER, EXAMPLE = "aaaaaaaa", "k3j9xq2m", "p7vl5nr8", "example7"


def _rule(name: str = "shop", **given: object) -> VendorRule:
    fields: dict[str, object] = {
        "source": r"sh_(?P<secret>[a-z0-9]{8})",
        "keywords": ("sh_",),
        "least_entropy": 2.0,
        "unless": "example",
        **given,
    }
    return VendorRule(name, **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("written", "found"),
    [
        ((RANDOM, OTHER), (RANDOM, OTHER)),
        ((PLAIN, RANDOM), (RANDOM,)),
        ((EXAMPLE, RANDOM, PLAIN, OTHER, EXAMPLE), (RANDOM, OTHER)),
        ((PLAIN, EXAMPLE), ()),
        ((), ()),
    ],
)
def test_what_is_no_secret_hides_none_that_stands_behind_it(
    written: Sequence[str], found: Sequence[str]
) -> None:
    text = " ".join(f"sh_{it}" for it in written)
    spans = list(_rule().spans(text))
    assert tuple(text[it.start : it.end] for it in spans) == found
    assert {it.rule for it in spans} <= {"shop"}


def test_without_exceptions_and_without_a_least_entropy_all_are_found() -> None:
    text = " ".join(f"sh_{it}" for it in (PLAIN, EXAMPLE, RANDOM))
    assert len(list(_rule(unless="").spans(text))) == 2
    assert len(list(_rule(least_entropy=0.0).spans(text))) == 2
    assert len(list(_rule(least_entropy=0.0, unless="").spans(text))) == 3


# The rules of vendors find tokens that are made by their own patterns.

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
