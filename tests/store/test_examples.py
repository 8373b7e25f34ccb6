"""The examples of the manual's page about the library, run as a reader would."""

from __future__ import annotations

import re
from operator import attrgetter
from pathlib import Path

import pytest

from store import open_memory

PAGE = Path(__file__).parents[2] / "docs" / "api.md"


def test_the_first_example_runs_in_an_empty_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found = re.search(r"```python\n(.*?)```", PAGE.read_text(), re.S)
    assert found is not None
    monkeypatch.chdir(tmp_path)
    exec(found[1], {})
    printed = capsys.readouterr().out
    assert printed.startswith("Chose SQLite. 1\nChose SQLite.\n## Memory Recall\n")
    assert "Chose SQLite." in printed.partition("##")[2]


def test_each_call_that_the_page_names_is_there() -> None:
    with open_memory("memory://trial") as memory:
        for line in PAGE.read_text().splitlines():
            for call in re.findall(r"`memory\.([a-z_.]+)", line):
                assert attrgetter(call)(memory) is not None
            if line.startswith("| `memory.clarifications`"):
                for name in re.findall("`([a-z_]+)`", line):
                    assert getattr(memory.clarifications, name)
