"""Secrets in texts, by vendors' rules and the names they have."""

from __future__ import annotations

import random
import re
import string
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from random import Random
from time import process_time
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.model import Observation
from store.redaction import context_rules, vendor_rules
from store.redaction.assignments import assignment_spans
from store.redaction.name_hints import _HINTS, _PLAIN_HINTS, name_hints
from store.redaction.private_blocks import remove_private
from store.redaction.rules import words_in
from store.redaction.sanitizer import clean_observation, sanitize
from store.redaction.span import Span
from store.redaction.spoken import spoken_spans
from store.redaction.vendor_rules import VendorRule, vendor_spans

ALNUM = string.ascii_letters + string.digits


def drawn(length: int, alphabet: str = ALNUM, seed: int = 7) -> str:
    """A random word of that length, the same in every run."""
    return "".join(random.Random(seed).choices(alphabet, k=length))


HEX = drawn(32, "0123456789abcdef")
TOKEN = drawn(24)
WORD = "hunter" + "22"
STRONG = "Tr0ub4" + "dor&3"
AWS = "AKIA" + drawn(16, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
GITHUB = "ghp_" + drawn(36)
"""Begins like TOKEN, so that marking the one must not cut the other in two."""
JWT = ".".join(["ey" + "J" + drawn(20), "ey" + "J" + drawn(40, seed=8), drawn(30, seed=9)])
BASIC = "dXNlcjp" + drawn(12)


EXAMPLES = [
    ("aws configure set {}", AWS),
    ("pushed with {} by mistake", GITHUB),
    ("session was {}", JWT),
    ("acme_TOKEN := {!r}", TOKEN),
    ('  "acmeToken" => "{}"', TOKEN),
    ('System.setProperty("ACME_TOKEN", "{}")', TOKEN),
    ('{{"config.ini": "ACME_TOKEN={}\\nBACKUP=true"}}', TOKEN),
    ("<acmeToken>\n    {}\n</acmeToken>", TOKEN),
    ("var acmeToken string = `{}`", TOKEN),
    ('{{"api_key": "{}"}}', TOKEN),
    ('"{{\\"secret\\": \\"{}\\"}}"', TOKEN),
    ("client_secret: {}", TOKEN),
    ("- name: ACME_TOKEN\n  value: {}", TOKEN),
    ("https://x.example/c?sv=20&sig={}", TOKEN),
    ("AccountKey={};EndpointSuffix=x", TOKEN),
    ("deploy --token {}", TOKEN),
    ("deploy --token={}", TOKEN),
    ("set the token to `{}` please", TOKEN),
    ("X-Api-Key: {}", TOKEN),
    ("the deploy key {} is in the vault", TOKEN),
    ("use {} as the Stripe API key", TOKEN),
    ("`{}` is our weather token", TOKEN),
    ("the API key {} expires in May", HEX),
    ("I pasted `{}` into the form", TOKEN + "aB3"),
    ("Authorization: Bearer {}", TOKEN),
    ("authorization: basic {}", BASIC),
    ("Cookie: theme=dark; sessionid={}", TOKEN),
    ("Set-Cookie: auth={}; Path=/", TOKEN),
    ("password: {}", WORD),
    ("senha: {}", WORD),
    ("a senha do banco é {}", WORD),
    ("The password for staging is {}", STRONG),
    ("The password for the database on the server is {}", STRONG),
    ("a senha para o banco é {}", WORD),
    ("login bob / password {}", STRONG),
    ('{{"password": "{}"}}', "correct horse " + "battery 9"),
    ("DB_PASSWORD={}", "let" + "mein"),
    ("mysql -u root -p{} shop", WORD),
    ("sshpass -p '{}' ssh host", WORD),
    ("docker login -u bob -p {} hub", WORD),
    ("redis-cli -a {} ping", WORD),
    ("echo 'root:{}' | sudo chpasswd", WORD),
    ("log in as bob with the pw {}", STRONG),
    ("run --key=token={}", TOKEN),
    ("curl -s -u bob:{} https://x.example", WORD),
    ("curl -s -u {}: https://x.example", TOKEN),
    ("curl https://x.example \\\n  --user bob:'{}'", WORD),
    ("postgres://app:{}@db/app", WORD),
    ("redis://:{}@cache:6379", WORD),
    ("postgres://app:a@b.c@{}@db/app", WORD),
    ("https://{}@git.example/x.git", TOKEN),
    ("SENTRY_DSN=https://{}@o1.ingest.sentry.io/2", HEX),
    ("https://hooks.example.com/services/T0/{}", TOKEN),
    ("https://chat.example/api/webhooks/12/{}", TOKEN),
    ("bot 123456789:A{}", drawn(34)),
    ("kind: Secret\ndata:\n  pw: {}\n", drawn(16, ALNUM)),
    ("kind: Secret\ndata:\n  pw: |\n    {}\nmetadata:\n  name: x", drawn(20)),
    ("acme_live_{}", drawn(28)),
]


@pytest.mark.parametrize(("template", "secret"), EXAMPLES)
def test_a_secret_goes_and_a_named_mark_stays(template: str, secret: str) -> None:
    clean = sanitize(template.format(secret))
    assert secret not in clean.text
    assert clean.redactions
    for mark in clean.redactions:
        assert mark in clean.text
        assert ":" not in mark
        assert mark.startswith("[redacted ")


def _by_all_rules(text: str) -> list[Span]:
    """What the rules of context find where none is passed over for what a text doesn't hold."""
    hints = name_hints(text, words_in(text))
    with patch.object(context_rules, "_schemes_with_values", _all_schemes):
        return [
            *(span for _, rule in context_rules._LOGIN_RULES for span in rule(text)),
            *context_rules._authorization(text, {}),
            *(span for _, rule in context_rules._RULES for span in rule(text)),
            *context_rules._tokens_by_shape(text),
            *assignment_spans(text, hints),
            *spoken_spans(text, hints),
        ]


def _all_schemes(text: str, _: object) -> Iterator[re.Match[str]]:
    return context_rules._BEARER.finditer(text)


@pytest.mark.parametrize("change", [str, str.upper, str.lower, str.title])
def test_no_rule_is_passed_over_where_it_would_find_something(change: Callable[[str], str]) -> None:
    for template, secret in EXAMPLES:
        text = secret.join(map(change, template.replace("!r", "").format("\0").split("\0")))
        assert list(context_rules.context_spans(text, words_in(text))) == _by_all_rules(text)


@pytest.mark.parametrize(
    "text",
    [
        f"commit {drawn(40, '0123456789abcdef')}",
        "id: 123e4567-e89b-12d3-a456-426614174000",
        "session:123e4567-e89b-12d3-a456-426614174000#12",
        f"tool:toolu_01{drawn(22)}",
        "obs-engineer-29-1709035200000-a1b2c3",
        f"sha512-{drawn(86)}==",
        "tokens: 245000, max_tokens=4096",
        "password: str = Field(...)",
        "def login(user, password=None): token = self.get_token(user)",
        "const apiKey = process.env.API_KEY",
        "NPM_TOKEN: ${{ secrets.NPM_TOKEN }}",
        "password is required and the token is expired",
        "sort key is created_at; primary_key=True; key=lambda x: x[1]",
        "auth: Depends(get_current_user)",
        "PWD=/home/someone/project",
        "Bearer token authentication; Basic authentication",
        "curl -u user:password https://x.example",
        'curl -u "$USER:$PASSWORD" https://x.example',
        "secretName: my-tls-secret-2024",
        "src/store/text/sanitizer.py",
        "postgres://user:password@localhost/db",
        "https://user@example.com/path",
        "apiVersion: v1\nkind: Secret\ndata:\n  csrf: ''\n",
        "the secret is that we cache it",
        "API_KEY=xxxxxxxxxxxxxxxxxxxxxxxx",
        "token='<your token here>'",
        "Give the token src/query.tsx needs",
        "Now it reads the token src/query.tsx. Then it waits",
        "The password was auth/cache.toml until now",
        "--- PASS: TestLoad_V2/sub_1 (0.01s)",
        "PASS: tests/test_a.py::test_b2",
        "Skipped: check_17b",
        "Pass to `format2` and go on",
        "for user and password, `63e6c74` quotes them",
        "APIKey:     ShopAPIKey,",
        f"restored from key: tools-v0-linux-x64-{drawn(64, '0123456789abcdef')}",
        f"the cache key {TOKEN} is stale",
        f"the key {HEX} names its content",
        f"written as `{drawn(40, '0123456789abcdef')}`",
        f"the key agent_msg_{drawn(24)} is an id",
        "invalid passwd next_id=2026-01-27-da8007e2",
    ],
)
def test_ordinary_text_is_left_alone(text: str) -> None:
    assert sanitize(text) == sanitize(text).__class__(text)


def test_the_same_secret_gives_the_same_mark() -> None:
    one = sanitize(f"token={TOKEN}")
    other = sanitize(f"Authorization: Bearer {TOKEN}")
    assert one.redactions[0][-5:] == other.redactions[0][-5:]
    assert sanitize(f"token={drawn(24, seed=3)}").redactions != one.redactions


def test_a_repeated_secret_goes_where_nothing_gives_it_away() -> None:
    clean = sanitize(f"token={TOKEN}\nand later just {TOKEN}.")
    assert TOKEN not in clean.text
    assert len(clean.redactions) == 1


def test_a_match_reaches_to_the_end_of_its_token() -> None:
    tail = "-" + drawn(12, string.ascii_lowercase)
    assert tail not in sanitize(f"see {AWS}{tail} there").text


def test_a_private_key_goes_with_all_its_lines() -> None:
    kind = "RSA PRIVATE" + " KEY"
    body = "\n".join(drawn(64, seed=seed) for seed in range(5))
    block = f"-----BEGIN {kind}-----\n{body}\n-----END {kind}-----"
    assert sanitize(f"before\n{block}\nafter").text.startswith("before\n[redacted private-key ")
    assert sanitize(f"before\n{block}\nafter").text.endswith("]\nafter")
    cut = sanitize(f"-----BEGIN {kind}-----\n{body}")
    assert not any(line in cut.text for line in body.splitlines())
    escaped = sanitize(f'"key": "{block}"'.replace("\n", "\\n"))
    assert not any(line in escaped.text for line in body.splitlines())


def test_a_private_key_across_two_pieces_goes_whole() -> None:
    kind = "PRIVATE" + " KEY"
    body = "\n".join(drawn(64, seed=seed) for seed in range(50))
    text = "word " * 1_300 + f"-----BEGIN {kind}-----\n{body}\n-----END {kind}-----" + " word" * 500
    clean = sanitize(text).text
    assert not any(line in clean for line in body.splitlines())


def test_a_secret_across_two_pieces_is_found() -> None:
    for offset in (6_900, 7_500, *range(7_950, 8_000, 10)):
        text = "word " * (offset // 5) + f"token={TOKEN} " + "word " * 2_000
        clean = sanitize(text).text
        assert not any(TOKEN[at : at + 8] in clean for at in range(len(TOKEN) - 8))


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("a <private>b</private> c", "a  c"),
        ("a <PRIVATE reason='x'>b\nc</Private> d", "a  d"),
        ("a <private>b", "a "),
        ("a <private>b <private>c</private> d</private> e", "a  e"),
        ("a <pri<private>x</private>vate>y</private>z", "a z"),
        ("nothing here", "nothing here"),
        ("a private </private> word", "a private </private> word"),
    ],
)
def test_private_blocks_are_removed(text: str, left: str) -> None:
    assert remove_private(text)[0] == left
    assert remove_private(left) == (left, 0)


