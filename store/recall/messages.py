"""Statements in messages that are worth telling, apart from status and requests. Pure."""

from __future__ import annotations

from store.model import Observation
from store.recall.words import Asked, leading, sentences, telling
from store.text.content_words import content_words

_LONGEST_SAID = 2_000
"""Characters from which on a message is a document, which says a little of everything."""
_STATUS_OPENINGS = frozenset(
    "let now i i'll i'm i've let's all great good perfect done excellent understood ok okay "
    "looking next first tests test running".split()
)
"""The words with which an agent begins to say what it is doing, which nobody needs later."""
_LONGEST_MESSAGE = 700
"""Characters that are told of a message at most."""
_TELLING_WORDS = 5
"""Content words that a message's telling sentence has at least."""


def is_by_person(message: Observation) -> bool:
    """A person said it."""
    return message.category == "request"


def statement_of(message: Observation) -> str:
    """What a message states, from its beginning; empty where it only asks, says hardly anything, or
    is a document.
    """
    text = message.content.strip()
    if is_document(text) or len(content_words(text)) < _TELLING_WORDS:
        return ""
    parts = [part for part in sentences(text) if not part.endswith("?")]
    if not parts:
        return ""
    return text if len(text) <= _LONGEST_MESSAGE else leading(parts, _LONGEST_MESSAGE)


def carrying_sentences(message: Observation, asked: Asked) -> str:
    """The sentences of a message that carry what is asked for; empty where it only asks, says what
    is being done, or is a document.
    """
    if is_document(message.content):
        return ""
    is_agent = not is_by_person(message)
    parts = [part for part in sentences(message.content) if _is_lasting(part, is_agent=is_agent)]
    return telling(" ".join(parts), asked)


def is_part(message: Observation) -> bool:
    """The passage is a further one of a message too long for one: of a plan, or a paste."""
    return "." in message.id.rpartition("#")[2]


def is_document(text: str) -> bool:
    """The message is a plan or a report rather than something said."""
    return len(text) > _LONGEST_SAID or any(
        line.startswith(("# ", "## ")) for line in text.splitlines()
    )


def _is_lasting(sentence: str, *, is_agent: bool) -> bool:
    if sentence.endswith((":", "?", "…")) or len(content_words(sentence)) < _TELLING_WORDS:
        return False
    first = sentence.split(maxsplit=1)[0].lower().strip("*_,.!:;-–—")
    return not (is_agent and first in _STATUS_OPENINGS)
