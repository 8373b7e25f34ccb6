"""What changed in large issues since they were read: the database keeps it beside their stamps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from store.backends.postgres.transaction import Connection
    from store.backends.protocol import Stamps

_ASK = (
    "select issue, touched, touched_at from memtui.issues "
    "where project = %s and issue = any(%s) and touched <> '{}'"
)


def touched_since(
    connection: Connection, project: int, known: Stamps
) -> Mapping[int, frozenset[str]]:
    """The ids of what was added, changed or removed in some issues since they had these stamps.

    Issues of which that is not known are left out: small ones, those of which much changed, and
    those that never had the stamp here, as after a backup was restored.
    """
    if not known:
        return {}
    rows = connection.execute(_ASK, (project, list(known)), prepare=True).fetchall()
    since: dict[int, frozenset[str]] = {}
    for issue, ids, stamps in rows:
        if known[issue] in stamps:
            last = len(stamps) - stamps[::-1].index(known[issue])
            since[issue] = frozenset(ids[last:])
    return since
