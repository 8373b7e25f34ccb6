"""Input of a hook from an agent's program: JSON on standard input, read with a time limit."""

from __future__ import annotations

import os
from collections.abc import Mapping
from select import select
from time import monotonic
from typing import Any, NamedTuple

from store.platform.bounds import load_json
from store.redaction.labels import agent_name, clean_label

_MOST_BYTES = 8_000_000
"""More than any hook's input; what is longer is not one."""


class HookInput(NamedTuple):
    """The fields of a hook's input that memory uses; empty where the agent does not send them."""

    session_id: str = ""
    transcript_path: str = ""
    agent_transcript_path: str = ""
    folder: str = ""
    event: str = ""
    agent_type: str = ""
    source: str = ""
    reason: str = ""
    prompt: str = ""
    last_words: str = ""
    summary: str = ""
    fields: Mapping[str, Any] | None = None


def is_in_cursor(given: HookInput, environ: Mapping[str, str]) -> bool:
    """Return whether Cursor runs the hook: it runs those of Claude Code, too."""
    return "CURSOR_VERSION" in environ or "cursor_version" in (given.fields or {})


def parse_input(text: str) -> HookInput | None:
    """The input that a text holds; None where it is no JSON object."""
    try:
        fields = load_json(text)
    except ValueError:
        return None
    if not isinstance(fields, dict):
        return None

    def said(*keys: str) -> str:
        values = (fields.get(key) for key in keys)
        return next((value for value in values if isinstance(value, str) and value), "")

    roots = fields.get("workspace_roots")
    root = roots[0] if isinstance(roots, list) and roots else ""

    return HookInput(
        session_id=clean_label(said("session_id", "conversation_id")),
        transcript_path=said("transcript_path"),
        agent_transcript_path=said("agent_transcript_path"),
        folder=said("cwd") or str(root),
        event=said("hook_event_name"),
        agent_type=agent_name(said("agent_type")),
        source=said("source"),
        reason=said("reason"),
        prompt=said("prompt") or _text_of(fields.get("prompt")),
        last_words=said("last_assistant_message"),
        summary=said("compact_summary"),
        fields=fields,
    )


def _text_of(parts: object) -> str:
    listed = parts if isinstance(parts, list) else []
    texts = [part.get("text") for part in listed if isinstance(part, dict)]
    return "\n".join(text for text in texts if isinstance(text, str))


def read_within(descriptor: int, seconds: float) -> str:
    """All that arrives at a file descriptor until it is closed, or until `seconds` have passed.

    What a silent or endless writer sent by then is returned; it is up to the parser whether that
    makes sense. Files and pipes that can't be waited for are read to their end.
    """
    end = monotonic() + seconds
    parts: list[bytes] = []
    size = 0
    while size < _MOST_BYTES:
        if not _is_ready(descriptor, max(0.0, end - monotonic())):
            break
        part = os.read(descriptor, 65_536)
        if not part:
            break
        parts.append(part)
        size += len(part)
    return b"".join(parts).decode("utf-8", "replace")


def _is_ready(descriptor: int, seconds: float) -> bool:
    try:
        return bool(select([descriptor], [], [], seconds)[0])
    except (OSError, ValueError):
        return True
