"""Lines of a program's output that say what went wrong, whatever program it is."""

from __future__ import annotations

import re

_FAILURE = re.compile(r"error|exception|fail|fatal|denied|refused|not found|cannot|unable", re.I)


def has_failure_words(line: str) -> bool:
    return _FAILURE.search(line) is not None
