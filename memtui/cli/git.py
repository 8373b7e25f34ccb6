"""`memtui git`: have git merge and show memory by itself."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from memtui.cli.install_options import dry_run_option, yes_option
from memtui.cli.memory import dir_option, find_folder, json_option
from memtui.cli.output import note, paint, say, say_json
from memtui.cli.plans import agreed
from store.places import Location
from store.text import visible

if TYPE_CHECKING:
    from store.git import GitPlan, GitStatus

_COMMAND = "memtui"
_EPILOG = """\b
Examples:
  memtui git status
  memtui git install                in this repository
  memtui git install --global       for all your clones
  memtui git uninstall --dry-run

\b
With the driver, git merges memory by memory: it keeps the additions and deletions of both sides,
and both versions of a memory that both edited. Commit the .gitattributes file; the driver itself
is in git's configuration, so install it once per clone. Without it, conflicted files can still be
read, and `memtui doctor --repair` merges them.
"""
_user = click.option(
    "--global", "for_user", is_flag=True, help="Install in your user configuration, for all clones."
)


@click.group(epilog=_EPILOG)
def git_command() -> None:
    """Set up git to merge memories and show readable diffs."""


@git_command.command()
@_user
@dry_run_option
@yes_option
@dir_option
def install(for_user: bool, dry_run: bool, yes: bool, folder: Location | None) -> None:
    """Install the merge driver, after showing the diff."""
    from memtui.client_file import command_in_use
    from store.git import git_status, plan_git_install

    path = find_folder(folder)
    command = command_in_use()
    plan = plan_git_install(path, command, for_user=for_user)
    if _applied(plan, "Install the merge driver?", dry_run=dry_run, yes=yes):
        if git_status(path).is_ignored:
            note("git ignores this memory, so there is nothing to merge.")
        note("Commit .gitattributes with the memory. Undo with `memtui git uninstall`.")


@git_command.command()
@_user
@dry_run_option
@yes_option
@dir_option
def uninstall(for_user: bool, dry_run: bool, yes: bool, folder: Location | None) -> None:
    """Remove what `install` added."""
    from store.git import plan_git_uninstall

    plan = plan_git_uninstall(find_folder(folder), for_user=for_user)
    _applied(plan, "Remove the merge driver?", dry_run=dry_run, yes=yes)


@git_command.command()
@json_option
@dir_option
def status(as_json: bool, folder: Location | None) -> None:
    """Show how git handles this memory."""
    from store.git import git_status

    path = find_folder(folder)
    found = git_status(path)
    if as_json:
        say_json(
            {
                "memory": str(path),
                "repository": str(found.repository) if found.repository else None,
                "tracked": found.is_tracked,
                "ignored": found.is_ignored,
                "attributes": found.attributes,
                "driver": found.driver or None,
                "unmerged": list(found.unmerged),
            }
        )
        return
    for line in _told(found):
        say(line)
    if found.is_offered:
        note("Run `memtui git install` to merge memory by memory.")


@git_command.command()
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
def textconv(file: Path) -> None:
    """Print FILE as text for `git diff`."""
    from store.bounds import MAX_BYTES, read_regular
    from store.git import told_in_words

    say(visible(told_in_words(read_regular(file, MAX_BYTES), file.name)).rstrip("\n"))


def _told(found: GitStatus) -> list[str]:
    """The status in lines, each with a mark."""
    if found.repository is None:
        return ["This memory is not in a git repository."]

    def line(good: bool, text: str) -> str:
        return f"{paint('✓', fg='green') if good else paint('·', dim=True)} {visible(text)}"

    where = "ignored by git" if found.is_ignored else "tracked" if found.is_tracked else "not added"
    lines = [
        line(found.is_tracked, f"The memory is {where} in {found.repository}."),
        line(found.attributes, f"Its files {'name' if found.attributes else 'lack'} the driver."),
        line(bool(found.driver), f"Driver: {found.driver or 'not installed in this clone'}"),
    ]
    if found.tracks_manifest:
        lines.append(line(False, "manifest.json is tracked; remove it with `git rm --cached`."))
    if found.unmerged:
        lines.append(line(False, f"In conflict: {', '.join(found.unmerged)}"))
    return lines


def _applied(plan: GitPlan, question: str, *, dry_run: bool, yes: bool) -> bool:
    """Show a plan, ask on a terminal, and apply it; whether it was."""
    from store.git import apply_git_plan

    if plan.is_empty:
        note("Nothing to change.")
        return False
    say(visible(plan.diff).rstrip())
    if dry_run or not agreed(question, yes=yes):
        return False
    apply_git_plan(plan)
    note("Done.")
    return True
