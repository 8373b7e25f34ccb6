"""The secrets of some two hundred vendors, by the rules of gitleaks.

The rules are data of the package `maskerlogger` (MIT), which is never imported: only its rule file
is read, once, at the first text that is cleaned. A rule is compiled when one of its keywords first
occurs. The rules that look at the context rather than at a vendor's format have counterparts in
`context_rules` that take linear time, and are left out here.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import Any

import ahocorasick  # type: ignore[import-not-found]

from store.errors import StoreError
from store.text.span import Span, entropy

_PACKAGE = "maskerlogger"
_RULE_FILE = "config/gitleaks.toml"
_REPLACED_BY_OURS = frozenset(
    {
        "generic-api-key",
        "curl-auth-header",
        "curl-auth-user",
        "kubernetes-secret-yaml",
        "private-key",
    }
)
_LEADING_CONTEXT = r"[\w.-]{0,50}?"


@dataclass(frozen=True)
class VendorRule:
    """One vendor's format. `group` is the number of the group with the secret, 0 if it's any."""

    name: str
    source: str
    keywords: tuple[str, ...]
    least_entropy: float
    group: int
    allowed: tuple[str, ...]

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """The compiled pattern."""
        return re.compile(python_pattern(self.source))

    @cached_property
    def allowed_pattern(self) -> re.Pattern[str] | None:
        """What the rule's author knows to be no secret, although it looks like one."""
        if not self.allowed:
            return None
        return re.compile("|".join(f"(?:{python_pattern(each)})" for each in self.allowed))

    def spans(self, text: str) -> Iterator[Span]:
        """Where the text holds this vendor's secrets."""
        for match in self.pattern.finditer(text):
            group = self.group or next((i for i, g in enumerate(match.groups(), 1) if g), 0)
            secret = match.group(group)
            if entropy(secret) < self.least_entropy:
                continue
            if self.allowed_pattern and self.allowed_pattern.search(secret):
                continue
            yield Span(match.start(group), match.end(group), self.name)


def python_pattern(source: str) -> str:
    """A pattern of Go's dialect in Python's: `\\z`, and flags set in the middle of a group."""
    source = source.replace(r"\z", r"\Z")
    if source.startswith("(?i)"):
        source = "(?i)" + source[4:].removeprefix(_LEADING_CONTEXT)
    out: list[str] = []
    pending: list[int] = [0]
    i = 0
    in_class = False
    while i < len(source):
        char = source[i]
        if char == "\\":
            out.append(source[i : i + 2])
            i += 2
            continue
        if in_class:
            in_class = char != "]"
        elif char == "[":
            in_class = True
        elif i and source.startswith("(?i)", i):
            out.append("(?i:")
            pending[-1] += 1
            i += 4
            continue
        elif char == "(":
            pending.append(0)
        elif char == ")":
            out.append(")" * pending.pop())
        out.append(char)
        i += 1
    return "".join(out) + ")" * pending.pop()


def _rule_file() -> Path:
    spec = find_spec(_PACKAGE)
    if spec is None or spec.origin is None:
        raise StoreError(
            f"The rules that find secrets are missing: the package {_PACKAGE} is not installed.",
            f"Install it into memtui's environment: pip install {_PACKAGE}",
        )
    return Path(spec.origin).parent / _RULE_FILE


def _allowed(rule: dict[str, Any]) -> tuple[str, ...]:
    return tuple(
        pattern
        for allowlist in rule.get("allowlists", ())
        if allowlist.get("regexTarget", "secret") == "secret"
        for pattern in allowlist.get("regexes", ())
    )


@cache
def vendor_rules() -> tuple[VendorRule, ...]:
    """All rules. Raises StoreError where the rule file is missing."""
    data = tomllib.loads(_rule_file().read_text(encoding="utf-8"))
    return tuple(
        VendorRule(
            name=rule["id"],
            source=rule["regex"],
            keywords=tuple(rule["keywords"]),
            least_entropy=float(rule.get("entropy", 0)),
            group=int(rule.get("secretGroup", 0)),
            allowed=_allowed(rule),
        )
        for rule in data["rules"]
        if "regex" in rule and "path" not in rule and rule["id"] not in _REPLACED_BY_OURS
    )


@cache
def _by_keyword() -> Mapping[str, tuple[VendorRule, ...]]:
    found: dict[str, list[VendorRule]] = {}
    for rule in vendor_rules():
        for keyword in rule.keywords:
            found.setdefault(keyword.lower(), []).append(rule)
    return {keyword: tuple(rules) for keyword, rules in found.items()}


@cache
def _keywords() -> ahocorasick.Automaton:
    """Finds every keyword in one pass; one by one they took longer than all else in a text."""
    automaton = ahocorasick.Automaton()
    for place, keyword in enumerate(_by_keyword()):
        automaton.add_word(keyword, place)
    automaton.make_automaton()
    return automaton


@cache
def _rules_by_place() -> tuple[tuple[VendorRule, ...], ...]:
    return tuple(_by_keyword().values())


def rules_for(text: str) -> Iterable[VendorRule]:
    """The rules with a keyword that the text holds, case ignored; in the order of the keywords."""
    places = sorted({place for _, place in _keywords().iter(text.lower())})
    rules = _rules_by_place()
    return dict.fromkeys(chain.from_iterable(rules[place] for place in places))


def vendor_spans(text: str) -> Iterator[Span]:
    """Where the text holds secrets in a format known to be a vendor's."""
    for rule in rules_for(text):
        yield from rule.spans(text)
