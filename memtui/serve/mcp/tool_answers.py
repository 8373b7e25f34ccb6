"""What the tools answer, as JSON schemas."""

from __future__ import annotations

from typing import Any

Schema = dict[str, Any]
ANSWER_BYTES = 4_000
"""What a model reads of an answer at most where no more was asked for, its text or its structure: a
client shows it one of both.
"""


def object_of(required: tuple[str, ...], /, **properties: Schema) -> Schema:
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


def list_of(of: Schema, **limits: int) -> Schema:
    return {"type": "array", "items": of, **limits}


_LEVEL: Schema = {"enum": ["mine", "project", "team"], "description": "Whose it is."}
LINE: Schema = {
    "type": "object",
    "properties": {
        "id": {"type": "string"},
        "line": {"type": "string", "description": "One line that says what it is."},
        "why": {"type": "string", "description": "The passage that matched."},
        "category": {"type": "string"},
        "issue": {"type": "integer"},
        "agent": {"type": "string"},
        "date": {"type": "string"},
        "level": _LEVEL,
    },
    "required": ["id", "line"],
}
MEMORY: Schema = {
    "type": "object",
    "properties": {
        "id": {"type": "string"},
        "content": {"type": "string"},
        "category": {"type": "string"},
        "issue": {"type": "integer"},
        "agent": {"type": "string"},
        "date": {"type": "string"},
        "level": _LEVEL,
        "tags": {"type": "array", "items": {"type": "string"}},
        "session": {"type": "string", "description": "The session it was learned in."},
        "sources": {"type": "array", "items": {"type": "string"}},
        "archived": {"type": "boolean"},
        "cut": {"type": "boolean", "description": "The content is longer; `all` returns it whole."},
    },
    "required": ["id", "content"],
}
_WAITING: Schema = {
    "type": "string",
    "description": "It waits for the user to approve it, by this id; nothing recalls it before.",
}
CHANGED: Schema = object_of(
    ("id", "done", "proposed"),
    id={"type": "string"},
    done={"type": "boolean"},
    proposed={"type": "boolean", "description": "The user has to decide."},
    waiting=_WAITING,
)
ADDED: Schema = {
    "id": {"type": "string"},
    "new": {"type": "boolean", "description": "False if it was already stored."},
    "waiting": _WAITING,
    "refused": {"type": "boolean", "description": "It was removed or reworded here before."},
}
