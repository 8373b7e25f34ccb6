"""What glibc holds of memory that nobody uses: a server that runs for weeks gives it back."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

_M_ARENA_MAX, _HEAPS = -8, 2
"""The option of `malloc.h`, and how many heaps."""


def share_heaps() -> bool:
    """Let all threads of this process share few heaps; whether the system's library took it.

    By default glibc gives a heap to each of many threads and hardly returns it: at 50,000 memories,
    eight threads that answer and store held 544 MB after 2,000 requests, and 262 MB so.
    """
    set_option = _of_library("mallopt")
    return set_option is not None and set_option(_M_ARENA_MAX, _HEAPS) == 1


def give_back() -> bool:
    """Give the system what the heaps hold unused; whether the system's library knows how.

    For after work of many megabytes: at 50,000 memories, a process that had counted 9,000 recalls
    five times held 177 MB, and 119 MB so.
    """
    trim = _of_library("malloc_trim")
    if trim is None:
        return False
    trim(0)
    return True


def _of_library(name: str) -> Callable[..., Any] | None:
    """A function of the system's library; None where there is none of that name."""
    import ctypes

    if sys.platform != "linux":
        return None
    found: Callable[..., Any] | None = getattr(ctypes.CDLL(None), name, None)
    return found
