"""Talks: sessions without a tool call, in several turns."""

from __future__ import annotations

import pytest

from tests.store.capture.evidence.found import found

TALK = """\
USER The contact list keeps growing duplicates after every sync run.
AGENT I'd key duplicates on the lowercased email.
USER Right, and the same day. The newer one wins.
AGENT Settled: `merge_records` keys on lowercased email and day; the newer record is kept.
"""


@pytest.mark.parametrize("nod", ["", "USER Right, ship it.\n"])
def test_how_it_ended(nod: str) -> None:
    assert found(f"{TALK}{nod}", "talks") == [
        (
            "decision",
            "Settled: `merge_records` keys on lowercased email and day; the newer record is kept.\n"
            "Asked: The contact list keeps growing duplicates after every sync run.",
        )
    ]
