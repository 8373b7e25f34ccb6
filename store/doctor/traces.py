"""Secrets in files other than the record: the journal, injected texts, digests of sessions."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from dataclasses import replace

from store.backends.issue_records import split_level, with_level
from store.backends.protocol import Backend
from store.backends.text_kinds import TextKind, text_at, text_path, unpacked
from store.doctor.findings import Finding, FindingKind
from store.errors import NotFound, Unreadable
from store.notice import notice
from store.records import as_json
from store.redaction.sanitizer import PRIVATE, clean_value


def trace_findings(backend: Backend) -> Iterator[Finding]:
    """Yield the texts that hold what looks like a secret; `clean_trace` mends each."""
    for level, part in backend.levels.items():
        if part.files is not None:
            for one in trace_findings(part):
                yield replace(one, path=with_level(one.path, level), level=level)
    if backend.levels:
        return
    for kind in TextKind:
        for name in _names(backend, kind):
            found: set[str] = set()
            if _cleaned(backend, kind, name, found) is not None and found:
                path = text_path(kind, name)
                yield Finding(
                    FindingKind.TRACE,
                    path,
                    notice("secret", what=path, rules=", ".join(sorted(found))),
                    notice("redact"),
                )


def clean_trace(backend: Backend, path: str) -> bool:
    """Replace the secrets in a text by marks; whether there were any. Must hold the store's lock.

    Raises `ReadOnly`, `WriteFailed`.
    """
    level, path = split_level(path)
    backend = backend.levels.get(level, backend)
    kind, name = text_at(path)
    found: set[str] = set()
    data = _cleaned(backend, kind, name, found)
    if data is None or not found:
        return False
    backend.texts.keep(kind, name, data)
    return True


def _names(backend: Backend, kind: TextKind) -> list[str]:
    try:
        return sorted(backend.texts.names(kind))
    except Unreadable:
        return []


def _cleaned(backend: Backend, kind: TextKind, name: str, found: set[str]) -> bytes | None:
    """Return a text without secrets, their rules added to `found`; None where it can't be read."""
    try:
        text = unpacked(kind, backend.texts.read(kind, name)).decode("utf-8", "surrogatepass")
        is_json = kind not in (TextKind.RECALLS, TextKind.MESSAGES)
        clean, redactions = clean_value(json.loads(text) if is_json else text)
    except (NotFound, Unreadable, ValueError, RecursionError):
        return None
    found.update(set(redactions) - {PRIVATE})
    if is_json:
        return as_json(clean)
    data = str(clean).encode("utf-8", "surrogatepass")
    return gzip.compress(data, mtime=0) if kind is TextKind.MESSAGES else data
