"""The sentences of messages that carry what a piece of work was about.

Which sentence matters cannot be read from its wording, but from the names in it: those that are
in what the session wrote, or in what failed, are the subject of the work.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from store.text.content_words import has_request
from store.text.markdown import sentences
from store.text.shortening import cut

_WORD = re.compile(r"[\w.@~/:-]++(?:\(\))?")
_IS_NAME = re.compile(
    r"[^/]*/.|.*\(\)\Z|.*[a-z][A-Z]|[^_]*\w_\w|[\w-]+\.[a-z]{1,4}\Z|\d{2,}(?:\.\d+)*\Z"
)
"""A path, a call, a word of code, a file, a number of two digits or more."""
_LONGEST = 200
"""Characters of a name."""
_QUOTED = re.compile(r"`([^`\n]{2,200})`")
_LETTERS = re.compile(r"[^\W\d_]{2}")
"""A number alone names nothing: it is in many places."""
_LINE_NUMBER = re.compile(r"(?<=\w):\d[\d-]*")
_WORDS = re.compile(r"\w+")
_TABLE_ROW = re.compile(r"^[ \t]*\|.*$", re.M)
_SENTENCE = 280
"""Characters of a sentence that are kept."""
_LEADS_ON = (":", "：")
_ENDED = (".", "!", "?", "…", "。", "！", "？", ":", ";")


def names_in(text: str) -> list[str]:
    """Return the names in a text, each once: in code marks, or in the form that only code has."""
    words = (word.rstrip(".:-")[:_LONGEST] for word in _WORD.findall(text))
    quoted = " ".join(_QUOTED.findall(text)).split()
    found = [
        *(word for word in words if _IS_NAME.match(word)),
        *(word.strip("\"'`,;()[]{}<>.…") for word in quoted),
    ]
    return list(dict.fromkeys(name.removeprefix("~") for name in found if len(name) > 1))


def words_in(texts: Iterable[str]) -> frozenset[str]:
    """Return the words of texts as they are written, for `key_sentences`."""
    return frozenset(word for text in texts for word in _WORDS.findall(text))


def key_sentences(parts: Sequence[str], words: frozenset[str], limit: int) -> str:
    """Return those of the sentences that share most names with the `words` of what was done, and
    where there is room what follows them, in their order, in at most `limit` characters; empty
    where none shares a name. An empty part separates two messages.
    """
    named = [_shared_names(part, words) for part in parts]
    chosen, covered = set[int](), frozenset[str]()
    while fitting := [
        at
        for at, part in enumerate(parts)
        if (named[at] - covered or (part and at - 1 in chosen))
        and at not in chosen
        and len(part) < limit
    ]:
        best = max(fitting, key=lambda at: (len(named[at] - covered), -at))
        chosen.add(best)
        covered |= named[best]
        limit -= len(parts[best]) + 2
    return joined(parts[at] for at in sorted(chosen))


def sentences_of(message: str) -> Iterator[str]:
    """Yield the sentences and table rows of a message, but for those of a few words; one that ends
    with a colon together with the next.
    """
    lead = ""
    for sentence in sentences(_TABLE_ROW.sub(_as_item, message)):
        whole = f"{lead} {sentence}" if has_request(lead) else sentence
        lead = whole if whole.endswith(_LEADS_ON) else ""
        if not lead and has_request(whole):
            yield cut(whole, _SENTENCE)
    if lead:
        yield cut(lead, _SENTENCE)


def joined(parts: Iterable[str]) -> str:
    """Return sentences and items as one text, a semicolon after an item."""
    text = ""
    for part in filter(None, parts):
        text += f"{'' if text.endswith(_ENDED) else ';'} {part}" if text else part
    return text


def _as_item(row: re.Match[str]) -> str:
    """Return a row of a table as an item of a list; nothing for the line below its head."""
    cells = [cell.strip() for cell in row.group().strip(" \t|").split("|")]
    return "" if all(set(cell) <= set("-: ") for cell in cells) else f"- {' – '.join(cells)}"


def _shared_names(sentence: str, words: frozenset[str]) -> frozenset[str]:
    """Return the names of a sentence that these words have, too, without the folders above. A call
    in code marks has two, `wait()` and `wait`: it has most of what was done.
    """
    names = names_in(_LINE_NUMBER.sub("", sentence))
    bare = (name.rpartition("/")[2] for name in names)
    return frozenset(
        name for name in bare if _LETTERS.search(name) and words.issuperset(_WORDS.findall(name))
    )
