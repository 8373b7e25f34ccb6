"""The common form of a text, in which rewordings of one statement compare equal.

`tokens` reads a text once and names what each piece is; `normalise` and `store.text.facts` are
two views of it, so that what compares equal and what counts as a fact never disagree.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

from store.text.vocabulary import ABBREVIATIONS, NUMBER_WORDS, SYNONYMS, UNITS


class Kind(StrEnum):
    """What a piece of a text is."""

    DATE = "date"
    PATH = "path"
    IDENTIFIER = "identifier"
    NUMBER = "number"
    WORD = "word"


class Token(NamedTuple):
    """A piece of a text: its kind, its common form, and where it stands in the text.

    The positions count in the text after Unicode's compatibility normalisation (NFKC).
    """

    kind: Kind
    value: str
    start: int
    end: int


_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_NUMBER_WORD = "|".join(NUMBER_WORDS)
_UNIT = "|".join(sorted((re.escape(unit) for unit in UNITS), key=len, reverse=True))
_FILE_TYPES = (
    "py|pyi|ts|tsx|js|jsx|mjs|cjs|json|jsonl|md|rst|txt|toml|yaml|yml|ini|cfg|lock|sh|bash|ps1|psm1|"
    "go|rs|c|h|cc|cpp|hpp|java|kt|rb|php|cs|swift|sql|html|css|scss|tcss|svg|png|xml|csv|log|env|"
    "ipynb|vue|proto|tf|gradle|mod|sum"
)
_SCANNER = re.compile(
    rf"""
    (?P<url>https?://[^\s<>`"')\]]+)
  | (?P<isodate>\b\d{{4}}[-/]\d{{1,2}}[-/]\d{{1,2}}(?:[T ]\d{{2}}:\d{{2}}[\d:.]*Z?)?)
  | (?P<daymonth>\b\d{{1,2}}(?:st|nd|rd|th)?\s+(?i:{_MONTH}),?\s+\d{{4}}\b)
  | (?P<monthday>\b(?i:{_MONTH})\s+\d{{1,2}}(?:st|nd|rd|th)?,?\s+\d{{4}}\b)
  | (?P<path>(?:[A-Za-z]:)?(?:~|\.{{1,2}})?[\\/]?(?:[\w.@+*{{}}-]+[\\/])+[\w.@+*{{}}-]*
      | [\\/][\w.@+-]+ | \.?[\w-]+(?:\.[\w-]+)*\.(?:{_FILE_TYPES})\b | (?<!\S)\.[a-z][\w.-]+)
  | (?P<flag>(?<![\w-])--?[A-Za-z][\w-]+)
  | (?P<named>\b[A-Za-z]\w*(?:-\w+)*-\d[\w-]*
      | \b[0-9a-f]{{8}}(?:-[0-9a-f]{{4}}){{3}}-[0-9a-f]{{12}}\b)
  | (?P<number>(?<!\w)(?:[vV]?\d+(?:[,_]\d{{3}})*(?:[.:]\d+)*|(?i:{_NUMBER_WORD})\b)
      (?:[ \t]*(?i:{_UNIT})(?![\w%]))?(?![A-Za-z_]))
  | (?P<identifier>\$?(?:[^\W\d]\w*\.)+[^\W\d]\w+ | \w*[^\W_]_\w+ | _+\w+
      | \w*[a-z][A-Z]\w* | [A-Z]{{2,}}[a-z]\w+ | \w*[^\W\d_]\d\w* | \d+[A-Za-z]\w*)
  | (?P<cjk>[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff])
  | (?P<word>[^\W\d_]+(?:['’][^\W\d_]+)*)
    """,
    re.VERBOSE,
)
_UNIT_AT_END = re.compile(rf"\s*({_UNIT})$", re.IGNORECASE)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


def tokens(text: str) -> Iterator[Token]:
    """The pieces of `text` in order: dates, paths, identifiers, numbers and words.

    Words keep their spelling (see `root`); the other kinds come in their common form.
    """
    for match in _SCANNER.finditer(unicodedata.normalize("NFKC", text)):
        raw, start, end = match.group(), match.start(), match.end()
        match match.lastgroup:
            case "word" | "cjk":
                yield Token(Kind.WORD, _word(raw), start, end)
            case "number":
                yield Token(Kind.NUMBER, _number(raw), start, end)
            case "path":
                yield Token(Kind.PATH, _path(raw), start, end)
            case "isodate" | "daymonth" | "monthday":
                yield Token(Kind.DATE, _date(raw), start, end)
            case "url":
                yield Token(Kind.IDENTIFIER, raw.rstrip(".,;:!?/").casefold(), start, end)
            case _:
                yield Token(Kind.IDENTIFIER, raw.casefold(), start, end)


def normalise(text: str) -> str:
    """`text` in its common form: the same for spellings of the same statement.

    Lower case, single spaces, no punctuation; words by their root, abbreviations written out and
    common synonyms by one of them; every negation as `not`; dates as 2026-02-27; numbers without
    separators, with their unit; paths by their last two parts.
    """
    return " ".join(_common_form(token) for token in tokens(text))


def _common_form(token: Token) -> str:
    if token.kind is Kind.WORD:
        return meaning(token.value)
    if token.kind is Kind.PATH:
        return "/".join(token.value.split("/")[-2:])
    return token.value


@lru_cache(maxsize=65_536)
def root(word: str) -> str:
    """The word without case, inflection and abbreviation: `Configs` gives `configur`.

    A light suffix stripper for English; other words only lose their case.
    """
    lower = word.casefold().replace("’", "'")
    lower = lower.removesuffix("'s")
    lower = ABBREVIATIONS.get(lower, lower)
    return _stem(lower)


@lru_cache(maxsize=65_536)
def meaning(word: str) -> str:
    """The root of the word, or of the synonym that stands for its group (see `SYNONYMS`)."""
    plain = root(word)
    return _MEANINGS.get(plain, plain)


def _word(raw: str) -> str:
    return "not" if raw.casefold().replace("’", "'").endswith("n't") else raw


def _number(raw: str) -> str:
    plain, unit = raw.lower().lstrip("v"), ""
    named = _UNIT_AT_END.search(plain)
    if named:
        plain, unit = plain[: named.start()], UNITS[named.group(1)]
    return NUMBER_WORDS.get(plain, plain).replace(",", "").replace("_", "") + unit


def _path(raw: str) -> str:
    plain = raw.replace("\\", "/").casefold().rstrip("./")
    if plain[1:2] == ":":
        plain = plain[2:]
    while plain.startswith(("./", "../", "~/", "/")):
        plain = plain.partition("/")[2]
    return plain or raw


def _date(raw: str) -> str:
    numbers = [int(number) for number in re.findall(r"\d+", raw)[:3]]
    if raw[:4].isdigit():
        year, month, day = numbers
    else:
        day, year = numbers[:2]
        name = re.search(r"[A-Za-z]{3}", re.sub(r"\d+(?:st|nd|rd|th)?", "", raw))
        month = _MONTHS.index(name.group().lower()) + 1 if name else 0
    return f"{year:04}-{month:02}-{day:02}"


_DOUBLED = re.compile(r"([bdgmnprt])\1$")
_VOWEL = re.compile(r"[aeiouy]")


def _stem(word: str) -> str:
    if len(word) < 4 or not word.isascii():
        return word
    if word.endswith("ies") and len(word) > 4:
        word = word[:-3] + "y"
    elif word.endswith(("sses", "shes", "ches", "xes", "zes")):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for suffix in ("ation", "ator", "ing", "ied", "ed", "ion", "er", "ly"):
        stem = word.removesuffix(suffix)
        if stem != word and len(stem) >= 3 and _VOWEL.search(stem):
            word = _DOUBLED.sub(r"\1", stem) + ("y" if suffix == "ied" else "")
            break
    if len(word) > 3 and word.endswith("e"):
        word = word[:-1]
    return word[:-1] + "i" if len(word) > 3 and word.endswith("y") else word


_MEANINGS = {root(word): root(group[0]) for group in SYNONYMS for word in group}
