"""Keys as the terminal sends them."""

from __future__ import annotations

import pytest
from textual import _parser, events

from memtui.tui.frame.terminal import KeyParser


@pytest.mark.parametrize(
    ("first", "seconds", "then", "keys"),
    [
        ("\x1b", 0.2, "S", ["escape", "S"]),
        ("\x1b", 0.2, "\x1b", ["escape", "escape"]),
        ("\x1bS", 0.2, "j", ["alt+shift+s", "j"]),
        ("\x1b", 0.2, "[A", ["up"]),
        ("\x1b[", 0.2, "A", ["up"]),
    ],
)
def test_a_key_soon_after_escape(
    monkeypatch: pytest.MonkeyPatch, first: str, seconds: float, then: str, keys: list[str]
) -> None:
    parser, now = KeyParser(), 100.0
    monkeypatch.setattr(_parser, "get_time", lambda: now)
    found = list(parser.feed(first))
    now += seconds
    found += parser.feed(then)
    now += seconds
    found += parser.tick()
    assert [event.key for event in found if isinstance(event, events.Key)] == keys
