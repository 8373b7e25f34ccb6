"""The examples of the manual's page about the library, run as a reader would."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "api.md"


def test_the_first_example_runs_in_an_empty_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found = re.search(r"```python\n(.*?)```", PAGE.read_text(), re.S)
    assert found is not None
    monkeypatch.chdir(tmp_path)
    exec(found[1], {})
    assert capsys.readouterr().out.startswith("Chose SQLite. 1\nChose SQLite.\n")
