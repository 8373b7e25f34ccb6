"""A command run in this process, as its user would in a folder: a process takes half a second."""

from __future__ import annotations

import io
import os
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path
from unittest import mock

from memtui.cli.main import run


def run_here(
    arguments: Sequence[str], folder: Path, environ: Mapping[str, str], given: str = ""
) -> tuple[int, str]:
    """The exit code, and what was written to stdout and then to stderr."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8") for _ in range(2))
    stdin = io.TextIOWrapper(io.BytesIO(given.encode()), "utf-8")
    with (
        tempfile.TemporaryFile() as file,
        mock.patch.dict(os.environ, environ, clear=True),
        mock.patch("memtui.hooks.run._STDIN", file.fileno()),
        mock.patch("sys.stdin", stdin),
        redirect_stdout(out),
        redirect_stderr(err),
        chdir(folder),
    ):
        file.write(given.encode())
        file.seek(0)
        code = run(arguments)
    texts = []
    for stream in (out, err):
        stream.flush()
        stream.seek(0)
        texts.append(stream.read())
    return code, "".join(texts)
