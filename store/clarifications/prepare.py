"""Texts of clarifications: cleaned on the way in and on the way out."""

from __future__ import annotations

from dataclasses import replace

from store.clarifications.model import Clarification
from store.clarifications.rules import Question
from store.errors import InvalidObservation
from store.model import MAX_CONTENT, MAX_SUMMARY
from store.records import cut_line
from store.redaction.labels import agent_name, clean_label
from store.redaction.sanitizer import sanitize
from store.validation.prepare import CUT_MARK


def prepared(question: Question) -> Question:
    """Return a question as it may be kept. Raises `InvalidObservation`."""
    topic = cut_line(sanitize(question.topic).text, MAX_SUMMARY)
    if not topic:
        raise InvalidObservation("The topic is empty.", "Say in a few words what it is about.")
    return question._replace(
        asker=agent_of(question.asker),
        asked=agent_of(question.asked),
        topic=topic,
        body=text_of(question.body),
    )


def agent_of(name: str) -> str:
    """Return an agent's name as it may be kept. Raises `InvalidObservation`."""
    kept = agent_name(name.strip())
    if not kept:
        raise InvalidObservation(
            f"{name!r} is not an agent's name.", "Use letters, digits, `.`, `_` and `-`."
        )
    return kept


def text_of(body: str, *, required: bool = True) -> str:
    """Return a text without secrets, cut to its limit. Raises `InvalidObservation`."""
    text = sanitize(body).text.strip()
    if required and not text:
        raise InvalidObservation("The text is empty.", "Write the question or the answer.")
    if len(text) > MAX_CONTENT:
        text = text[: MAX_CONTENT - len(CUT_MARK)].rstrip() + CUT_MARK
    return text


def clean(clarification: Clarification) -> Clarification:
    """Return a clarification as it may be shown, whoever wrote it: without secrets, and without
    its record, which may hold anything.
    """
    return replace(
        clarification,
        asker=clean_label(clarification.asker),
        asked=clean_label(clarification.asked),
        topic=sanitize(clarification.topic).text,
        thread=tuple(
            entry._replace(by=clean_label(entry.by), body=sanitize(entry.body).text)
            for entry in clarification.thread
        ),
        record={},
    )
