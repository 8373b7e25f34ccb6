"""Work in a process of its own, which ends with it: a server that has written keeps no writer.

What storing loads and the index's writer holds took a server at 50,000 memories from 40 to 89 MB,
for as long as the agent's session lasts.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Callable
from typing import Any

from store.errors import StoreError

Answer = dict[str, Any]


def apart(work: Callable[[], Answer]) -> Answer:
    """What the work gives, as JSON carries it. Raises `StoreError` where the work does, or dies.

    `work` opens what it needs by itself: nothing that runs in threads survives in there. Beside
    other threads it is done here: a copy of the process may hold a lock that nobody gives back.
    """
    if threading.active_count() > 1:
        return work()
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        _carry_out(work, writing)
    os.close(writing)
    try:
        with os.fdopen(reading, "rb") as pipe:
            told = pipe.read()
    finally:
        os.waitpid(child, 0)
    if not told:
        raise StoreError("The change was interrupted.", "Try it again.")
    answer: Answer = json.loads(told)
    if "failed" in answer:
        message, hint = answer["failed"]
        raise StoreError(message, hint)
    done: Answer = answer["done"]
    return done


def _carry_out(work: Callable[[], Answer], writing: int) -> None:
    """Do the work and leave without what the parent would do at its end."""
    code = 1
    try:
        try:
            answer: Answer = {"done": work()}
        except StoreError as error:
            answer = {"failed": [error.message, error.hint]}
        except Exception as error:  # noqa: BLE001 - told in the parent, which goes on
            answer = {"failed": [f"memtui failed: {type(error).__name__}.", ""]}
        with os.fdopen(writing, "wb") as pipe:
            pipe.write(json.dumps(answer).encode())
        code = 0
    finally:
        sys.stderr.flush()
        os._exit(code)
