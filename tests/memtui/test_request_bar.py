"""What a session is about before its task, in words."""

from __future__ import annotations

import pytest

from memtui.tui.injection.request_bar import subject_of
from store.recall.request import RecallRequest


@pytest.mark.parametrize(
    ("commits", "words"),
    [(0, " branch login, 1 changed file"), (1, ", last commit"), (5, ", last 5 commits")],
)
def test_subjects(commits: int, words: str) -> None:
    request = RecallRequest(
        branch_words=("login",), changed_files=("a.py",), commits=("Fix it",) * commits
    )
    assert subject_of(request).endswith(words)
