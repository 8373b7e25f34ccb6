"""The secrets of some two hundred vendors, by what their tokens look like: `vendors.json`.

A `named` rule is a vendor's name or its variable, and close to it a value of its letters and
length; a `formed` one is a token that its own form gives away. A rule is compiled when one of its
keywords first occurs.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from store.errors import StoreError
from store.redaction.span import Span
from store.redaction.values import entropy

_FILE = Path(__file__).with_name("vendors.json")
_SHORT = {"<uuid>": "[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}"}
"""What a value may be written as, for short."""
_BETWEEN = r"""[ \t\w.-]{0,20}[\s'"]{0,3}(?:=>|[=>,]|:{1,3}=?|\|\||\?=)[`'"\s=]{0,5}"""
"""What stands between a name and its value: more of the name, and a sign of assignment."""
_AFTER = r"""(?=[`'"\s;]|\\[nr]|$)"""
"""What ends a value that is closed."""


@dataclass(frozen=True)
class VendorRule:
    """One vendor's format. Of what it finds, `unless` is no secret although it looks like one.

    One that `is_named` finds a value behind the vendor's name, others a token by its form.
    """

    name: str
    source: str
    keywords: tuple[str, ...]
    least_entropy: float
    unless: str
    is_named: bool = False

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """The compiled pattern; its group is the secret."""
        return re.compile(self.source)

    def spans(self, text: str) -> Iterator[Span]:
        for match in self.pattern.finditer(text):
            secret = match["secret"]
            if entropy(secret) < self.least_entropy:
                continue
            if self.unless and re.search(self.unless, secret):
                continue
            yield Span(*match.span("secret"), self.name)


def _named(rule: Mapping[str, Any]) -> str:
    """Return the pattern of a vendor's name with a value behind it."""
    value = _long(rule["value"])
    value = value if rule.get("cased") else f"(?i:{value})"
    return rf"(?i:{rule['words']}){_BETWEEN}(?P<secret>{value}){_AFTER}"


def _formed(rule: Mapping[str, Any]) -> str:
    """Return the pattern of a token; a `closed` one is by itself."""
    token = rf"(?P<secret>{_long(rule['token'])})"
    return rf"\b{token}{_AFTER}" if rule.get("closed") else token


def _long(pattern: str) -> str:
    for short, long in _SHORT.items():
        pattern = pattern.replace(short, long)
    return pattern


def _rule(rule: Mapping[str, Any]) -> VendorRule:
    words = str(rule.get("words", "")).lower().split("|")
    return VendorRule(
        name=rule["name"],
        source=_named(rule) if "words" in rule else _formed(rule),
        keywords=tuple(rule.get("keys", words)),
        least_entropy=float(rule.get("entropy", 0)),
        unless=rule.get("unless", ""),
        is_named="words" in rule,
    )


@cache
def vendor_rules() -> tuple[VendorRule, ...]:
    """Return all rules. Raises `StoreError` where their file is missing or damaged."""
    try:
        data = json.loads(_FILE.read_text(encoding="utf-8"))
        return tuple(_rule(rule) for rule in (*data["named"], *data["formed"]))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise StoreError(
            f"The rules that find secrets can't be read: {_FILE}.", "Reinstall memtui."
        ) from error


@cache
def numbers_by_keyword() -> Mapping[str, Sequence[int]]:
    """Return the numbers of the rules that have a keyword, by the keyword in small letters."""
    numbers: defaultdict[str, list[int]] = defaultdict(list)
    for number, rule in enumerate(vendor_rules()):
        for keyword in rule.keywords:
            numbers[keyword.lower()].append(number)
    return numbers


def rules_for(words: Iterable[str]) -> list[VendorRule]:
    """Return the rules that have one of some words in small letters as a keyword, in their order.

    Words that are no keyword are passed over.
    """
    by_keyword = numbers_by_keyword()
    numbers = {number for word in words for number in by_keyword.get(word, ())}
    return [vendor_rules()[number] for number in sorted(numbers)]


def vendor_spans(text: str, words: Iterable[str]) -> Iterator[Span]:
    """Find the tokens of vendors in a text that holds some words, as `rules_for` takes them."""
    for rule in rules_for(words):
        yield from rule.spans(text)
