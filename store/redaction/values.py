"""The look of a value: a secret, a placeholder for one, or an ordinary word or reference."""

from __future__ import annotations

import math
import re
from collections import Counter
from itertools import pairwise

from store.platform.lazy_pattern import lazy_pattern
from store.redaction.names import Sensitivity, sensitivity

_PLACEHOLDER = lazy_pattern(
    r"""(?ix) ^(?:
        [x*.#?_\-0+~=]+ | <.*>? | \[.* | \$.* | \{\{.* | \{[a-z_.]*\}? | %\w+%?
      | @\w+@ | `.* | \#\{.*
      | (?:your|my|some|the|a|an|enter|insert|replace|put|add)[ _.-].*
      | (?:enter|new|old|current|confirm|repeat|forgot)?[ _.-]?
        (?:pass(?:word|wd|phrase)?|pwd|pw)s?[:?]?
      | (?:api|access|secret|auth|bearer|id|refresh)?[ _.-]?(?:key|token|secret|auth|credentials?)s?
      | null | nil | none | true | false | undefined | empty | unset | optional | required | hidden
      | change.?(?:me|it|this) | todo | tbd | n/a | redacted.* | masked | secret | example.* | dummy
      | test | testing | user | username | admin | root | value | string | str | text | foo | bar
      | number | int | bool | boolean | bytes | any | object | unknown | never | void | self | this
      | secretstr | optional\[.* | sha\d+ | md5 | bcrypt | argon2\w* | hs256 | rs256 | es256
      | basic | bearer | digest | missing | invalid | expired | postgres | default | localhost
    )$"""
)
_HOLDS_PLACEHOLDER = lazy_pattern(
    r"x{5,}|X{4,}|\*{3,}|\.\.\.|…|(?i:placeholder|changeme|redacted|your[_-]|_here\b|process\.env"
    r"|os\.environ|getenv|import\.meta|secrets\.|vault:|ssm:)|\$\{|\$\(|\{\{|<[A-Za-z_ :-]+>"
)
_CODE = lazy_pattern(r"^[A-Za-z_][\w.]*(?:\(|\[|->|::|=>)|[(){}]{2}")
_DOTTED = lazy_pattern(r"^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+$")
_IDENTIFIER = lazy_pattern(r"^[A-Za-z_][A-Za-z_.-]*$")
_PATH = lazy_pattern(
    r"^(?:~|\.{1,2})?/[\w.@/-]*$|^[A-Za-z]:\\|^(?:[\w.-]+/){2,}[\w.-]+\.\w{1,5}$|^https?:|^file:"
)
_WORDS_JOINED = lazy_pattern(
    r"^(?:[a-z]{2,}|[A-Z][a-z]+|[A-Z]{2,4})(?:[A-Z][a-z]+|[A-Z]{2,10}(?=[A-Z][a-z]|$))+$"
)
"""`serviceAPIKey`: a name in code, and where it ends like a credential's, one that holds it."""
_NUMBERED_NAME = lazy_pattern(r"^\d{4,17}(?:[-_](?:[A-Z][a-z]+|[a-z]{2,}|[A-Z]{2,}|\d{1,6})+)+$")
"""`1740250000000-AddSharesTables`, `20260114_add_index`: a migration, named by its time."""
_UUID = lazy_pattern(r"^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$", re.I)
_VERSION = lazy_pattern(r"(?:^|[-:@])v?\d+(?:\.\d+)+(?:[-+.]\w{1,12}){0,3}$|^\d{4}-\d\d-\d\d")
_FILE = lazy_pattern(
    r"^(?:[\w.-]+/)*[\w.-]+\.(?:py|pyi|tsx?|jsx?|mjs|cjs|go|rs|c|cc|cpp|h|hpp|cs|java|kt|rb|php|swift"
    r"|sql|sh|html|s?css|vue|jsonl?|ya?ml|toml|ini|cfg|conf|xml|csv|md|rst|txt|log|lock|svg|proto"
    r"|pem|cer|crt|p12|key|env)$"
)
_WORDLIKE = lazy_pattern(r"[A-Z]?[a-z]{3,}|[A-Z]{4,}(?![a-z])")
_WITH_CHECKSUM = lazy_pattern(r"^(?:[\w.]+-){1,8}[0-9a-f]{32,64}$")
"""A key that names what it holds and ends in its checksum, as caches have."""
_DIGIT_TURN = lazy_pattern(r"(?<=[A-Za-z])(?=\d)|(?<=\d)(?=[A-Za-z])")
_REPEAT = lazy_pattern(r"(.)\1{5,}")


