"""The common form of a text, in which rewordings of one statement compare equal.

`tokens` names what each piece of a text is; `normalise` and `store.text.facts` are two views of
it, so that what compares equal and what counts as a fact never disagree.
"""

from __future__ import annotations

import re
import unicodedata
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

from store.platform.lazy_pattern import lazy_pattern
from store.text.roots import meaning
from store.text.vocabulary import NUMBER_WORDS, UNITS

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
  | (?P<date>\b\d{{4}}[-/]\d{{1,2}}[-/]\d{{1,2}}(?:[T ]\d{{2}}:\d{{2}}[\d:.]*Z?)?)
  | (?P<path>(?:[A-Za-z]:)?(?:~|\.{{1,2}})?[\\/]?(?:[\w.@+*{{}}-]+[\\/])+[\w.@+*{{}}-]*
      | [\\/][\w.@+-]+ | \.?[\w-]+(?:\.[\w-]+)*\.(?:{_FILE_TYPES})\b | (?<!\S)\.[a-z][\w.-]+)
  | (?P<flag>(?<![\w-])--?[A-Za-z][\w-]+)
  | (?P<named>\b[A-Za-z]\w*(?:-\w+)*-\d[\w-]*
      | \b[0-9a-f]{{8}}(?:-[0-9a-f]{{4}}){{3}}-[0-9a-f]{{12}}\b)
  | (?P<number>(?<!\w)(?:[vV]?\d+(?:[,_]\d{{3}})*(?:[.:]\d+)*|(?i:{_NUMBER_WORD})\b)
      (?:(?i:{_UNIT})(?![\w%]))?(?![A-Za-z_]))
  | (?P<identifier>\$?(?:[^\W\d]\w*\.)+[^\W\d]\w+ | \w*[^\W_]_\w+ | _+\w+
      | \w*[a-z][A-Z]\w* | [A-Z]{{2,}}[a-z]\w+ | \w*[^\W\d_]\d\w* | \d+[A-Za-z]\w*)
  | (?P<cjk>[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff])
  | (?P<word>[^\W\d_]+(?:['’][^\W\d_]+)*)
    """,
    re.VERBOSE,
)
_AMOUNT = lazy_pattern(rf" (?<=\d )(?=(?:{_UNIT})(?![\w%]))", re.IGNORECASE)
_WRITTEN_DATE = lazy_pattern(
    rf"\b(?:(\d{{1,2}})(?:st|nd|rd|th)?\s+({_MONTH})|({_MONTH})\s+(\d{{1,2}})(?:st|nd|rd|th)?),?"
    r"\s+(\d{4})\b",
    re.IGNORECASE,
)
_UNIT_AT_END = lazy_pattern(rf"({_UNIT})$", re.IGNORECASE)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MAY_HOLD_A_YEAR = re.compile(r"\s\d{4}")
_CHUNK_SIZE = 256


class Kind(StrEnum):
    DATE = "date"
    PATH = "path"
    IDENTIFIER = "identifier"
    NUMBER = "number"
    WORD = "word"


class Token(NamedTuple):
    """A piece of a text: its kind, its common form, and how it is written.

    A word's common form is its lower case (see `store.text.roots` for more). `quoted`: it is
    between backticks.
    """

    kind: Kind
    value: str
    written: str
    quoted: bool


def chunks(text: str) -> list[list[str]]:
    """Return the lines of `text`, each cut at its white space, and after 256 characters at the
    latest.

    An amount stays with its unit, and a date written in words is one chunk.
    """
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    text = _AMOUNT.sub("", text)
    if _MAY_HOLD_A_YEAR.search(text):
        text = _WRITTEN_DATE.sub(_iso_date, text)
    return [_cut(line.split()) for line in text.splitlines()]


def _cut(line: list[str]) -> list[str]:
    if max(map(len, line), default=0) <= _CHUNK_SIZE:
        return line
    return [
        chunk[start : start + _CHUNK_SIZE]
        for chunk in line
        for start in range(0, len(chunk), _CHUNK_SIZE)
    ]


@lru_cache(maxsize=65_536)
def tokens(chunk: str) -> tuple[Token, ...]:
    """Return the pieces of a chunk in order: dates, paths, identifiers, numbers and words."""
    return tuple(_token(match, chunk) for match in _SCANNER.finditer(chunk))


def normalise(text: str) -> str:
    """`text` in its common form: the same for spellings of the same statement.

    Lower case, single spaces, no punctuation; words by their root, abbreviations written out and
    common synonyms by one of them; every negation as `not`; dates as 2026-02-27; numbers without
    separators, with their unit; paths by their last two parts.
    """
    forms = [_common_form(chunk) for line in chunks(text) for chunk in line]
    return " ".join(form for form in forms if form)


@lru_cache(maxsize=65_536)
def _common_form(chunk: str) -> str:
    return " ".join(_compared(token) for token in tokens(chunk))


def _compared(token: Token) -> str:
    if token.kind is Kind.WORD:
        return meaning(token.value)
    if token.kind is Kind.PATH:
        return "/".join(token.value.split("/")[-2:])
    return token.value


def _token(match: re.Match[str], chunk: str) -> Token:
    written = match.group()
    quoted = chunk[: match.start()][-1:] == "`" == chunk[match.end() :][:1]
    match match.lastgroup:
        case "word" | "cjk":
            value = written.casefold().replace("’", "'")
            value = value if value == "let's" else value.removesuffix("'s")  # it allows nothing
            return Token(Kind.WORD, "not" if value.endswith("n't") else value, written, quoted)
        case "number":
            return Token(Kind.NUMBER, _number(written), written, quoted)
        case "path":
            return Token(Kind.PATH, _path(written), written.rstrip("."), quoted)
        case "date":
            return Token(Kind.DATE, _date(written), written, quoted)
        case "url":
            written = written.rstrip(".,;:!?/")
    return Token(Kind.IDENTIFIER, written.casefold(), written, quoted)


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
    year, month, day = (int(number) for number in re.findall(r"\d+", raw)[:3])
    return f"{year:04}-{month:02}-{day:02}"


def _iso_date(written: re.Match[str]) -> str:
    month = _MONTHS.index((written[2] or written[3])[:3].lower()) + 1
    return f"{written[5]}-{month:02}-{int(written[1] or written[4]):02}"
