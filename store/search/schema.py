"""The index's schema, and an observation as a document of it.

Searched: `plain` (terms as written, with positions; a note's aliases, too), `stems` (English
stems), `cjk` (pairs of characters), `context` (agent, category, tags, issue), `when` (the date in
words). The rest are exact values for filters, facets and order; `id` is written backwards, so that
an ending finds it, `is` says only what few are. `record` is the record's own JSON text, stored.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import date, datetime
from functools import lru_cache
from hashlib import blake2b
from typing import NamedTuple
from zlib import crc32

from tantivy import Document, Index, Schema, SchemaBuilder

from store.backends.log_summary import Recalls
from store.model import Location, Observation
from store.records import LEVEL, RawRecord, as_json, parse_time, without_level
from store.redaction.private_blocks import remove_private
from store.search.analyzers import (
    backwards,
    cjk_field,
    folded,
    plain_analyzer,
    space_analyzer,
    stem_analyzer,
    with_parts,
    without_cjk,
    without_surrogates,
)
from store.text.relative_dates import dates_meant
from store.text.wiki_links import aliases_in

VERSION = 16
"""Raised whenever documents change their shape: an index of another version is built anew."""

CHECK = 4
"""Bytes before a record's text that tell whether it is as it was written."""
_LEVEL, _ESCAPE = LEVEL.encode(), b"\\u"
_NEVER = -(2**53)
"""When it was recalled that never was: before all dates."""
_MONTHS = (
    "january february march april may june july august september october november december"
).split()
_DAYS = "monday tuesday wednesday thursday friday saturday sunday".split()


def build_schema() -> Schema:
    builder = SchemaBuilder()
    builder.add_text_field("plain", tokenizer_name="plain", index_option="position")
    builder.add_text_field("stems", tokenizer_name="stems", index_option="freq")
    builder.add_text_field("cjk", tokenizer_name="spaces", index_option="position")
    builder.add_text_field("context", tokenizer_name="plain", index_option="basic")
    builder.add_text_field("when", tokenizer_name="plain", index_option="basic")
    builder.add_text_field("id", tokenizer_name="raw", index_option="basic")
    for name in ("agent", "category", "tag", "is", "level"):
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic", fast=True)
    builder.add_unsigned_field("issue", stored=True, indexed=True, fast=True)
    builder.add_unsigned_field("session", indexed=True, fast=True)
    for name in ("digest", "place", "tokens", "recalled", "length"):
        builder.add_unsigned_field(name, fast=True)
    for name in ("time", "used"):
        builder.add_integer_field(name, fast=True)
    builder.add_bytes_field("record", stored=True)
    builder.add_boolean_field("archived", stored=True)
    builder.add_bytes_field("recalls", stored=True)
    return builder.build()


def make_ready(index: Index) -> None:
    """Give an index the tokenizers its schema names; needed after each opening.

    It shows another commit when it is asked to: by itself it would open each once more, in a thread
    of its own, where nothing could be done about a file that was cut meanwhile.
    """
    index.config_reader("manual")
    index.register_tokenizer("plain", plain_analyzer())
    index.register_tokenizer("stems", stem_analyzer())
    index.register_tokenizer("spaces", space_analyzer())


class Indexable(NamedTuple):
    """The source of a document: an observation, its record's text, and its place.

    `session` is the number of its session where that is known; None asks for the observation's.
    """

    observation: Observation
    text: bytes
    location: Location
    place: int
    digest: int
    recalls: Recalls | None
    session: int | None = None


def digest_of(text: bytes, location: Location, issue: int, recalls: Recalls | None) -> int:
    """63 bits that differ for each state of a record: its document's identity."""
    key = _key(location, issue) if recalls is None else f"{location}{issue}{recalls}".encode()
    return int.from_bytes(blake2b(text, digest_size=8, key=key[:64]).digest()) >> 1


@lru_cache(maxsize=256)
def _key(location: Location, issue: int) -> bytes:
    """Sort key by which records of one text differ; those of an issue are next to each other."""
    return f"{location}{issue}".encode()


