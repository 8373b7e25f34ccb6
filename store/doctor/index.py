"""Whether the index is in step with the record."""

from __future__ import annotations

from collections.abc import Iterator

from store.doctor.findings import Finding, FindingKind, IndexHealth


def index_findings(index: IndexHealth, expected: int) -> Iterator[Finding]:
    """Whether the index holds as many observations as the files, in few pieces."""
    if index.documents != expected:
        yield Finding(
            FindingKind.INDEX,
            "",
            f"The index has {index.documents:,} memories, the files {expected:,}.",
            "Rebuild the index.",
        )
    elif index.segments > 60:
        yield Finding(
            FindingKind.INDEX,
            "",
            f"The index has {index.segments} segments, which slows down search.",
            "Rebuild the index.",
        )
