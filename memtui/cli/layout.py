"""`memtui layout`: one file for each issue, or one for each memory."""

from __future__ import annotations

import click

from memtui.cli.memory import find_folder, opened
from memtui.cli.output import note, say, say_json
from memtui.cli.plans import carry_out, operation_options
from store.places import Location

_EPILOG = """\b
Examples:
  memtui layout                        show the layout
  memtui layout --one-file-each        issue-29/<id>.json for each memory
  memtui layout --one-file-per-issue   issue-29.json for each issue, the default

\b
With one file per memory, memories added on two branches never conflict in git, even without the
merge driver. Other programs that read the AgentX format can't read this layout.
`memtui undo` converts back; memories added since are kept.
"""


@click.command(epilog=_EPILOG)
@click.option("--one-file-each", "each", is_flag=True, help="One file per memory.")
@click.option("--one-file-per-issue", "per_issue", is_flag=True, help="One file per issue.")
@operation_options
def layout_command(
    each: bool, per_issue: bool, dry_run: bool, yes: bool, as_json: bool, folder: Location | None
) -> None:
    """Show or change the layout: one file per issue, or one per memory."""
    if each and per_issue:
        raise click.UsageError("Give one of --one-file-each and --one-file-per-issue.")
    from store.values import Layout

    with opened(find_folder(folder)) as memory:
        if each or per_issue:
            plan = memory.plan.layout(Layout.EACH if each else Layout.PER_ISSUE)
            carry_out(memory, plan, dry_run=dry_run, yes=yes, as_json=as_json)
            return
        files = memory.backend.files
        held = Layout.PER_ISSUE if files is None else files.layout
        other = 0 if files is None else len(files.other_layout())
    if as_json:
        say_json({"layout": str(held), "issuesInOther": other})
        return
    say("One file per memory." if held is Layout.EACH else "One file per issue.")
    if other:
        note(f"{other:,} issues have the other layout; `memtui layout --{held}` converts them.")
