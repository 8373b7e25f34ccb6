"""`memtui git`: have git merge and show memory by itself."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from memtui.cli.changes import can_ask, refuse_unasked
from memtui.cli.memory import dir_option, find_memory, json_option
from memtui.cli.output import note, paint, say, say_json
from store.text import visible

if TYPE_CHECKING:
    from store.git import GitPlan, GitStatus

_COMMAND = "memtui"
_EPILOG = """\b
Examples:
  memtui git status
  memtui git install                 for this repository
  memtui git install --global        once, for all your clones
  memtui git uninstall --dry-run

\b
Memory then merges memory by memory: additions of both sides stay, removals hold, and two edits of
one memory are both kept. `.gitattributes` beside the memory is to be committed; the command stands
in git's configuration, which each clone needs once. Without it a conflict is still read: the
memories of both sides are shown, and `memtui doctor --repair` writes them merged.
"""
_user = click.option(
    "--global", "for_user", is_flag=True, help="In your own git configuration, for all clones."
)
_dry_run = click.option("--dry-run", is_flag=True, help="Show the diff, and change nothing.")
_yes = click.option("--yes", "-y", is_flag=True, help="Don't ask; needed without a terminal.")


@click.group(epilog=_EPILOG)
def git_command() -> None:
    """Have git merge memory by memory, and show changes in words."""


@git_command.command()
@_user
@_dry_run
@_yes
@dir_option
def install(for_user: bool, dry_run: bool, yes: bool, folder: Path | None) -> None:
    """Add the merge driver: the diff first."""
    from store.git import git_status, plan_git_install

    path = find_memory(folder)
    command = _command()
    plan = plan_git_install(path, command, for_user=for_user)
    if command != _COMMAND and not plan.is_empty:
        note(f"`{_COMMAND}` is not on the PATH, so git is told {command}.")
    if _applied(plan, "Install the merge driver?", dry_run=dry_run, yes=yes):
        if git_status(path).is_ignored:
            note("git ignores this memory; there is nothing to merge until it is added.")
        note("Commit .gitattributes with the memory. `memtui git uninstall` takes it back.")


@git_command.command()
@_user
@_dry_run
@_yes
@dir_option
def uninstall(for_user: bool, dry_run: bool, yes: bool, folder: Path | None) -> None:
    """Remove exactly what `install` added."""
    from store.git import plan_git_uninstall

    plan = plan_git_uninstall(find_memory(folder), for_user=for_user)
    _applied(plan, "Remove the merge driver?", dry_run=dry_run, yes=yes)


@git_command.command()
@json_option
@dir_option
def status(as_json: bool, folder: Path | None) -> None:
    """Say how git treats this memory."""
    from store.git import git_status

    path = find_memory(folder)
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
        note("`memtui git install` has git merge memory by memory.")


@git_command.command()
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
def textconv(file: Path) -> None:
    """Print the memories of FILE in words, for `git diff`."""
    from store.git import told_in_words

    say(visible(told_in_words(file.read_bytes(), file.name)).rstrip("\n"))


def _told(found: GitStatus) -> list[str]:
    """The status in lines, each with a mark."""
    if found.repository is None:
        return ["This memory is in no git repository."]

    def line(good: bool, text: str) -> str:
        return f"{paint('✓', fg='green') if good else paint('·', dim=True)} {visible(text)}"

    where = "ignored by git" if found.is_ignored else "tracked" if found.is_tracked else "not added"
    lines = [
        line(found.is_tracked, f"The memory is {where} in {found.repository}."),
        line(found.attributes, f"Its files {'name' if found.attributes else 'lack'} the driver."),
        line(bool(found.driver), f"Driver: {found.driver or 'not installed in this clone'}"),
    ]
    if found.tracks_manifest:
        lines.append(line(False, "manifest.json is tracked; `git rm --cached` leaves it out."))
    if found.unmerged:
        lines.append(line(False, f"In conflict: {', '.join(found.unmerged)}"))
    return lines


def _command() -> str:
    """How git can start memtui: by its name, or by its path where it is not on the PATH."""
    beside = Path(sys.executable).with_name(_COMMAND)
    return str(beside) if shutil.which(_COMMAND) is None and beside.exists() else _COMMAND


def _applied(plan: GitPlan, question: str, *, dry_run: bool, yes: bool) -> bool:
    """Show a plan, ask on a terminal, and apply it; whether it was."""
    from store.git import apply_git_plan

    if plan.is_empty:
        note("Nothing to change.")
        return False
    say(visible(plan.diff).rstrip())
    if dry_run:
        return False
    if not yes:
        if not can_ask():
            refuse_unasked()
        if not click.confirm(question, default=True, err=True):
            note("Nothing was changed.")
            return False
    apply_git_plan(plan)
    note("Done.")
    return True
