"""The start of the command: our modules never come from a project that memtui was started in.

The command `memtui` starts here, outside of our packages: a project may have one called `memtui`.
"""

from __future__ import annotations

import os
import sys


def is_program() -> bool:
    """Tell if this process was started as memtui, by its name or with `python -m`."""
    started = sys.orig_argv[1:]
    if sys.argv[:1] == ["-m"]:
        return "memtui" in started or any(word.startswith("memtui.") for word in started)
    return os.path.basename(sys.argv[0] if sys.argv else "") == "memtui"  # noqa: PTH119


def leave_foreign_folders() -> None:
    """Take the working directory and the folders of PYTHONPATH off the way to modules.

    A project may have packages that are called as ours or as those we use. The folder that memtui
    itself lies in stays, and so do Python's own.
    """
    ours = os.path.dirname(os.path.realpath(__file__))  # noqa: PTH120
    pythons = tuple(os.path.join(root, "lib", "") for root in (sys.prefix, sys.base_prefix))  # noqa: PTH118
    named = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    foreign = {os.path.realpath(folder) for folder in (*named, os.curdir)}

    def is_kept(entry: str) -> bool:
        place = os.path.realpath(entry)
        return place == ours or place not in foreign or place.startswith(pythons)

    sys.path[:] = [entry for entry in sys.path if is_kept(entry)]


def main() -> None:
    """Run the command line, and leave with its exit code."""
    leave_foreign_folders()
    from memtui.cli.main import main as run

    run()
