"""Commands run in this process, or some together in one: starting one takes half a second."""

from __future__ import annotations

import io
import os
import subprocess
import sys
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
        mock.patch("memtui.hooks.standard_input._STDIN", file.fileno()),
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


_ONE_AFTER_THE_OTHER = """
import sys
from memtui.cli.main import run
codes = [run(words.split()) for words in sys.argv[1:]]
print(*codes, file=sys.stderr)
"""


def run_apart(
    commands: Sequence[str],
    folder: Path,
    environ: Mapping[str, str] | None = None,
    begin: Sequence[str] = (),
) -> tuple[list[int], str, str]:
    """Run commands one after the other in one process; their exit codes, stdout and stderr.

    `begin` are the words before Python's own, such as those that run it as another user.
    """
    done = subprocess.run(
        [*begin, sys.executable, "-c", _ONE_AFTER_THE_OTHER, *commands],
        cwd=folder, env=environ, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert "Traceback" not in done.stderr, done.stderr
    *said, codes = done.stderr.splitlines()
    return [int(code) for code in codes.split()], done.stdout, "\n".join(said)
