"""Why memories of a cluster become one, in words."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from memtui.formatting import count
from store.compaction.model import Cluster

_MERGED: Mapping[str, str] = MappingProxyType(
    {
        "duplicate": "{count} say the same",
        "superseded": "a later one replaces an earlier one",
        "folded": "{count} older ones in one list",
    }
)
"""Why memories become one, by the reason of their cluster."""


def why_merged(cluster: Cluster) -> str:
    """Return why memories become one: `3 say the same`."""
    return _MERGED[cluster.reason].format(count=count(len(cluster.originals)))