def entropy(text: str) -> float:
    """Shannon entropy in bits a character; 0 for an empty text."""
    total = len(text)
    return -sum(n / total * math.log2(n / total) for n in Counter(text).values())


def is_placeholder(value: str) -> bool:
    """Return whether a value is a variable, a word or a pattern in the place of a secret."""
    if _PLACEHOLDER.match(value) or _HOLDS_PLACEHOLDER.search(value):
        return True
    return 2 * sum(len(run.group()) for run in _REPEAT.finditer(value)) > len(value)


def is_reference(value: str) -> bool:
    """Return whether a value is code, a path, a file, an address or a version."""
    if _NUMBERED_NAME.match(value) and _wordiness(value.lstrip("0123456789")) > 0.6:
        return True
    if _DOTTED.match(value):
        return not any(is_random(part, least=14) for part in value.split("."))
    if _CODE.search(value) or _PATH.match(value) or _VERSION.match(value) or _FILE.match(value):
        return True
    return _WORDS_JOINED.match(value) is not None and sensitivity(value) is not Sensitivity.NONE


def _wordiness(value: str) -> float:
    """Return the share of a value's characters that belong to pronounceable words."""
    wordy = 0
    for match in _WORDLIKE.finditer(value):
        word = match.group().lower()
        vowels = sum(word.count(v) for v in "aeiouy")
        if 0.2 <= vowels / len(word) <= 0.67:
            wordy += len(word)
    return wordy / len(value)


def is_random(value: str, *, least: int = 16, bits: float = 3.0) -> bool:
    """Return whether a value of at least `least` characters looks drawn rather than written.

    `bits`: the least entropy a character of values from 16 characters; shorter ones need 2.5.
    """
    if len(value) < least:
        return False
    digits = sum(map(str.isdigit, value))
    letters = sum(map(str.isalpha, value))
    if digits == len(value):
        return len(value) >= 15 and len(set(value)) > 4
    if entropy(value) < (bits if len(value) >= 16 else 2.5):
        return False
    if not digits:
        return _has_odd_case(value) and _wordiness(value) < 0.4
    if letters == 0:
        return False
    turns = len(_DIGIT_TURN.findall(value))
    return turns >= 5 or _wordiness(value) < (0.8 if turns >= 3 else 0.6)


def _has_odd_case(value: str) -> bool:
    """Return whether case changes more than in camelCase, or 20 letters have no capital."""
    turns = sum(a.islower() != b.islower() for a, b in pairwise(value))
    return turns >= len(value) / 4 or (value.islower() and len(value) >= 20)


def is_secret_value(value: str, kind: Sensitivity, *, quoted: bool, literal: bool) -> bool:
    """Return whether a named value is a secret.

    `literal`: the place takes values, not names of variables (an option, an environment file).
    """
    if is_placeholder(value) or is_reference(value):
        return False
    if kind is Sensitivity.PASSWORD:
        return _is_password(value, quoted=quoted, literal=literal)
    if kind is Sensitivity.TOKEN:
        if is_random(value, least=8, bits=2.5):
            return True
        if literal and len(value) >= 12 and any(map(str.isdigit, value)):
            return True
        return bool(len(value) >= 8 and ":" in value and any(map(str.isdigit, value)))
    if _UUID.match(value) or _WITH_CHECKSUM.match(value):
        return False
    return is_random(value, least=16)


def _is_password(value: str, *, quoted: bool, literal: bool) -> bool:
    if len(value) < 4 or (value.isdigit() and len(value) < 6 and not literal):
        return False
    if _IDENTIFIER.match(value) and not literal:
        if len(value) >= 16 and value.islower():
            return True
        return quoted and not value.istitle() and "_" not in value
    if " " in value:
        return quoted and any(map(str.isdigit, value)) and value.count(" ") <= 6
    return True
