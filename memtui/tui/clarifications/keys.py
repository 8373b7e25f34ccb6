"""The keys of the screen of clarifications."""

from __future__ import annotations

from textual.binding import Binding, BindingType

CLARIFICATION_KEYS: list[BindingType] = [
    Binding(
        "a",
        "answer",
        "answer",
        id="clarifications.answer",
        tooltip="Answer for the asked agent, or as yourself once escalated",
    ),
    Binding(
        "r",
        "resolve",
        "resolve",
        id="clarifications.resolve",
        tooltip="Resolve with its answer",
    ),
    Binding(
        "e",
        "escalate",
        "escalate",
        id="clarifications.escalate",
        tooltip="Escalate to a person",
    ),
    Binding(
        "x",
        "abandon",
        "abandon",
        show=False,
        id="clarifications.abandon",
        tooltip="Abandon",
    ),
    Binding(
        "d",
        "decision",
        "keep as decision",
        id="clarifications.decision",
        tooltip="Add the outcome as a decision, after a preview",
    ),
]
