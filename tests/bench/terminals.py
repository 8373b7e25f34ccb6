"""Programs in terminals of 120 by 36: a pseudo-terminal to time what is written, tmux to see it."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Mapping, Sequence
from itertools import count
from pathlib import Path
from time import perf_counter, sleep
from typing import Self

from tests import terminal
from tests.terminal import COLUMNS, LINES

_PATIENCE = 60.0
"""Seconds after which something that should appear is given up."""
_POLL = 0.002
"""Seconds between two looks at a screen of tmux."""


class Terminal(terminal.Terminal):
    """A program in a pseudo-terminal that is weighed and left."""

    def press_and_read(self, keys: str, seconds: float) -> None:
        """Type keys, and take what is written for so many seconds."""
        self.press(keys)
        deadline = perf_counter() + seconds
        while (left := deadline - perf_counter()) > 0:
            self.read(left)

    def memory(self) -> tuple[float, float]:
        """The resident and the proportional memory of the program in MB, as the kernel tells."""
        found = {}
        for line in Path(f"/proc/{self.process.pid}/smaps_rollup").read_text().splitlines()[1:]:
            name, kilobytes, *_ = line.split()
            found[name] = int(kilobytes) / 1_024
        return found["Rss:"], found["Pss:"]

    def __exit__(self, *raised: object) -> None:
        self.press("\x11")  # Ctrl+Q
        self.wait()
        super().__exit__(*raised)


class Tmux:
    """A program in a tmux of its own, steered by one control client: no process for each look."""

    _names = count()

    def __init__(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        server = ["tmux", "-L", f"bench-{os.getpid()}-{next(self._names)}", "-f", os.devnull]
        self._client = subprocess.Popen(
            [*server, "-C", "new-session", shlex.join(command)],
            env=dict(environment),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._answer()
        self._ask("set -g status off")
        self._ask(f"refresh-client -f no-output -C {COLUMNS},{LINES}")

    def screen(self) -> tuple[str, ...]:
        return tuple(line.ljust(COLUMNS) for line in self._ask("capture-pane -p"))

    def until(self, text: str) -> None:
        """Wait until a text is on the screen. Raises `TimeoutError`."""
        deadline = perf_counter() + _PATIENCE
        while not any(text in line for line in self.screen()):
            if perf_counter() > deadline:
                raise TimeoutError("\n".join([f"{text!r} never came:", *self.screen()]))
            sleep(_POLL)

    def key(self, name: str) -> None:
        self._ask(f"send-keys {name}")

    def type(self, text: str) -> None:
        self._ask(f"send-keys -l {shlex.quote(text)}")

    def watch(self, quiet: float) -> list[tuple[float, tuple[str, ...]]]:
        """Each screen from now on and the milliseconds after which it was seen, until the last
        stayed for `quiet` seconds."""
        start = changed = perf_counter()
        seen = [(0.0, self.screen())]
        while (now := perf_counter()) - changed < quiet:
            screen = self.screen()
            if screen != seen[-1][1]:
                changed = perf_counter()
                seen.append(((changed - start) * 1_000, screen))
            sleep(max(0.0, _POLL - (perf_counter() - now)))
        return seen

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._ask("kill-server", answered=False)
        self._client.communicate(timeout=_PATIENCE)

    def _ask(self, command: str, *, answered: bool = True) -> list[str]:
        assert self._client.stdin is not None
        self._client.stdin.write(f"{command}\n")
        self._client.stdin.flush()
        return self._answer() if answered else []

    def _answer(self) -> list[str]:
        """The lines of the next answer; what tmux tells unasked is passed over."""
        assert self._client.stdout is not None
        lines: list[str] | None = None
        for line in self._client.stdout:
            if line.startswith("%begin "):
                lines = []
            elif line.startswith("%end ") and lines is not None:
                return lines
            elif line.startswith(("%error ", "%exit")):
                break
            elif lines is not None:
                lines.append(line.rstrip("\n"))
        raise RuntimeError(f"tmux would not: {lines}")
