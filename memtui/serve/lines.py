"""Messages over standard input and output, one a line, each of a bounded length."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import BinaryIO

from memtui.serve.jsonrpc import MAX_MESSAGE

_TOO_LONG = b" " * (MAX_MESSAGE + 1)
"""Stands for a line that was passed over; whoever parses it says that it is too long."""


def read_lines(stream: BinaryIO) -> Iterator[bytes]:
    """Each line that is not blank; of one that is too long only that it was there."""
    while line := stream.readline(MAX_MESSAGE + 1):
        if len(line) > MAX_MESSAGE and not line.endswith(b"\n"):
            while (rest := stream.readline(MAX_MESSAGE)) and not rest.endswith(b"\n"):
                pass
            yield _TOO_LONG
        elif line.strip():
            yield line


def serve_lines(answer: Callable[[bytes], bytes], source: BinaryIO, target: BinaryIO) -> None:
    """Answer each line until the input ends or nobody reads the answers; `b""` is no answer."""
    try:
        for line in read_lines(source):
            if told := answer(line):
                target.write(told)
                target.flush()
    except BrokenPipeError:
        return
