"""What the benches of quality share: a memory for a while, a tar of sessions, each captured."""

from __future__ import annotations

import re
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from store import Memory, open_memory
from store.settings.schema import Settings

_TIME = re.compile(r'"timestamp": ?"([^"]+)"')


@contextmanager
def temporary_memory(settings: Settings | None = None) -> Iterator[Memory]:
    """An empty memory, for as long as it is needed."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)
        with open_memory(path / "memory", cache=path / "cache", settings=settings) as memory:
            yield memory


@contextmanager
def unpacked(file: Path) -> Iterator[Path]:
    """The only folder in a tar, for as long as it is needed."""
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(file) as tar:
            tar.extractall(folder, filter="data")
        yield next(Path(folder).iterdir())


def started(file: Path) -> str:
    """When a session began, by its lines."""
    return min(_TIME.findall(file.read_text("utf-8")), default="")


def captured(memory: Memory, file: Path, issue: int) -> None:
    """Capture a session: its memories, its digest and its messages."""
    with file.open("rb") as lines:
        memory.capture.apply(
            memory.capture.plan(lines, agent="claude-code", issue=issue, environ={})
        )
