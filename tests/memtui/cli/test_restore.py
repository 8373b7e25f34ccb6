"""`restore`: out of the archive, and what is to be said of what is not in it."""

from __future__ import annotations

import json

import pytest

from tests.memtui.cli.conftest import Run


@pytest.mark.usefixtures("project")
def test_restore_says_what_is_not_archived(memtui: Run) -> None:
    first, second = (f"obs-engineer-29-1709035200000-aaaa0{number}" for number in (1, 5))
    done = memtui("restore", "aaaa01", first)
    assert (done.code, done.out, done.err) == (0, "", f"{first} is not archived.\n")
    memtui("archive", "aaaa05", "--yes")
    done = memtui("restore", "aaaa01", second, "--yes")
    assert done.out == "Restored 1 memory.\n"
    assert done.err.splitlines()[0] == f"{first} is not archived."
    done = memtui("restore", "aaaa05", "--json")
    assert json.loads(done.out)["changed"] == 0
    assert done.err == f"{second} is not archived.\n"
