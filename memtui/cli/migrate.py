"""`memtui migrate`: flat files of a vault become entries of it."""

from __future__ import annotations

import click

from memtui.cli.changes import carry_out, operation_options
from memtui.cli.memory import opened
from memtui.cli.output import note_all
from store.places import Location

_EPILOG = """\b
Sections become categories by their headings, in English or Portuguese:
  Decisions, Decisões Técnicas               decisions
  Lessons, Findings, Notes, Aprendizados     lessons
  Tasks, Tarefas                             tasks
  Context, Contexto de Projeto               projects
  Handoffs                                   handoffs
  any other                                  lessons, with its heading

\b
Example:
  memtui --dir .memory migrate --dry-run
"""


@click.command(epilog=_EPILOG)
@operation_options
def migrate_command(dry_run: bool, yes: bool, as_json: bool, folder: Location | None) -> None:
    """Turn a vault's flat AGENT.md files into entries; each stays as AGENT.md.bak."""
    with opened(folder) as memory:
        plan = memory.plan_migration()
        carry_out(memory, plan, dry_run=dry_run, yes=yes, as_json=as_json)
        if not as_json:
            note_all(plan.notes)
