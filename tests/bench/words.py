"""The words of generated observations: a head of real words, a long tail of made-up ones."""

from __future__ import annotations

from functools import cache
from random import Random

FUNCTION_WORDS = (
    "the a to of and in is for on it that with was be by as not are from this at or an we when now"
).split()
CONTENT_WORDS = (
    "store lock file test error index request server client session token cache query update "
    "write read change build deploy fix fail retry timeout value field table row page user key "
    "data type class function module path name list entry record event message queue worker "
    "thread process memory disk search filter sort limit count time date zone day week version "
    "release branch commit merge review issue agent context budget summary decision reason note "
    "config setting default option flag secret login password access role permission endpoint "
    "response header body status code schema migration column unique constraint transaction "
    "rollback replica backup restore partition batch stream buffer chunk parse format encode "
    "decode escape validate reject accept handle raise catch warn log metric alert trace profile "
    "slow fast small large empty missing broken stale fresh local remote public private internal "
    "external first last next previous before after during because instead without within between "
    "until while again only never always already still both each other same different"
).split()
_SYLLABLES = (
    "ba be bo da de di do fa fe fi ga ge go ha he ka ke ki la le li lo ma me mi mo na ne no pa pe "
    "po ra re ri ro sa se si so ta te ti to va ve vi wa za zo ber cor den fal gan hol jun kel lor "
    "men nor per ral sen tor ven"
).split()
VOCABULARY = 8_000
TABLE = 1 << 16
"""Entries of the table words are drawn from: an index of 16 random bits is one draw."""

_VERBS = "load save parse merge fold send read open close check find build sort apply".split()
_NOUNS = (
    "session order parcel event user token label batch lock index report mail page query cursor "
    "ledger manifest entry worker cache"
).split()
_ENDINGS = "store service handler factory error config reader writer view test".split()
_FOLDERS = "src api web lib store ingest billing notify".split()
_SUFFIXES = ("py", "ts", "tsx", "json", "sql", "toml")


@cache
def word_table() -> list[str]:
    """Words, each as often as Zipf's law (exponent 1) gives its rank a share of the table."""
    words = _vocabulary()
    harmonic = sum(1 / rank for rank in range(1, len(words) + 1))
    table: list[str] = []
    for rank, word in enumerate(words, 1):
        table.extend([word] * max(1, round(TABLE / (rank * harmonic))))
    return (table * 2)[:TABLE] if len(table) < TABLE else table[:TABLE]


@cache
def identifiers() -> list[str]:
    """Names as they stand in code: classes, functions, constants and paths."""
    names = []
    for noun in _NOUNS:
        for ending in _ENDINGS:
            names.append(noun.capitalize() + ending.capitalize())
            names.append(f"{noun.upper()}_{ending.upper()}")
        for verb in _VERBS:
            names.append(f"{verb}_{noun}")
            names.append(verb + noun.capitalize())
        for folder in _FOLDERS:
            names.extend(f"{folder}/{noun}.{suffix}" for suffix in _SUFFIXES)
    Random(7).shuffle(names)
    return names


def _vocabulary() -> list[str]:
    """The real words, most frequent first, then made-up ones, no word twice."""
    random = Random(3)
    words = dict.fromkeys(FUNCTION_WORDS + CONTENT_WORDS)
    while len(words) < VOCABULARY:
        words["".join(random.choices(_SYLLABLES, k=random.randint(2, 4)))] = None
    return list(words)