def test_nested_private_blocks_cannot_stall_it() -> None:
    deep = "<pri" * 2_000 + "<private>x</private>" + "vate>" * 2_000
    assert "<private" not in remove_private(deep)[0]


def test_a_secret_only_known_from_a_later_field_goes_too() -> None:
    observation = Observation(
        agent="engineer", issue_number=0, category="error", content=f"saw {TOKEN}", summary="x"
    )
    cleaned, _ = clean_observation(observation._replace(tags=(f"token={TOKEN}",)))
    assert TOKEN not in cleaned.content


_PIECES = st.sampled_from(
    [f"token={TOKEN}", f"password: {WORD}", JWT, AWS, "<private>", "</private>",
     "[redacted token 1a2b]", "Cookie: a=", "https://u:", "@host ", "=", ": ", '"', "\n", " key ",
     "secret"]
)  # fmt: skip


@given(st.lists(st.one_of(_PIECES, st.text(max_size=12)), max_size=12).map("".join))
def test_cleaning_twice_changes_nothing(text: str) -> None:
    once = sanitize(text)
    assert sanitize(once.text).text == once.text


def test_every_vendor_rule_compiles() -> None:
    rules = vendor_rules.vendor_rules()
    assert len(rules) > 200
    for rule in rules:
        assert "secret" in rule.pattern.groupindex
        assert rule.keywords
        re.compile(rule.unless)


