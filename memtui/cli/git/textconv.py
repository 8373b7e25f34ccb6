"""`memtui git textconv`: a file of memory as the text that `git diff` compares."""

from __future__ import annotations

from pathlib import Path

import click

from memtui.cli.output import print_line
from store.git.diff import contents_in_words
from store.platform.bounds import MAX_BYTES, read_regular
from store.text.display import visible


@click.command("textconv")
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
def textconv_command(file: Path) -> None:
    """Print FILE as text for `git diff`."""
    print_line(visible(contents_in_words(read_regular(file, MAX_BYTES), file.name)).rstrip("\n"))
