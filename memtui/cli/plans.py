"""Carrying out a plan from the command line: shown first, asked for, applied, and undoable."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import NoReturn, Protocol

import click

from memtui.cli.exits import FAILED
from memtui.cli.options import Options
from memtui.cli.output import fail, note, print_json, print_line, progress, source_of_command
from memtui.words.notices import sentence
from memtui.words.plans import plan_text
from memtui.words.sentences import done, title
from store.action import ActionKind
from store.memory import Memory
from store.notice import notice
from store.operations.apply import Applied
from store.operations.plan import Plan
from store.text.display import visible

_ASKED_TWICE = frozenset({"remove", "forget", "archive", "prune", "compact"})
"""The kinds of plans that Enter alone does not confirm: they take memories away."""
_WRITING = frozenset({ActionKind.ADD, ActionKind.EDIT, ActionKind.IMPORT})
"""The kinds of plans that bring texts: of an agent's shell these may have to be approved."""
_NAMED = 5
"""Memories that stay as they are and are named; more are counted."""


class FilePlan(Protocol):
    """A planned change of a file that is no part of memory."""

    @property
    def is_empty(self) -> bool: ...

    @property
    def diff(self) -> str: ...


def carry_out(
    memory: Memory,
    plan: Plan,
    options: Options,
    *,
    shown: str = "",
    data: object = None,
    apply: Callable[[], Applied] | None = None,
) -> bool:
    """Show a plan; unless it is a dry run, ask, and apply it. Return whether it was applied.

    `shown` replaces the plan's diff, and `data` its changes as JSON; `apply` carries it out where
    that is more than applying the plan. Without a terminal to ask on, and without `yes`, the plan
    is shown, and the command fails: nothing is changed that nobody agreed to.
    """
    if plan.is_empty and apply is None:
        if options.as_json:
            print_json({"title": title(plan.action), "changed": 0})
        else:
            note("Nothing to do.")
        return False
    if not is_agreed(
        lambda: visible(shown or plan_text(plan)).rstrip(),
        lambda: data or _as_data(plan),
        f"{visible(title(plan.action), newlines=False)}?",
        options,
        default=plan.kind not in _ASKED_TWICE,
    ):
        return False
    writes = plan.kind in _WRITING and not plan.has_other_changes
    with progress(visible(title(plan.action), newlines=False)):
        source = source_of_command() if writes else ""
        applied = apply() if apply is not None else memory.apply(plan, source=source)
    report(applied, as_json=options.as_json)
    return True


def is_agreed(
    text: Callable[[], str],
    data: Callable[[], object],
    question: str,
    options: Options,
    *,
    default: bool = True,
) -> bool:
    """Return whether a change is to be carried out: by `--yes`, else asked.

    A dry run only shows it, as `text` or `data`. So does a command without a terminal to ask on,
    which ends there.
    """
    if options.dry_run or not (options.yes or can_ask()):
        print_json(data()) if options.as_json else print_line(text())
        if not options.dry_run:
            refuse_unasked()
        return False
    if options.yes:
        return True
    click.echo(text(), err=True)
    return _is_confirmed(question, default=default)


def is_change_agreed(
    plan: FilePlan, question: str, *, dry_run: bool, yes: bool, unchanged: str
) -> bool:
    """Show a planned change of a file, and return whether to make it: by `--yes`, else asked.

    A file that stays as it is gets the note `unchanged`.
    """
    if plan.is_empty:
        note(unchanged)
        return False
    print_line(visible(plan.diff).rstrip())
    return not dry_run and is_question_agreed(question, yes=yes)


def can_ask() -> bool:
    return sys.stdin.isatty() and sys.stderr.isatty()


def refuse_unasked() -> NoReturn:
    fail("Nothing changed: no terminal to confirm in.", "Run it again with --yes.")
    raise click.exceptions.Exit(FAILED)


def is_question_agreed(question: str, *, yes: bool) -> bool:
    """Return whether a change is agreed to: by `--yes`, else asked. Ends the command where there is
    no terminal to ask on.
    """
    if not yes and not can_ask():
        refuse_unasked()
    return yes or _is_confirmed(question)


def _is_confirmed(question: str, *, default: bool = True) -> bool:
    is_confirmed = click.confirm(question, default=default, err=True)
    if not is_confirmed:
        note("Nothing changed.")
    return is_confirmed


def carry_out_on(
    memory: Memory, identifiers: Sequence[str], plan: Plan, already: str, options: Options
) -> None:
    """Carry out a plan for some observations, with a note on those that stay as they are.

    `already` follows their ids or their number: `archived already`.
    """
    left = _left(memory, identifiers, plan)
    if len(left) > _NAMED:
        note(f"{len(left):,} memories are {already}.")
    else:
        for identifier in left:
            note(f"{identifier} is {already}.")
    if options.as_json or not (plan.is_empty and left):
        carry_out(memory, plan, options)


def _left(memory: Memory, identifiers: Sequence[str], plan: Plan) -> list[str]:
    changed = {change.id for change in plan.changes}
    others = (identifier for identifier in identifiers if identifier not in changed)
    whole = dict.fromkeys(memory.get(identifier).id for identifier in others)
    return [identifier for identifier in whole if identifier not in changed]


def report(applied: Applied, *, as_json: bool) -> None:
    if as_json:
        print_json(
            {
                "title": title(applied.action),
                "operation": applied.operation_id,
                "changed": applied.changed,
                "left": [sentence(item) for item in applied.left],
                **({"waiting": list(applied.waiting)} if applied.waiting else {}),
            }
        )
        return
    if applied.waiting:
        note(sentence(notice("waits", changes=len(applied.waiting))))
    elif applied.changed:
        print_line(f"{visible(done(applied.action))}.")
    else:
        note(f"{visible(title(applied.action))}: nothing to change.")
    for one in applied.left[:_NAMED]:
        note(sentence(one))
    if len(applied.left) > _NAMED:
        note(f"and {len(applied.left) - _NAMED:,} more.")
    if applied.operation_id and not applied.final:
        note(f"Undo with `memtui undo {applied.operation_id[-4:]}`.")


def _as_data(plan: Plan) -> dict[str, object]:
    return {
        "kind": plan.kind,
        "title": title(plan.action),
        "moves": [{"from": move.source, "to": move.target} for move in plan.moves],
        "changes": [
            {
                "issue": change.issue,
                "location": str(change.location),
                "id": change.id,
                "before": change.before,
                "after": change.after,
            }
            for change in plan.changes
        ],
    }
