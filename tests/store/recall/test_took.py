"""What a recall cost is what the activity log says of it."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

from store.backends.location import FOLDER
from tests.store.factories import NOW, logged, make_memory, observation


class Ticking:
    """A clock that is three milliseconds later each time it is asked."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> datetime:
        self.now += timedelta(milliseconds=3)
        return self.now


def test_an_injection_is_recorded_with_what_it_took(tmp_path: Path) -> None:
    memory = make_memory(tmp_path, Ticking())
    memory.store([observation()])
    recall = memory.recall.plan("engineer", 29)
    assert recall.took >= timedelta(milliseconds=3)
    memory.recall.inject(recall, "engineer", 29, session_id="s")
    entries = logged(tmp_path / FOLDER)
    (line,) = (entry for entry in entries if entry["type"] == "recalled")
    assert (line["agent"], line["issueNumber"], line["sessionId"]) == ("engineer", 29, "s")
    assert line["tookMs"] >= 3
