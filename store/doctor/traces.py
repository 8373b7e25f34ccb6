"""Secrets in what is kept beside the record: the journal, injected texts, digests of sessions."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from store.backends.files.layout import OPERATIONS, RECALLS, SESSIONS
from store.disk import read_bytes, replace_durably
from store.doctor.findings import Finding, Kind
from store.errors import Unreadable
from store.raw_record import as_json
from store.redaction.sanitizer import PRIVATE, sanitize

_PLACES = (OPERATIONS, RECALLS, SESSIONS)


def trace_findings(folder: Path) -> Iterator[Finding]:
    """The files that hold what looks like a secret; `clean_trace` mends each."""
    for place in _PLACES:
        for path in _files(folder / place):
            found: set[str] = set()
            if _cleaned(path, folder, found) is not None and found:
                yield Finding(
                    Kind.TRACE,
                    f"{place}/{path.name}",
                    f"{place}/{path.name} holds what looks like a secret "
                    f"({', '.join(sorted(found))}).",
                    "Replace it by a mark, for good: this part of a repair can't be undone.",
                )


def clean_trace(folder: Path, name: str) -> bool:
    """Replace the secrets in a file by marks; whether there were any. Must hold the store's gate.

    Raises `ReadOnly`, `WriteFailed`.
    """
    found: set[str] = set()
    data = _cleaned(folder / name, folder, found)
    if data is None or not found:
        return False
    replace_durably(folder / name, data, folder)
    return True


def _files(folder: Path) -> list[Path]:
    try:
        return sorted(path for path in folder.iterdir() if path.suffix in {".json", ".md"})
    except OSError:
        return []


def _cleaned(path: Path, root: Path, found: set[str]) -> bytes | None:
    """A file's content without secrets, their rules added to `found`; None where it is unread."""
    try:
        text = read_bytes(path, root).decode("utf-8", "surrogatepass")
        if path.suffix == ".md":
            return _clean(text, found).encode("utf-8", "surrogatepass")
        return as_json(_clean_value(json.loads(text), found))
    except (OSError, Unreadable, ValueError, RecursionError):
        return None


def _clean_value(value: Any, found: set[str]) -> Any:  # noqa: ANN401 - JSON of unknown shape
    if isinstance(value, str):
        return _clean(value, found)
    if isinstance(value, Mapping):
        return {key: _clean_value(item, found) for key, item in value.items()}
    if isinstance(value, list):
        return [_clean_value(item, found) for item in value]
    return value


def _clean(text: str, found: set[str]) -> str:
    clean = sanitize(text)
    found.update(set(clean.redactions) - {PRIVATE})
    return clean.text
