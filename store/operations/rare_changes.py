"""The parts of a plan that few plans have, in their order."""

from __future__ import annotations

from store.backends.protocol import Backend
from store.operations.clarifications import change_clarifications
from store.operations.file_changes import change_files
from store.operations.instruction_lines import change_lines
from store.operations.outcome import Outcome
from store.operations.plan import Plan


def make_rare_changes(backend: Backend, plan: Plan) -> Outcome:
    """Change the clarifications of a plan, and files that clients load. Raises as writing does."""
    outcome = Outcome()
    for is_part, change in (
        (plan.clarifications, change_clarifications),
        (plan.lines, change_lines),
        (plan.files, change_files),
    ):
        if is_part:
            outcome += change(backend, plan)
    return outcome
