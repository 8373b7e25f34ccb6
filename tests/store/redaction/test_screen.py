"""The screen lets nothing through that the rules take out, and most texts without them."""

from __future__ import annotations

import string
from collections.abc import Callable
from importlib import import_module
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from store.redaction.sanitizer import sanitize
from store.redaction.screen import _MOST, _RUN, _long_runs, may_hold_secret, suspects
from store.redaction.vendor_rules import vendor_rules, vendor_spans
from tests.bench.generate import observations
from tests.store.redaction.test_sanitizer import ALNUM, EXAMPLES, STRONG, TOKEN, WORD, drawn

PARSER: Any = import_module("re._parser")
NAMES = (
    "password senha pwd pass secret token_pw api_key API-KEY dbPassword DB_PASSWORD --db-password"
    " auth Authorization credentials jwt Bearer Basic webhook otp seed salt chave pw sig signature"
    " dsn pin license session_id sessionId pat accessKeyId Cookie curl mysql sshpass -p -u"
    " redis-cli kind: Secret data: hooks /hooks/ https://u: eyJ ZXlK 123456:A <private </private>"
    " jira sk_live_ paſſword slack stripe okta lob test_ s. npm_ issue-29 the deploy note"
).split()
BETWEEN = (
    ' |=|: | = |\n|\t| is | was | to | as | for |: \'|"|\': "|`|`.|.|, |,"|->|=>|<|>|/|@|::|:= '
    '| as the | for the deploy key| on staging is |\\n|\\"|**| **|(|)|]|\n value: |&|?|…|é |--|- '
).split("|")
VALUES = (
    WORD, STRONG, TOKEN, TOKEN[:12], TOKEN[:16].lower(), drawn(32, "0123456789abcdef"), drawn(60),
    drawn(40, ALNUM + "-_./+=~"), "swordfish", "correct horse 1", "abc²def", "über$geheim",
    "A1B2-C3D4-E5F6-G7H8", "user:" + TOKEN[:8],
)  # fmt: skip


@pytest.mark.parametrize("change", [str, str.upper, str.lower, str.title])
def test_what_holds_a_secret_is_told(change: Callable[[str], str]) -> None:
    for template, secret in EXAMPLES:
        text = secret.join(map(change, template.replace("!r", "").format("\0").split("\0")))
        assert may_hold_secret(text) or sanitize(text).text == text


def test_no_vendors_token_passes() -> None:
    held = 0
    for rule in vendor_rules():
        drawn_from = Random(rule.name)
        for _ in range(5):
            text = f"see {_written(PARSER.parse(rule.source), drawn_from)} there"
            found = list(vendor_spans(text))
            assert may_hold_secret(text) or not found, (rule.name, text)
            held += bool(found)
    assert held > 3 * len(vendor_rules())


@settings(max_examples=400, deadline=None)
@given(st.lists(st.sampled_from([*NAMES, *BETWEEN, *VALUES]), max_size=9).map("".join))
def test_what_the_rules_change_never_passes(text: str) -> None:
    assert may_hold_secret(text) or sanitize(text).text == text


PIECES = st.lists(st.sampled_from([*NAMES, *BETWEEN, *VALUES, "İ"]), max_size=9).map("".join)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.lists(PIECES, max_size=3).map(tuple), max_size=6))
def test_of_several_that_are_read_at_once_none_passes_that_the_rules_change(
    several: list[tuple[str, ...]],
) -> None:
    held = suspects(several)
    assert all(any(map(may_hold_secret, it)) for it in held)
    others = [text for it in several if it not in held for text in it]
    assert [sanitize(text).text for text in others] == others


@settings(max_examples=100, deadline=None)
@given(PIECES, PIECES)
def test_what_may_be_taken_out_of_the_beginning_of_a_text_may_be_taken_out_of_it(
    beginning: str, rest: str
) -> None:
    whole = beginning + rest
    assert may_hold_secret(whole) or not may_hold_secret(beginning)
    assert bool(suspects([(whole, beginning)])) == may_hold_secret(whole)


def test_of_many_texts_those_that_may_hold_a_secret_are_told_long_ones_too() -> None:
    lock = "The lock is held for five seconds. " * 9
    texts: list[tuple[str, ...]] = [(f"note {at}", lock) for at in range(90)]
    held = [(f"the api key is {TOKEN}",), ("plain", f"password={STRONG}"), ("x" * (_MOST + 1),)]
    for at, each in enumerate(held):
        texts.insert(40 * at, each)
    assert suspects(texts) == held


def test_digits_of_any_kind_are_digits() -> None:
    digits = [each for each in map(chr, range(0x20000)) if each.isdigit()]
    assert len(digits) > 700
    for digit in digits:
        text = f"the api key abx{digit}dzf-psshkwrqnpm"
        assert may_hold_secret(text)
    assert sanitize("the api key abx²dzf-psshkwrqnpm").redactions


def test_most_of_what_is_written_passes() -> None:
    texts = [f"{each.summary}\n{each.content}" for each in observations(300)]
    assert sum(map(may_hold_secret, texts)) < 10
    assert not may_hold_secret("Chose the token bucket: it is fair, and the key is short to read")


@settings(max_examples=200, deadline=None)
@given(st.text(st.sampled_from([*"aZ09_+/=.~-? \n,:<", "é", "²", "字", "\ud800"]), max_size=80))
def test_every_long_run_is_found(text: str) -> None:
    found = [run.span() for run in _long_runs(text)]
    assert found == [run.span() for run in _RUN.finditer(text)]


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
        assert [text[it.start : it.end] for it in vendor_spans(text)] == [token]
    for text in (f"x{token}", f"{token}x", f"_{token}"):
        assert not list(vendor_spans(text))


@pytest.mark.parametrize("long", [500, 2_700, 7_999])
def test_one_that_holds_a_secret_is_told_wherever_it_stands_among_others(long: int) -> None:
    words = "The lock is held for five seconds. "
    plain = [(f"{at} {words * (long // len(words))}",) for at in range(2 * _MOST // long + 3)]
    for at in range(len(plain)):
        held = (f"{at} password={STRONG} {plain[at][0][: long - 40]}",)
        assert suspects([*plain[:at], held, *plain[at + 1 :]]) == [held]
        shared = [*plain[:at], (plain[at][0], f"key={TOKEN}"), *plain[at + 1 :]]
        assert suspects(shared) == [shared[at]]
    both = [("Plain", f"key={TOKEN}"), ("Plain",), (f"key={TOKEN}",)]
    assert suspects(both) == [both[0], both[2]]
