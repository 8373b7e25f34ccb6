"""A talk without a single tool call, in several turns: how it began, and the agent's last message.

Nothing else is left of such a session. Where person and agent settle something in words alone, the
last message has where they ended, unless it is next to nothing ("Noted.").
"""

from __future__ import annotations

from collections.abc import Iterator

from store.agents.transcript import Speaker
from store.capture.candidate import Candidate
from store.capture.work import Reading
from store.model import Category
from store.text.content_words import content_words
from store.text.shortening import cut, opening

_LEAST_TURNS = 2
"""Messages of the person: one question with its answer is no talk."""
_LEAST_WORDS = 8
"""Words with a meaning of a last message that says something."""
_BEGUN, _ENOUGH, _ENDED = 240, 400, 700
"""Characters of how it began, and of the last message, at least and at most."""


def find(reading: Reading) -> Iterator[Candidate]:
    """Yield a decision for a session that was talk alone."""
    messages = reading.session.messages
    answers = [message for message in messages if message.speaker is Speaker.AGENT]
    if reading.session.steps or not answers or len(messages) - len(answers) < _LEAST_TURNS:
        return
    last = answers[-1]
    begun = next((work.title for work in reading.works if work.title), "")
    if begun and len(content_words(last.text)) >= _LEAST_WORDS:
        ended = opening(last.text, _ENOUGH, _ENDED)
        yield reading.from_message(last, Category.DECISION, f"{ended}\nAsked: {cut(begun, _BEGUN)}")
