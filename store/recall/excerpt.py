"""Excerpts: the sentences of a text that carry what is asked for. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from store.model import Category, Observation
from store.recall.query_terms import QueryTerms

_LONGEST = 600
"""Characters up to which a text is told whole, and that are told of a longer one."""
_ENOUGH = 350
"""Characters of a change in a note, after what it is about; for a prompt more, where a sentence
has a term that those before it have not. A statement holds together, a change is a log
(`tests.bench.worth`)."""
_PROSE_LETTERS = 0.7
"""The share of letters and spaces that prose has, unlike logs."""
_FILE_LISTS = ("Files: ", "Changed earlier: ", "Reviewed: ", "Changed in this session: ")
"""How the lines of a memory begin that list files, which nobody reads."""
_REQUEST = "Asked: "
"""How the line of a memory begins that says what was asked."""
_FINDING, _OUTCOMES = "Found: ", ("Done: ", "Then: ")
"""How the lines of a change begin that say what was found, and what came of it."""
_GAP = " … "
_FENCES = ("```", "~~~")
_SENTENCE_ENDS = ".!?"
_LONG_WORD = 4
"""Letters of a word that is no abbreviation."""


def excerpt(observation: Observation, terms: QueryTerms) -> str:
    """Return a short text whole; of a longer one what it is about and the sentences that have most
    of the terms, in their order. Without lists of files.
    """
    topic, *parts = _parts(observation.content)
    chosen, _ = _most_relevant(topic, parts, terms)
    room, enough = _LONGEST - len(topic), 0
    rest = sorted(range(len(parts)), key=lambda at: -terms.weight(terms.shared(parts[at])))
    if observation.category == Category.CODE_CHANGE:
        enough = max(0, room - _ENOUGH)
        # What came of a change last takes back what was done before.
        rest = list(reversed(range(len(parts))))
    room -= sum(len(parts[at]) + len(_GAP) for at in chosen)
    for at in rest:
        if at not in chosen and room - len(parts[at]) > enough:
            chosen.append(at)
            room -= len(parts[at]) + len(_GAP)
    words, last = topic, -1
    for at in sorted(chosen):
        words += (" " if at == last + 1 else _GAP) + parts[at]
        last = at
    return words


def terms_in_excerpt(observation: Observation, terms: QueryTerms) -> frozenset[str]:
    topic, *parts = _parts(observation.content)
    _, covered = _most_relevant(topic, parts, terms)
    return covered


def _parts(text: str) -> Sequence[str]:
    """Return a short text whole; of a longer one what it is about, and the rest in parts."""
    lines = _without_file_lists(text)
    text = "\n".join(lines).strip()
    if len(text) <= _LONGEST:
        return [text]
    request_first = [
        line for at, line in enumerate(lines) if not (at and line.startswith(_REQUEST))
    ]
    return _passages("\n".join(request_first)) or [text]


def _most_relevant(
    topic: str, parts: Sequence[str], terms: QueryTerms
) -> tuple[list[int], frozenset[str]]:
    """Return the places of the parts that have most of the terms, as long as one that fits has
    another, and the terms that topic and parts have.
    """
    chosen, covered, room = list[int](), terms.shared(topic), _LONGEST - len(topic)
    found = {at: shared for at, part in enumerate(parts) if (shared := terms.shared(part))}
    while fitting := [
        at for at, shared in found.items() if len(parts[at]) < room and not shared <= covered
    ]:
        best = max(
            fitting,
            key=lambda at: (terms.weight(found[at] - covered), terms.weight(found[at]), -at),
        )
        chosen.append(best)
        covered |= found[best]
        room -= len(parts[best]) + len(_GAP)
    return chosen, covered


def outcome_of(text: str) -> str:
    """Return what a change was about, and what came of it, the last first."""
    lines = _without_file_lists(text)
    has_request = bool(lines) and not lines[0].startswith((_FINDING, *_OUTCOMES))
    parts, room = [*_passages(lines.pop(0))[:1]] if has_request else [], _ENOUGH
    lines.sort(key=lambda line: line.startswith(_OUTCOMES))
    for line in reversed(lines):
        for part in _passages(line):
            if len(part) >= room:
                break
            parts.append(part)
            room -= len(part) + 1
    return " ".join(parts)


def _without_file_lists(text: str) -> list[str]:
    return [line for line in text.splitlines() if not line.startswith(_FILE_LISTS)]


def topic_of(text: str) -> str:
    """Return the topic of a text: the request that it names, else its first sentence."""
    request = next((line for line in text.splitlines() if line.startswith(_REQUEST)), "")
    return request or next(sentences(text), text.partition("\n")[0])


def sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a text, without code blocks, headings and what is no prose."""
    fence = ""
    for line in map(str.strip, text.splitlines()):
        if opening := next((mark for mark in _FENCES if line.startswith(mark)), ""):
            fence = "" if fence else opening
        elif not fence and line and not line.startswith("#"):
            yield from filter(_is_prose, _sentences_of_line(line))


def first_sentences(text: str, most: int) -> str:
    """Return the first sentences of a text, of at most `most` characters."""
    told: list[str] = []
    for sentence in sentences(text):
        most -= len(sentence) + 1
        if most < 0:
            break
        told.append(sentence)
    return " ".join(told)


@lru_cache(maxsize=1_024)
def _passages(text: str) -> Sequence[str]:
    """Return the sentences of a text, and the parts of those that list something."""
    return [part for sentence in sentences(text) for part in sentence.split("; ")]


def _sentences_of_line(line: str) -> Iterator[str]:
    for end in _SENTENCE_ENDS:
        line = line.replace(f"{end} ", f"{end}\n")
    sentence = ""
    for part in line.split("\n"):
        sentence += part
        if _is_abbreviated(sentence[:-1]):
            sentence += " "
        else:
            yield sentence.strip()
            sentence = ""
    if rest := sentence.strip():
        yield rest


def _is_abbreviated(before: str) -> bool:
    """Return whether the full stop ends no sentence: `1. `, `e.g. `."""
    word = before.rpartition(" ")[2]
    return len(word) < _LONG_WORD and (len(word) < 2 or word.isdigit() or "." in word)


def _is_prose(sentence: str) -> bool:
    letters = sum(map(str.isalpha, sentence)) + sentence.count(" ")
    return letters >= _PROSE_LETTERS * len(sentence)
