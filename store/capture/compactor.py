"""SPEC-29's compactor: a conversation in, a summary of four sections out.

Its patterns are kept as they are, without word boundaries; capture from real transcripts has
patterns of its own (`store.capture.prose`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

_DECISION = re.compile(
    r"(?:decided|decision|chose|selected|agreed|approved)[:.]?[^\S\n]*([^\n]+)", re.I
)
_CODE_CHANGE = re.compile(
    r"(?:created|modified|updated|deleted|wrote)\s+(?:file\s+)?[`\"']?([^\s`\"']+\.\w+)[`\"']?",
    re.I,
)
_ERROR = re.compile(r"(?:error|failed|exception|bug)[^\n]*", re.I)
_KEY_WORDS = ("important", "note", "require", "must", "should", "critical")
_FACT_LINES = 5
_SECTIONS = (
    ("Decisions", 10),
    ("Code Changes", 15),
    ("Errors Encountered", 10),
    ("Key Facts", 10),
)


def compact_conversation(messages: Iterable[Mapping[str, Any]]) -> str:
    """The summary of messages, `{role, content}` each, in Markdown.

    At most 10 decisions, 15 code changes, 10 errors and 10 key facts, none of them twice.
    """
    messages = list(messages)
    texts = [_text(message) for message in messages]
    found = (
        [match.group().strip() for text in texts for match in _DECISION.finditer(text)],
        [match.group().strip() for text in texts for match in _CODE_CHANGE.finditer(text)],
        [match.group().strip() for text in texts for match in _ERROR.finditer(text)],
        [fact for text in texts for fact in _key_facts(text)],
    )
    lines = [
        "## Context Compaction Summary",
        "",
        f"Compacted from {len(texts)} messages (~{tokens_of(messages)} tokens).",
    ]
    for (title, most), entries in zip(_SECTIONS, found, strict=True):
        distinct = list(dict.fromkeys(entries))[:most]
        if distinct:
            lines += ["", f"### {title}", *(f"- {entry}" for entry in distinct)]
    return "\n".join(lines)


def tokens_of(messages: Iterable[Mapping[str, Any]]) -> int:
    """The tokens of messages, each a quarter of its characters (SPEC-29)."""
    return sum(-(-len(_text(message)) // 4) for message in messages)


def _text(message: Mapping[str, Any]) -> str:
    return str(message.get("content") or message.get("text") or "")


def _key_facts(text: str) -> list[str]:
    lines = (line.strip() for line in text.split("\n")[:_FACT_LINES])
    return [
        line
        for line in lines
        if 10 < len(line) < 200 and any(word in line.lower() for word in _KEY_WORDS)
    ]
