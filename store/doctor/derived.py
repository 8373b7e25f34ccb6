"""Whether what is derived from the issue files is in step with them: manifest and index."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from store.backends.files.layout import MANIFEST
from store.doctor.findings import Finding, IndexHealth, Kind


def manifest_finding(folder: Path, listed: list[str] | None, count: int) -> Finding:
    """What is wrong with a manifest that does not list the `count` observations of the files."""
    if listed is None:
        state = "can't be read" if (folder / MANIFEST).exists() else "is missing"
        message = f"{MANIFEST} {state}; AgentX finds nothing without it."
    else:
        others = "others" if len(listed) == count else f"{count:,}"
        message = f"{MANIFEST} lists {len(listed):,} observations, the issue files hold {others}."
    return Finding(Kind.MANIFEST, MANIFEST, message, "Build it anew from the issue files.")


def index_findings(index: IndexHealth, expected: int) -> Iterator[Finding]:
    """Whether the index holds as many observations as the files, in few pieces."""
    if index.documents != expected:
        yield Finding(
            Kind.INDEX,
            "",
            f"The index holds {index.documents:,} observations, the files {expected:,}.",
            "Build the index anew.",
        )
    elif index.segments > 60:
        yield Finding(
            Kind.INDEX,
            "",
            f"The index is in {index.segments} pieces, which makes searching slower.",
            "Build the index anew.",
        )
