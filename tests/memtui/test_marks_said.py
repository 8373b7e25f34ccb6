"""What pins and mutes are called and marked with, wherever a person sees them."""

from __future__ import annotations

import pytest

from memtui.tui.browse.result_row import flag_of
from memtui.tui.memory.screen import field_table
from memtui.tui.reports.activity_kinds import WORDS
from store.records import entry_of
from tests.store.factories import NOW, observation


def test_a_pin_that_a_mute_outdoes_is_not_what_is_shown() -> None:
    both = observation("Kept", pinned=True, muted=True)
    assert flag_of(entry_of(both)) == "∅"
    assert flag_of(entry_of(both._replace(muted=False))) == "▲"
    assert "yes, but muted" in field_table(both, NOW).plain
    assert "always injected" not in field_table(both, NOW).plain
    assert "always injected" in field_table(both._replace(muted=False), NOW).plain


@pytest.mark.parametrize("kind", ["pin", "unpin", "mute", "unmute", "mark", "tag", "close"])
def test_the_log_says_what_was_done(kind: str) -> None:
    assert WORDS[kind].endswith("ed")
