"""Changing the named texts of a plan (digests of sessions and the like): each only while it is what
the plan saw.
"""

from __future__ import annotations

import json

from store.backends.protocol import Backend
from store.backends.text_kinds import TextKind
from store.errors import NotFound, Unopened, Unreadable
from store.notice import Notice, notice, quoted
from store.operations.outcome import Outcome
from store.operations.plan import Plan, TextChange
from store.records import as_json


def change_texts(backend: Backend, plan: Plan) -> Outcome:
    """Change the texts of a plan. Raises as writing does.

    One that has changed since is left, and named, unless it only goes with records that are
    changed; so is one that can't be opened.
    """
    if not plan.texts:
        return Outcome()
    changed = 0
    left: list[Notice] = []
    with backend.locked():
        for change in plan.texts:
            try:
                current = _current_text(backend, change)
            except Unopened as error:
                left.append(quoted(error.message))
                continue
            if current == change.after:
                continue
            if current != change.before:
                left += [] if plan.changes else [notice("changed-since", what=change.path)]
                continue
            _write(backend, change)
            changed += 1
    return Outcome(changed, tuple(left))


def _write(backend: Backend, change: TextChange) -> None:
    if change.after is not None:
        private = change.kind is TextKind.INBOX
        backend.texts.keep(change.kind, change.name, as_json(change.after), private=private)
        return
    backend.texts.remove(change.kind, change.name)
    if change.kind is TextKind.SESSIONS:  # its messages go with it
        backend.texts.remove(TextKind.MESSAGES, change.name)


def are_texts_changed(backend: Backend, plan: Plan) -> bool:
    """Return whether a plan's texts are others than before it, as far as they can be read."""
    try:
        return any(_current_text(backend, change) != change.before for change in plan.texts)
    except Unopened:
        return True


def _current_text(backend: Backend, change: TextChange) -> object:
    """Return a text as it is; None where it is gone, and what is no JSON as it can't be meant.

    Raises `Unopened`.
    """
    try:
        return json.loads(backend.texts.read(change.kind, change.name))
    except NotFound:
        return None
    except Unopened:
        raise
    except (Unreadable, ValueError, RecursionError):
        return b"unreadable"
