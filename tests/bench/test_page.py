"""The page says what the run measured."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bench.page import DOCS, RUN, main


@pytest.mark.skipif(not RUN.exists(), reason="no run is kept")
def test_the_page_is_that_of_the_run_kept(tmp_path: Path) -> None:
    """Where this fails: `python -m tests.bench.page`."""
    assert main([str(RUN), str(tmp_path)]) == 0
    assert (DOCS / "benchmarks.md").read_text() == (tmp_path / "benchmarks.md").read_text()
