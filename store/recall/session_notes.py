"""Notes of earlier sessions, from their digests: lines such as `asked: …` and `ended: …`. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from store.recall.excerpt import first_sentences
from store.records import first_line
from store.text.content_words import content_words

_LONGEST_REQUEST, _LONGEST_ENDING = 120, 300
"""Characters that are told of what a session was asked, and of how it ended."""
_PROMPTS = " | "
"""What stands between the prompts of a session."""
_FEWEST_WORDS, _FEWEST_IN_NOTE = 2, 5
"""Words with a meaning that a part, and a note of the same request, has at least: `Updated.` tells
nobody anything."""


def ending_of(digest: str) -> str:
    """Return how a session ended, in whole sentences."""
    return first_sentences(_parts(digest).get("ended", ""), _LONGEST_ENDING)


def last_session_note(digest: str) -> str:
    """Return what a session was asked first, and how it ended, in a sentence or two each."""
    asked = _parts(digest).get("asked", "").partition(" ## ")[0]
    title = asked.partition("# ")[2] or asked
    parts = {
        "asked": first_line(title, _LONGEST_REQUEST),
        "ended": ending_of(digest),
    }
    return "; ".join(
        f"{name}: {text}"
        for name, text in parts.items()
        if len(content_words(text)) >= _FEWEST_WORDS
    )


def same_request_note(digest: str) -> str:
    """Return a person's later prompts of a session, and how it ended; empty where only that it
    is done.
    """
    answers = _parts(digest).get("asked", "").split(_PROMPTS)[1:]
    note = " ".join([*answers, f"ended: {ending_of(digest)}"])
    return note if len(content_words(note)) >= _FEWEST_IN_NOTE else ""


def _parts(digest: str) -> Mapping[str, str]:
    return dict(line.partition(": ")[::2] for line in digest.splitlines())