KEYWORDS = sorted({keyword for rule in vendor_rules.vendor_rules() for keyword in rule.keywords})


@given(st.lists(st.sampled_from(KEYWORDS) | st.text(max_size=4), max_size=12).map("".join))
def test_a_rule_is_tried_where_one_of_its_keywords_stands(text: str) -> None:
    held = {
        rule.name
        for rule in vendor_rules.vendor_rules()
        if any(keyword.lower() in text.casefold() for keyword in rule.keywords)
    }
    assert {rule.name for rule in vendor_rules.rules_for(words_in(text))} == held


def test_a_secret_at_the_end_of_a_text_a_little_longer_than_a_piece_is_found() -> None:
    for words in range(1_590, 1_800, 15):
        assert TOKEN not in sanitize("word " * words + f"token={TOKEN}").text


def test_a_secret_is_looked_for_in_each_document_of_a_manifest() -> None:
    maps = "kind: ConfigMap\ndata:\n  a: cGxhaW4gd29yZHMh\n"
    held = sanitize(f"{maps}---\n{maps}---\nkind: Secret\ndata:\n  b: aGVsbG8gd29ybGQhIQ==\n")
    assert "aGVsbG8gd29ybGQhIQ" not in held.text
    assert held.text.startswith(maps)


def test_a_short_secret_goes_where_its_name_tells_alone() -> None:
    """Elsewhere it may be any word."""
    assert sanitize("password: s3cr3t, then the s3cr3t word").text.endswith("the s3cr3t word")


