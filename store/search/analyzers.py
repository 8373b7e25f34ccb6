"""Analyzers: text as search terms, parts of identifiers, and CJK runs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from unicodedata import normalize

from tantivy import Filter, TextAnalyzer, TextAnalyzerBuilder, Tokenizer

from store.platform.lazy_pattern import lazy_pattern

_SURROGATES = dict.fromkeys(range(0xD800, 0xE000), "\ufffd")
MAX_TERM = 64
"""Characters of the longest term that is indexed; longer runs (hashes, blobs) are left out."""
_STEMS = 16_384
"""Stems that are kept, 4 MB: 1,500 questions of other words each had asked for 3,000, and 50,000
held 12 MB."""
MAX_ID = 1_000
"""Characters of an id that are indexed; tantivy leaves out terms of more than 65,530 bytes."""

_CJK_RUN = lazy_pattern(
    "[\u0e01-\u0eff\u1000-\u109f\u1780-\u17ff"
    "\u1100-\u11ff\u3040-\u30ff\u3130-\u318f\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7af\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff]+"
)
"""Scripts without spaces between words: Thai, Lao, Burmese and Khmer, too."""
_SPELLED = {"c++": "cplusplus", "c#": "csharp", "f#": "fsharp"}
"""Terms of languages whose names end with no letter."""
_LANGUAGE = lazy_pattern(r"(?<!\w)(?:c\+\+|[cf]#)(?!\w)")
_CAMEL_WORD = re.compile(r"(?:[A-Z]?[a-z0-9]++[A-Z]|[A-Z]{2,}+[a-z])[A-Za-z0-9]*+")
_SHAPES = b" " * 48 + b"0" * 10 + b" " * 7 + b"A" * 26 + b" " * 6 + b"a" * 26 + b" " * 133
"""A byte for each: what kind of character it is in identifiers, a space for those of none."""
_HUMP = re.compile(rb"A(?:(?<=[a0]A)|(?<=AA)(?=a))")
"""A capital inside a word, in the shape of a text: `re` looks for one byte far quicker than for
any of a set."""
_CAMEL_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")


@cache
def plain_analyzer() -> TextAnalyzer:
    """Splits `folded` text at everything but letters and digits."""
    return _plain().build()


@cache
def stem_analyzer() -> TextAnalyzer:
    """As plain, then English stems."""
    return _plain().filter(Filter.stemmer("english")).build()


@cache
def space_analyzer() -> TextAnalyzer:
    """Splits at white space only: for terms made by `cjk_terms`."""
    return TextAnalyzerBuilder(Tokenizer.whitespace()).build()


def _plain() -> TextAnalyzerBuilder:
    return TextAnalyzerBuilder(Tokenizer.simple()).filter(Filter.remove_long(MAX_TERM))


@cache
def _accents() -> TextAnalyzer:
    return TextAnalyzerBuilder(Tokenizer.raw()).filter(Filter.ascii_fold()).build()


def folded(text: str) -> str:
    """Return a text in small letters, each by itself, and without accents, as terms are made of.

    Filters of the index would do it token by token: a build takes a twentieth less without the one,
    a twenty-fifth less without the other.
    """
    small = text.lower() if "Σ" not in text else "".join(map(str.lower, text))
    if "c++" in small or "#" in small:
        small = _LANGUAGE.sub(lambda name: _SPELLED[name[0]], small)
    return small if small.isascii() else _accents().analyze(small)[0]


def without_surrogates(text: str) -> str:
    """The text with its lone surrogates, which the index can't hold, replaced one for one."""
    if text.isascii():  # most are, which Python knows without looking
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.translate(_SURROGATES)
    return text


def backwards(identifier: str) -> str:
    """Return an id, or an ending of one, as the field `id` has it: last letter first, so that what
    ends alike comes together. Twice backwards is forwards, but for ids of more than `MAX_ID`
    characters: they are known by their last ones.
    """
    return without_surrogates(identifier)[: -MAX_ID - 1 : -1]


def plain_terms(text: str) -> list[str]:
    """Return the terms of a text as the `plain` field holds them."""
    return list(plain_analyzer().analyze(folded(without_surrogates(text))))


@lru_cache(maxsize=_STEMS)
def stem(term: str) -> str:
    """Return the English stem of one plain term."""
    stems = stem_analyzer().analyze(term)
    return stems[0] if stems else term


def camel_parts(word: str) -> list[str]:
    """`JsonObservationStore` in parts: `json`, `observation`, `store`; empty for other words."""
    if not _CAMEL_WORD.fullmatch(word):
        return []
    return [part.lower() for part in _CAMEL_PART.findall(word)]


def with_parts(text: str) -> str:
    """Return the text, followed by the parts of its camel-case identifiers, each once."""
    words = dict.fromkeys(_camel_words(text))
    if not words:
        return text
    return text + "\n" + "\n".join(map(_parts_of, words))


@lru_cache(maxsize=1_024)
def _parts_of(word: str) -> str:
    """Return the parts of a camel-case identifier; a project's own names come again and again."""
    return " ".join(camel_parts(word))


def _camel_words(text: str) -> Iterator[str]:
    """Yield the camel-case identifiers in a text, in order."""
    shape = text.encode("ascii", "replace").translate(_SHAPES)
    end = 0
    for hump in _HUMP.finditer(shape):
        at = hump.start()
        if at < end:
            continue
        start = shape.rfind(b" ", end, at) + 1 or end
        word = _CAMEL_WORD.match(text, start)
        if word:
            end = word.end()
            yield word.group()


def cjk_runs(text: str) -> list[str]:
    """The runs of Chinese, Japanese and Korean characters in a text, and of scripts like them."""
    return [] if text.isascii() else _CJK_RUN.findall(text)


def without_cjk(text: str) -> str:
    return text if text.isascii() else _CJK_RUN.sub(" ", text)


def cjk_terms(run: str) -> list[str]:
    """Return a run as overlapping pairs, and its last character, so that any part of it can be
    found; half-width kana as full ones.
    """
    run = normalize("NFKC", run)
    return [run[at : at + 2] for at in range(len(run) - 1)] + [run[-1]]


def cjk_field(text: str) -> str:
    """Terms of a text's CJK runs, for the `cjk` field."""
    return " ".join(term for run in cjk_runs(text) for term in cjk_terms(run))
