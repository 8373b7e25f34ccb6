"""The cheap signs by which a file that a merge of lines broke is told from a healthy one."""

from __future__ import annotations

_UPDATED = b'"updatedAt"'
_CONTENT = b'\n  "content":'
_HEAD = 4096
"""Bytes in which a file's own keys stand, as every program writes it."""


def has_markers(data: bytes) -> bool:
    """Whether a file may hold git's conflict markers."""
    return b"<<<<<<< " in data and b"\n>>>>>>> " in data


def may_be_fused(data: bytes) -> bool:
    """Whether a file says twice when it was updated, as a merge that keeps all lines leaves it."""
    return data.count(_UPDATED, 0, _HEAD) > 1


def may_be_fused_memory(data: bytes) -> bool:
    """Whether a memory's own file may say its text twice: inside a text a quote has a backslash."""
    return data.count(_CONTENT) > 1
