"""A program in a pseudo-terminal of 120 by 36."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import struct
import subprocess
import termios
from collections.abc import Mapping, Sequence
from pathlib import Path
from time import perf_counter
from typing import Self

COLUMNS, LINES = 120, 36
PATIENCE = 120.0
"""Seconds after which something that should happen is given up."""


class Terminal:
    """A program and all that it wrote; `end` is held open here as by the shell that started it."""

    def __init__(
        self, command: Sequence[str], environment: Mapping[str, str], folder: Path | None = None
    ) -> None:
        self.written = b""
        self._seen = 0
        self.handle, self.end = pty.openpty()
        self._open = [self.handle, self.end]
        fcntl.ioctl(self.end, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))
        self.found = termios.tcgetattr(self.end)
        self.started = perf_counter()
        self.process = subprocess.Popen(
            command, cwd=folder, env=environment, stdin=self.end, stdout=self.end, stderr=self.end,
            start_new_session=True,
        )  # fmt: skip

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        self.hang_up()

    def hang_up(self) -> None:
        """Close both ends, as a window that is closed does."""
        while self._open:
            os.close(self._open.pop())

    def press(self, keys: str | bytes) -> None:
        os.write(self.handle, keys if isinstance(keys, bytes) else keys.encode())

    def wait_for(self, text: str) -> float:
        """Read until a text was written since the last wait; the milliseconds since the start.

        Raises `TimeoutError`.
        """
        deadline = perf_counter() + PATIENCE
        while text.encode() not in self.written[self._seen :]:
            self._check(deadline, f"{text!r} never came")
            if not self.read() and self.process.poll() is not None:
                raise TimeoutError(f"{text!r} never came, it ended: {self.written[-2_000:]!r}")
        self._seen = len(self.written)
        return (perf_counter() - self.started) * 1_000

    def wait(self) -> int:
        """Read until the program has ended; its exit code. Raises `TimeoutError`."""
        deadline = perf_counter() + PATIENCE
        while self.process.poll() is None:
            self._check(deadline, "it goes on")
            self.read(0.05)
        while self.read(0):
            pass
        return self.process.returncode

    def read(self, seconds: float = 0.5) -> bool:
        """Read what comes within some seconds; whether anything did."""
        if not select.select([self.handle], [], [], seconds)[0]:
            return False
        self.written += os.read(self.handle, 1 << 16)
        return True

    def _check(self, deadline: float, what: str) -> None:
        if perf_counter() > deadline:
            raise TimeoutError(f"{what}: {self.written[-2_000:]!r}")
