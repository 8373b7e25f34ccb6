"""The decisions and lessons that an agent states with their reason."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from store.agents.session import Session
from store.agents.transcript import Message
from store.capture.candidate import Candidate, passage_of, shorten
from store.capture.requests.request import Request
from store.capture.steps.tools import edits_of
from store.capture.text.causes import names_cause
from store.capture.text.chatter import is_aside
from store.capture.text.facts import ENOUGH, teaches
from store.capture.text.grounds import Grounds, says_what
from store.capture.text.prose import leans, sentences, statements
from store.model import Category
from store.text.content_words import content_words
from store.text.regex import regex

_LONGEST_TITLE = 160
"""Characters of the title of a request."""
_ON_PURPOSE = regex(
    r"\b(?<!if )(?<!unless )(?:deliberate(?:ly)?|intentional(?:ly)?|on purpose|by design"
    r"|the alternative (?:would have been|was)|would (?:also )?have (?:also )?worked)\b",
    re.I,
)
_OF_A_CHECK = regex(r"\b(?:enough|able|possible) to (?:verify|check|test|try|show)\b", re.I)
"""How something is to be tried out."""
_ASIDE = regex(r"\([^()]*\)|\"[^\"]*\"")
"""What stands in brackets or was cited is not said of the rest."""


def stated(session: Session, requests: Sequence[Request]) -> Iterator[Candidate]:
    """The decisions and lessons that an agent states with their reason, and what they were on.

    That is the request before them, where it has a word of theirs: an answer asks for nothing. Why
    something was mended is told by the change that mended it.
    """
    last = max(
        (s.call.line for s in session.steps if any(True for _ in edits_of(s.call))), default=0
    )
    for request in requests:
        title = shorten(request.title, _LONGEST_TITLE)
        title = "" if title.endswith("?") or not says_what(title, Grounds()) else title
        for said in request.said:
            for category, sentence in (*statements(said.text), *_on_purpose(said.text)):
                if category is Category.LESSON and said.line < last and names_cause(sentence):
                    continue
                if category is Category.LESSON and teaches(sentence) < ENOUGH - 1:
                    continue
                if is_aside(sentence) or _OF_A_CHECK.search(sentence):
                    continue
                is_on = content_words(title) & content_words(sentence)
                text = f"{sentence}\nOn: {title}" if is_on else sentence
                yield _from_words(said, category, text, sentence)


def _on_purpose(text: str) -> Iterator[tuple[str, str]]:
    """What a message says is so on purpose, or which other way there was, as far as it teaches."""
    if _ON_PURPOSE.search(text) is None:
        return
    for sentence in sentences(text):
        if _ON_PURPOSE.search(_ASIDE.sub("", sentence)) is None or leans(sentence):
            continue
        if teaches(sentence) >= ENOUGH:
            yield Category.DECISION, sentence


def _from_words(said: Message, category: str, text: str, summary: str) -> Candidate:
    return Candidate(
        category=category,
        content=text,
        summary=summary,
        line=said.line,
        at=said.at,
        passage=passage_of(said.text),
    )
