"""`memtui git install`, `uninstall` and `status`: have git merge memory by memory."""

from __future__ import annotations

import click

from memtui.cli.memory import find_folder
from memtui.cli.options import dir_option, dry_run_option, json_option, yes_option
from memtui.cli.output import note, paint, print_json, print_line
from memtui.cli.plans import is_change_agreed
from memtui.client_file import command_in_use
from store.git.setup import (
    GitPlan,
    GitStatus,
    apply_git_plan,
    git_status,
    plan_git_install,
    plan_git_uninstall,
)
from store.model import Level
from store.text.display import visible

_for_user_option = click.option(
    "--global", "for_user", is_flag=True, help="Install in your user configuration, for all clones."
)


@click.command("install")
@_for_user_option
@dry_run_option
@yes_option
@dir_option
def install_command(for_user: bool, dry_run: bool, yes: bool) -> None:
    """Install the merge driver, after showing the diff."""
    path = find_folder(Level.TEAM)
    plan = plan_git_install(path, command_in_use(), for_user=for_user)
    if _apply_if_agreed(plan, "Install the merge driver?", dry_run=dry_run, yes=yes):
        if git_status(path).is_ignored:
            note("git ignores this memory, so there is nothing to merge.")
        note("Commit .gitattributes with the memory. Undo with `memtui git uninstall`.")


@click.command("uninstall")
@_for_user_option
@dry_run_option
@yes_option
@dir_option
def uninstall_command(for_user: bool, dry_run: bool, yes: bool) -> None:
    """Remove what `install` added."""
    plan = plan_git_uninstall(find_folder(Level.TEAM), for_user=for_user)
    _apply_if_agreed(plan, "Remove the merge driver?", dry_run=dry_run, yes=yes)


@click.command("status")
@json_option
@dir_option
def status_command(as_json: bool) -> None:
    """Show how git handles this memory."""
    path = find_folder(Level.TEAM)
    found = git_status(path)
    if as_json:
        print_json(
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
    for line in _status_lines(found):
        print_line(line)
    if found.is_offered:
        note("Run `memtui git install` to merge memory by memory.")


def _status_lines(found: GitStatus) -> list[str]:
    if found.repository is None:
        return ["This memory is in no git repository, or in one that git refuses to read."]

    def line(is_good: bool, text: str) -> str:
        return f"{paint('✓', fg='green') if is_good else paint('·', dim=True)} {visible(text)}"

    where = "ignored by git" if found.is_ignored else "tracked" if found.is_tracked else "not added"
    lines = [
        line(found.is_tracked, f"The memory is {where} in {found.repository}."),
        line(bool(found.driver), f"Merge driver: {found.driver or 'not installed in this clone'}"),
        line(found.attributes, f"Named in .gitattributes: {'yes' if found.attributes else 'no'}"),
    ]
    if found.tracks_manifest:
        lines.append(line(False, "manifest.json is tracked; remove it with `git rm --cached`."))
    if found.unmerged:
        lines.append(line(False, f"In conflict: {', '.join(found.unmerged)}"))
    return lines


def _apply_if_agreed(plan: GitPlan, question: str, *, dry_run: bool, yes: bool) -> bool:
    unchanged = "Nothing to change."
    if not is_change_agreed(plan, question, dry_run=dry_run, yes=yes, unchanged=unchanged):
        return False
    apply_git_plan(plan)
    note("Done.")
    return True
