"""`memtui git merge-file`: the merge driver that git runs."""

from __future__ import annotations

import subprocess
from pathlib import Path

import click

from memtui.cli.output import note
from store.backends.files.merge_versions import merge_versions
from store.errors import Unreadable
from store.platform.bounds import MAX_BYTES, read_regular
from store.platform.write import replace_derived

_EPILOG = """\b
Examples:
  memtui git merge-file base.json ours.json theirs.json      write the merge to ours.json
  memtui git merge-file --stdout base.json ours.json theirs.json
  memtui git install                                    let git run it

\b
Additions and deletions of both sides are kept. If both edited a memory, the newer text is used and
the other version is kept with it. Exit code 1 if a file can't be read; OURS then has git's own
line merge.
"""
_file = click.Path(path_type=Path, exists=True, dir_okay=False)


@click.command("merge-file", epilog=_EPILOG)
@click.argument("base", type=_file)
@click.argument("ours", type=_file)
@click.argument("theirs", type=_file)
@click.argument("path", required=False, default="")
@click.option("--stdout", is_flag=True, help="Print the result instead of writing it to OURS.")
def merge_file_command(base: Path, ours: Path, theirs: Path, path: str, stdout: bool) -> int:
    """Merge THEIRS into OURS, both based on BASE.

    PATH is the file's name in git.
    """
    name = path or ours.name
    try:
        before, left, right = (read_regular(file, MAX_BYTES) for file in (base, ours, theirs))
        done = merge_versions(before, left, right, name)
    except (Unreadable, OSError) as error:
        why = error.message if isinstance(error, Unreadable) else f"{error.strerror}."
        odd = next((file for file in (base, ours, theirs) if not file.is_file()), None)
        if odd is not None:  # git would wait for a pipe
            note(f"{odd}: {why} Nothing was merged.")
            return 1
        note(f"{why} Falling back to a line merge.")
        return _merge_lines(base, ours, theirs, stdout=stdout)
    if stdout:
        click.echo(done.data, nl=False)
    else:
        replace_derived(ours.absolute(), done.data, ours.absolute().parent)
    if done.merged is not None and done.merged.conflicts:
        number = len(done.merged.conflicts)
        noun = "memory was" if number == 1 else "memories were"
        note(f"{name}: {number} {noun} edited on both sides; both versions are kept.")
    return 0


def _merge_lines(base: Path, ours: Path, theirs: Path, *, stdout: bool) -> int:
    """Merge by lines, as git does without a driver, with markers where they conflict."""
    files = [str(path.absolute()) for path in (ours, base, theirs)]
    command = ["git", "merge-file", *(["-p"] if stdout else []), "--", *files]
    try:
        return 1 if subprocess.run(command, check=False).returncode else 0
    except OSError:
        return 1
