"""What a command over many memories names while it takes long."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.memtui.cli.conftest import Run


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize(
    ("command", "named"),
    [
        ("archive --query lock --dry-run", "Planning"),
        ("tag --query lock +seen --dry-run", "Planning"),
        ("compact --prune --strategy oldest_first --capacity semantic=1 --dry-run", "Planning"),
        ("export", "Exporting"),
        ("export --format agentx --output copy", "Exporting"),
    ],
)
def test_what_takes_long_at_many_memories_is_named(
    memtui: Run, monkeypatch: pytest.MonkeyPatch, command: str, named: str
) -> None:
    doing: list[str] = []

    @contextmanager
    def progress(name: str) -> Iterator[None]:
        doing.append(name)
        yield

    monkeypatch.setattr(f"memtui.cli.{command.partition(' ')[0]}.progress", progress)
    monkeypatch.setattr("memtui.cli.memory.progress", lambda *_: progress(""))
    assert memtui(*command.split()).code == 0
    assert named in doing
