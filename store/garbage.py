"""Python's search for garbage, left out where much is made and nothing points round in a circle."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def nothing_collected() -> Iterator[None]:
    """Within it nobody looks for cycles: each look goes through all that stands. To plan a
    compaction takes an eighth less time without, to index a million memories a third.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
