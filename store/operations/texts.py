"""Changing named texts as a plan says: each only while it is what the plan saw."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from store.backends.protocol import Backend
from store.backends.text_kinds import TextKind
from store.errors import NotFound, Unopened, Unreadable
from store.notice import Notice, notice, quoted
from store.operations.plan import Plan, TextChange
from store.records import as_json


def change_texts(backend: Backend, plan: Plan, left: list[Notice]) -> int:
    """Change the texts of a plan; how many were changed. One that has changed since is left: it is
    named, unless it only goes with records that are changed; so is one that can't be opened. Raises
    as writing does.
    """
    if not plan.texts:
        return 0
    done = 0
    with backend.locked():
        for change in plan.texts:
            try:
                now = _now(backend, change)
            except Unopened as error:
                left.append(quoted(error.message))
                continue
            if now == change.after:
                continue
            if now != change.before:
                left += [] if plan.changes else [notice("changed-since", what=change.path)]
                continue
            if change.after is None:
                backend.forget(change.kind, change.name)
                if change.kind is TextKind.SESSIONS:  # its messages go with it
                    backend.forget(TextKind.MESSAGES, change.name)
            else:
                backend.keep(change.kind, change.name, as_json(change.after))
            done += 1
    return done


def are_texts_changed(backend: Backend, plan: Plan) -> bool:
    try:
        return any(_now(backend, change) != change.before for change in plan.texts)
    except Unopened:
        return True


def records_of(texts: Sequence[TextChange]) -> list[dict[str, Any]]:
    return [
        {"kind": str(text.kind), "name": text.name, "before": text.before, "after": text.after}
        for text in texts
    ]


def _now(backend: Backend, change: TextChange) -> object:
    """A text as it is; None where it is gone, and what is no JSON as it can't be meant.

    Raises `Unopened`.
    """
    try:
        return json.loads(backend.kept(change.kind, change.name))
    except NotFound:
        return None
    except Unopened:
        raise
    except (Unreadable, ValueError, RecursionError):
        return b"unreadable"
