"""`memtui git`: the commands by which git merges, compares and shows memory."""

from __future__ import annotations

import click

from memtui.cli.git.diff import diff_command
from memtui.cli.git.merge_file import merge_file_command
from memtui.cli.git.resolve import resolve_command
from memtui.cli.git.setup import install_command, status_command, uninstall_command
from memtui.cli.git.textconv import textconv_command

_EPILOG = """\b
Examples:
  memtui git status
  memtui git install                in this repository
  memtui git install --global       for all your clones
  memtui git uninstall --dry-run
  memtui git diff main..            memories that changed on this branch
  memtui git resolve a1b2c3         choose between versions of two branches

\b
With the driver, git merges memory by memory: it keeps the additions and deletions of both sides,
and both versions of a memory that both edited. Commit the .gitattributes file; the driver itself
is in git's configuration, so install it once per clone. Without it, conflicted files can still be
read, and `memtui doctor --repair` merges them.
"""


@click.group(epilog=_EPILOG)
def git_command() -> None:
    """Set up git to merge memories; compare and resolve them."""


for _command in (
    install_command,
    uninstall_command,
    status_command,
    diff_command,
    resolve_command,
    merge_file_command,
    textconv_command,
):
    git_command.add_command(_command)
