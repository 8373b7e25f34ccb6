"""`memtui edit`: change an observation, in an editor or by options."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from memtui.cli.completed_values import complete_agent, complete_category, complete_id
from memtui.cli.memory import opened
from memtui.cli.options import Options, operation_options
from memtui.cli.output import fail, note
from memtui.cli.plans import carry_out, carry_out_on
from memtui.editing.editor import HINT, Draft, NoEditor, check_ended, editor_command, run_editor
from memtui.editing.text import from_text, to_text
from memtui.settings.schema import app_settings
from memtui.streams import read_standard_input
from store.errors import Conflict, InvalidObservation, StoreError
from store.memory import Memory
from store.model import Observation
from store.operations.plan import Plan

_EPILOG = """\b
Examples:
  memtui edit a1b2c3                                     edit in your editor
  memtui edit a1b2c3 --category lesson --dry-run
  git log -1 --format=%B | memtui edit a1b2c3 --content -
  memtui edit a1b2c3 --from draft.md                      retry a rejected draft
"""


@click.command(epilog=_EPILOG)
@click.argument("identifier", metavar="ID", shell_complete=complete_id)
@click.option("--content", help="New text; - reads standard input.")
@click.option("--summary", help="New summary; empty to use the first line of the text.")
@click.option("--category", shell_complete=complete_category)
@click.option("--agent", shell_complete=complete_agent)
@click.option(
    "--from",
    "source",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Read the edited memory from a file.",
)
@operation_options
def edit_command(
    identifier: str,
    content: str | None,
    summary: str | None,
    category: str | None,
    agent: str | None,
    source: Path | None,
    options: Options,
) -> None:
    """Edit a memory in your editor, or with options.

    A rejected edit is saved as a draft. Use `memtui tag` to change tags.
    """
    given = {"content": content, "summary": summary, "category": category, "agent": agent}
    fields: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    if fields and source is not None:
        raise click.UsageError("Give --from or other options, not both.")
    if fields.get("content") == "-":
        fields["content"] = read_standard_input().rstrip("\n")
    with opened() as memory:
        observation = memory.get(identifier)
        if source is not None:
            fields = from_text(Draft(source).read(), observation)
        if fields or source is not None:
            plan = _plan(memory, observation, fields)
            carry_out_on(memory, [observation.id], plan, "unchanged", options)
        else:
            _edit_text(memory, observation, options)


def _edit_text(memory: Memory, observation: Observation, options: Options) -> None:
    """Edit the text in an editor until it is accepted; a rejected one is saved as a draft."""
    command = editor_command(app_settings(memory.settings).editor)
    if not command:
        raise NoEditor("No editor is set.", f"{HINT} Or use options such as --content.")
    before = to_text(observation)
    draft = Draft.of(observation.id, before)
    while True:
        try:
            code = run_editor(command, draft.path)
            check_ended(code)
            plan = _plan(memory, observation, from_text(draft.read(), observation))
            # Saving the text was the answer to the question whether to do it.
            carry_out(memory, plan, options._replace(yes=True))
        except StoreError as error:
            if isinstance(error, InvalidObservation) and _wants_retry(error):
                continue
            if draft.read() == before:
                draft.discard()
                raise
            raise draft.kept(error) from None
        if not options.dry_run or plan.is_empty:
            draft.discard()
        else:
            note(f"Your draft is saved in {draft.shown}.")
        return


def _wants_retry(error: StoreError) -> bool:
    if not sys.stdin.isatty():
        return False
    fail(error.message, error.hint)
    return click.confirm("Edit again?", default=True, err=True)


def _plan(memory: Memory, observation: Observation, fields: Mapping[str, Any]) -> Plan:
    """The plan of an edit. Raises `Conflict` where another program changed the same meanwhile."""
    now = memory.get(observation.id)
    if any(getattr(now, name) != getattr(observation, name) for name in fields):
        raise Conflict(
            f"{observation.id} was changed by another program.",
            "Reload and repeat your change.",
        )
    return memory.plan.edit(observation.id, fields)
