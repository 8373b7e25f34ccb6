"""Events of failures."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryProblem:
    """Something failed and memory went on.

    `kind` is `capture-failed`, `lock-timeout`, `manifest-rebuilt` and the like; `message` what the
    error said, empty where there was none; `took` is in milliseconds. `is_failure`: what was to be
    done, for a session it may be, was not.
    """

    name: ClassVar[str] = "memory-problem"
    kind: str
    message: str
    timestamp: datetime
    took: float | None = None
    is_failure: bool = False
    session_id: str = ""
