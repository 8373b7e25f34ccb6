"""Carrying out a plan from the command line: shown first, asked for, applied, and undoable."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

from memtui.cli.output import note, say, say_json
from store.text.visible import visible

if TYPE_CHECKING:
    from store.operations.apply import Applied
    from store.operations.plan import Plan
    from store.pipeline import MemoryPipeline

F = TypeVar("F", bound=Callable[..., Any])

_NAMED = 5  # observations that stay as they are and are named; more are counted


def operation_options(command: F) -> F:
    """The options of every command that changes memory: `--dry-run`, `--yes`, `--json`, `--dir`."""
    from memtui.cli.memory import dir_option, json_option

    dry = click.option(
        "--dry-run", is_flag=True, help="Show what would change, and change nothing."
    )
    yes = click.option("--yes", "-y", is_flag=True, help="Don't ask.")
    return dry(yes(json_option(dir_option(command))))


def carry_out(
    memory: MemoryPipeline,
    plan: Plan,
    *,
    dry_run: bool,
    yes: bool,
    as_json: bool,
    shown: str = "",
    data: object = None,
    apply: Callable[[], Applied] | None = None,
) -> None:
    """Show a plan; unless it is a dry run, ask, and apply it.

    `shown` replaces the plan's diff, and `data` its changes as JSON; `apply` carries it out where
    that is more than applying the plan. Without a terminal to ask on, nothing is asked: the
    command itself is the answer.
    """
    from store.operations.diff import describe

    if plan.is_empty and apply is None:
        say_json({"title": plan.title, "changed": 0}) if as_json else note("Nothing to do.")
        return
    if dry_run:
        say_json(data or _as_data(plan)) if as_json else say(
            visible(shown or describe(plan)).rstrip()
        )
        return
    if not yes and sys.stdin.isatty():
        click.echo(visible(shown or describe(plan)).rstrip(), err=True)
        if not click.confirm(f"{plan.title}?", default=True, err=True):
            note("Nothing was changed.")
            return
    applied = apply() if apply is not None else memory.apply(plan)
    report(applied, as_json=as_json)


def carry_out_on(
    memory: MemoryPipeline,
    identifiers: Sequence[str],
    plan: Plan,
    already: str,
    *,
    dry_run: bool,
    yes: bool,
    as_json: bool,
) -> None:
    """Carry out a plan for some observations; of those it leaves as they are, say what is so.

    `already` follows their ids or their number: `archived already`.
    """
    left = _left(memory, identifiers, plan)
    if len(left) > _NAMED:
        note(f"{len(left):,} observations are {already}.")
    else:
        for identifier in left:
            note(f"{identifier} is {already}.")
    if as_json or not (plan.is_empty and left):
        carry_out(memory, plan, dry_run=dry_run, yes=yes, as_json=as_json)


def _left(memory: MemoryPipeline, identifiers: Sequence[str], plan: Plan) -> list[str]:
    """The whole ids of the observations that a plan does not change."""
    changed = {change.id for change in plan.changes}
    others = (identifier for identifier in identifiers if identifier not in changed)
    whole = dict.fromkeys(memory.get(identifier).id for identifier in others)
    return [identifier for identifier in whole if identifier not in changed]


def report(applied: Applied, *, as_json: bool) -> None:
    """Say what was done, what was left, and how to take it back."""
    if as_json:
        say_json(
            {
                "title": applied.title,
                "operation": applied.operation_id,
                "changed": applied.changed,
                "left": list(applied.left),
            }
        )
        return
    say(f"{visible(applied.title)}: done.")
    for sentence in applied.left:
        note(sentence)
    if applied.operation_id:
        note(f"`memtui undo {applied.operation_id[-4:]}` takes it back.")


def _as_data(plan: Plan) -> dict[str, object]:
    return {
        "kind": plan.kind,
        "title": plan.title,
        "moves": [{"from": move.source, "to": move.target} for move in plan.moves],
        "changes": [
            {
                "issue": change.issue,
                "shelf": str(change.shelf),
                "id": change.id,
                "before": change.before,
                "after": change.after,
            }
            for change in plan.changes
        ],
    }
