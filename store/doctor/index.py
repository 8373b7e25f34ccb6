"""Whether the index is in step with the record."""

from __future__ import annotations

from collections.abc import Iterator

from store.doctor.findings import Finding, FindingKind, IndexHealth
from store.notice import notice


def index_findings(index: IndexHealth, expected: int) -> Iterator[Finding]:
    """Whether the index holds as many observations as the files, in few pieces."""
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
