"""The examples of the manual's page about the library, run as a reader would."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "api.md"


def test_the_first_example_runs_in_an_empty_folder(tmp_path: Path) -> None:
    found = re.search(r"```python\n(.*?)```", PAGE.read_text(), re.S)
    assert found is not None
    done = subprocess.run(
        [sys.executable, "-c", found[1]],
        cwd=tmp_path,
        env={"HOME": str(tmp_path), "PYTHONPATH": str(PAGE.parents[1])},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Chose SQLite. 1\nChose SQLite.\n")
