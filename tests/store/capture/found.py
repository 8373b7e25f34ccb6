"""What finders find in a session that is written as a text (see `dialogues.py`)."""

from __future__ import annotations

from store.capture.candidate import Candidate
from store.capture.finders import evidence_of
from tests.store.capture.dialogues import session_of


def found(text: str, finder: str) -> list[tuple[str, str]]:
    """The category and content of each candidate of a finder."""
    return [
        (str(each.category), each.content)
        for each in evidence_of(session_of(text))
        if isinstance(each, Candidate) and each.finder == finder
    ]
