"""The targets for real sessions and real secrets, where the larger data sets are at hand."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.bench.capture import Measured, capture, sessions
from tests.bench.secrets import load, measure, prose

pytestmark = pytest.mark.data


def data(name: str) -> Path:
    """A folder or file of the larger data; skips the test where it is missing."""
    beside = Path(__file__).parents[3] / "shared"
    path = Path(os.environ.get("MEMTUI_DATA") or beside) / name
    if not path.exists():
        pytest.skip(f"needs {name} of the larger data sets")
    return path


def test_code_changes_name_the_files_that_were_changed() -> None:
    measured = Measured()
    for path, files in sessions(data("data/transcripts-claude-code")):
        measured.add(path.parent.name, capture(path), files)
    assert measured.touched == 66
    assert measured.named >= 56
    assert measured.changes_per_file <= 1.5


def test_a_transcript_without_a_conversation_leaves_nothing() -> None:
    path = data("data/transcripts-claude-code-older") / "medium-conversation.jsonl"
    assert capture(path).is_empty


@pytest.mark.parametrize(
    "name", ["transcripts-claude-code-older", "transcripts-codex", "transcripts-cursor"]
)
def test_every_transcript_can_be_captured(name: str) -> None:
    paths = sorted(data(f"data/{name}").glob("*.jsonl"))
    assert paths
    for path in paths:
        assert capture(path).unread_lines == 0


def test_secrets_are_found_and_prose_is_left_alone() -> None:
    recall, precision, missed = measure(load(data("bench/secrets-dev.json.xz")))
    assert recall >= 0.99, missed
    assert precision >= 0.95
    rate, _, cut = prose(data("data"))
    assert rate <= 0.5, cut
