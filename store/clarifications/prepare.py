"""Texts of clarifications: cleaned on the way in and on the way out."""

from __future__ import annotations

from dataclasses import replace

from store.clarifications.model import Clarification
from store.clarifications.rules import Question
from store.errors import InvalidObservation
from store.model import MAX_CONTENT, MAX_SUMMARY
from store.redaction.labels import agent_name, clean_label
from store.redaction.sanitizer import sanitize
from store.validation.prepare import CUT_MARK


def prepared(question: Question) -> Question:
    """Return a question as it may be kept. Raises `InvalidObservation`."""
    topic = " ".join(sanitize(question.topic).text.split())
    if not topic:
        raise InvalidObservation("The topic is empty.", "Say in a few words what it is about.")
    if len(topic) > MAX_SUMMARY:
        topic = topic[: MAX_SUMMARY - 1].rstrip() + "…"
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
    """Clean a text of secrets and cut it to its limit. Raises `InvalidObservation`."""
    said = sanitize(body).text.strip()
    if required and not said:
        raise InvalidObservation("The text is empty.", "Write the question or the answer.")
    if len(said) > MAX_CONTENT:
        said = said[: MAX_CONTENT - len(CUT_MARK)].rstrip() + CUT_MARK
    return said


def clean(clarification: Clarification) -> Clarification:
    """Return a clarification as it may be shown, whoever wrote it: without secrets, and without
    what is not understood of its record.
    """
    thread = tuple(
        entry._replace(by=clean_label(entry.by), body=sanitize(entry.body).text)
        for entry in clarification.thread
    )
    return replace(
        clarification,
        asker=clean_label(clarification.asker),
        asked=clean_label(clarification.asked),
        topic=sanitize(clarification.topic).text,
        thread=thread,
        record={},
    )
