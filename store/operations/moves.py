"""Moving the files of a plan whole, as repairs do."""

from __future__ import annotations

from store.backends.protocol import Backend
from store.errors import Conflict, InvalidObservation
from store.notice import Notice, quoted
from store.operations.outcome import Outcome
from store.operations.plan import Plan


def move_files(backend: Backend, plan: Plan) -> Outcome:
    """Move the files of a plan; one whose source is gone or whose target exists is left."""
    moved = 0
    left: list[Notice] = []
    files = backend.files
    for move in plan.moves:
        try:
            if files is None:
                raise InvalidObservation(f"{move.source!r} is not a file that repairs move.", "")
            moved += files.move(move.source, move.target)
        except (Conflict, InvalidObservation) as error:
            left.append(quoted(error.message))
    return Outcome(moved, tuple(left))
