"""The parts of a message in Gemini's format: text, thoughts, and the responses of tools.

Qwen Code keeps its messages in the same format.
"""

from __future__ import annotations

import re

from store.agents.records import Record, blocks, text_of
from store.platform.json_fields import mapping, string

_FAILED = ("\nExit Code: ", "\nError: ", "\nSignal: ")
_NONE = ("0", "(none)")
_OUTPUT = re.compile(
    r"(?:\A|\n)Output: (.*?)"
    r"(?=\n(?:Error|Exit Code|Signal|Background PIDs|Process Group PGID): |\n?</untrusted|\Z)",
    re.S,
)
"""What a command printed, in the report of the shell tool."""


def message_text(content: object) -> str:
    """Return the text of a message's parts, without the model's thoughts."""
    return text_of([part for part in blocks(content) if part.get("thought") is not True])


def response_text(response: Record) -> tuple[str, bool]:
    """Return the text of a tool's response, and whether the tool failed."""
    error = string(response.get("error"))
    if error:
        output = _OUTPUT.search(error)
        return (output.group(1) if output else error), True
    text = string(response.get("output"))
    failed = any(_labelled_text(text, label) not in ("", *_NONE) for label in _FAILED)
    output = _OUTPUT.search(text)
    return (output.group(1) if output else text), failed


def function_responses(content: object) -> list[tuple[str, Record]]:
    """Return the tools' responses among a message's parts: the id of the call, and the response."""
    found = [mapping(part.get("functionResponse")) for part in blocks(content)]
    return [
        (string(response.get("id")), mapping(response.get("response")))
        for response in found
        if response
    ]


def _labelled_text(text: str, label: str) -> str:
    _, found, rest = text.rpartition(label)
    return rest.split("\n", 1)[0].strip() if found else ""