def test_a_short_bearer_is_none_and_a_longer_one_is() -> None:
    for word, is_kept in (("q7Zx9K2", True), ("q7Zx9K2m", False)):
        assert (word in sanitize(f"Authorization: Bearer {word}").text) is is_kept


@pytest.mark.parametrize("end", [".", ",", ")", "?", ":;"])
def test_what_ends_a_sentence_is_no_part_of_a_password(end: str) -> None:
    said = sanitize(f"The password {STRONG}{end}").text
    assert STRONG not in said
    assert said.endswith(f"]{end}")


@pytest.mark.parametrize(
    "text",
    [
        ("eyJ" + "a" * 20 + ".") * 16_000,
        "token=" + "a1B2c3D4." * 40_000,
    ],
    ids=["one token of tokens", "assigned"],
)
def test_a_long_text_of_tokens_is_read_in_time_that_grows_as_it_does(text: str) -> None:
    started = process_time()
    sanitize(text)
    assert process_time() - started < 8, "the first took 20 s, by the square of its length"


# A rule of a vendor: what of all that looks like a token is one, and when it is asked.


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
    for rule in vendor_rules.vendor_rules():
        drawn_from = Random(rule.name)
        for _ in range(2):
            text = f"see {_written(PARSER.parse(rule.source), drawn_from)} there"
            held += any(_spans(text))
    assert held > 1.2 * len(vendor_rules.vendor_rules())


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


# Where a sensitive name may stand in a text, whatever its letters are.


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
