"""The generated transcripts have the shape of real ones."""

from __future__ import annotations

import json
from pathlib import Path

from store.model import Category
from tests.bench.capture import capture
from tests.bench.transcripts import write_transcript

SIZE = 300_000


def test_a_session_is_of_the_size_asked_for_and_teaches_something(tmp_path: Path) -> None:
    path = write_transcript(tmp_path / "session.jsonl", 1, SIZE)
    assert SIZE <= path.stat().st_size < 1.3 * SIZE
    categories = {each.observation.category for each in capture(path).kept}
    assert {Category.CODE_CHANGE} <= categories


def test_most_of_it_is_what_the_agent_notes_beside_the_conversation(tmp_path: Path) -> None:
    path = write_transcript(tmp_path / "session.jsonl", 2, SIZE)
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    said = sum(len(json.dumps(line.get("message", ""))) for line in lines)
    assert 0.15 < said / path.stat().st_size < 0.35


def test_sessions_differ_by_their_number_only(tmp_path: Path) -> None:
    texts = [
        write_transcript(tmp_path / f"{at}.jsonl", number, SIZE).read_text()
        for at, number in enumerate((1, 1, 2))
    ]
    assert texts[0] == texts[1] != texts[2]
