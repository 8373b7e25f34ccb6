"""Findings about the index: in step with the record, in few segments."""

from __future__ import annotations

from collections.abc import Iterator

from store.doctor.findings import Finding, FindingKind, IndexHealth
from store.notice import notice


def index_findings(index: IndexHealth, expected: int) -> Iterator[Finding]:
    """Compare the index with the files: number of observations, number of segments."""
    if index.documents != expected:
        yield Finding(
            FindingKind.INDEX,
            "",
            notice("index-behind", documents=index.documents, files=expected),
            notice("rebuild-index"),
        )
    elif index.segments > 60:
        yield Finding(
            FindingKind.INDEX,
            "",
            notice("index-in-pieces", segments=index.segments),
            notice("rebuild-index"),
        )