def to_document(item: Indexable) -> Document:
    observation = item.observation
    document = Document()
    text = without_surrogates("\n".join(_searched_texts(observation)))
    searched = folded(with_parts(without_cjk(text)))
    document.add_text("plain", searched)
    document.add_text("stems", searched)
    if not text.isascii() and (cjk := cjk_field(text)):
        document.add_text("cjk", cjk)
    document.add_text("context", folded(without_surrogates(context_of(observation))))
    document.add_text("when", _dates_in_words(observation))
    document.add_text("id", backwards(observation.id))
    document.add_text("agent", without_surrogates(observation.agent))
    document.add_text("category", without_surrogates(observation.category))
    for tag in observation.tags:
        document.add_text("tag", without_surrogates(tag))
    if observation.level:
        document.add_text("level", observation.level)
    for flag in _flags(observation, item.location):
        document.add_text("is", flag)
    document.add_unsigned("issue", observation.issue_number)
    document.add_unsigned("digest", item.digest)
    session = session_key(observation) if item.session is None else item.session
    document.add_unsigned("session", session)
    document.add_unsigned("place", item.place)
    document.add_unsigned("tokens", observation.tokens)
    logged = 0 if item.recalls is None else item.recalls.count
    document.add_unsigned("recalled", observation.recall_count + logged)
    document.add_unsigned("length", len(observation.content))
    time = millis(observation.timestamp)
    document.add_integer("time", time)
    document.add_integer("used", max(time, _last_recall(item)))
    record = _trusted(item)
    document.add_bytes("record", crc32(record).to_bytes(CHECK, "big") + record)
    if item.location is Location.ARCHIVE:
        document.add_boolean("archived", True)
    if item.recalls is not None:
        document.add_bytes("recalls", f"{item.recalls.count} {item.recalls.last}".encode())
    return document


def _trusted(item: Indexable) -> bytes:
    """Return the text of a record without a level that a file gave itself."""
    if item.observation.level or not (_LEVEL in item.text or _ESCAPE in item.text):
        return item.text
    value = RawRecord(item.text, None).exact()
    return as_json(without_level(value)) if LEVEL in value else item.text


def _searched_texts(observation: Observation) -> tuple[str, ...]:
    """The texts that a memory is found by: without what other programs' records have in private."""
    texts = (observation.summary, observation.content, *aliases_in(observation.extra))
    if not any("<" in text for text in texts):  # nearly all
        return texts
    return tuple(remove_private(text)[0] for text in texts)


def millis(time: datetime) -> int:
    return round(time.timestamp() * 1000)


def _last_recall(item: Indexable) -> int:
    """When it was recalled last, by its record or the log; the distant past if never."""
    if item.observation.last_recalled is None and item.recalls is None:  # most
        return _NEVER
    times = [] if item.observation.last_recalled is None else [item.observation.last_recalled]
    if item.recalls is not None:
        with suppress(ValueError):
            times.append(parse_time(item.recalls.last))
    return max(map(millis, times), default=_NEVER)


def session_key(observation: Observation) -> int:
    """Return a number for the session; observations without a session share none (0)."""
    if not observation.session_id:
        return 0
    return hashed(f"{observation.issue_number}\0{observation.session_id}")


@lru_cache(maxsize=256)
def hashed(name: str) -> int:
    """63 bits of a name's hash; what one session left lies together and is hashed once."""
    data = name.encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(data, digest_size=8).digest()) >> 1


def _dates_in_words(observation: Observation) -> str:
    """When it was, and the days that it speaks of as yesterday or last week."""
    words = [_date_in_words(observation.timestamp.date())]
    for meant in dates_meant(observation.content, observation.timestamp):
        try:
            words.append(_date_in_words(datetime.fromisoformat(meant[-10:]).date()))
        except ValueError:
            words.append(folded(meant))
    return " ".join(words)


@lru_cache(maxsize=1_024)
def _date_in_words(day: date) -> str:
    """`8 may 2023 monday`, in English whatever the locale; of one day there are many memories."""
    return f"{day.day} {_MONTHS[day.month - 1]} {day.year} {_DAYS[day.weekday()]}"


def context_of(observation: Observation) -> str:
    """Return the words that a memory is found by besides its texts."""
    return " ".join(
        (observation.agent, observation.category, *observation.tags, str(observation.issue_number))
    )


def _flags(observation: Observation, location: Location) -> list[str]:
    flags = []
    if location is Location.ARCHIVE:
        flags += ["archived", "on-archive"]
    elif observation.archived:
        flags.append("archived")
    if observation.pinned:
        flags.append("pinned")
    if observation.muted:
        flags.append("muted")
    if observation.is_open_task:
        flags.append("open")
    return flags
