"""Some clients keep what was said and the call after it as one message: as much comes of it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest

from store.agents.session import collect
from store.agents.transcript import Event, Message, Speaker, ToolCall
from store.capture.candidate import Known
from store.capture.candidates import candidates_in
from store.sessions.digest import Context, digest_of
from tests.rows import rows_in
from tests.store.capture.dialogues import events_of

_ROWS = Path(__file__).parent / "rows"
_FAILS = """\
USER Make the tests of the till pass
FAILS pytest tests/test_till.py
FAILED tests/test_till.py::test_close - KeyError: 'lease'
1 failed, 3 passed
"""
_EDIT = """\
EDIT shop/till.py
-close()
+take()
"""
_WHY = "`close()` fails because the lease is looked up before `take()` has set it in `till.py`."
_READ = 'CALL Read {"file_path": "/home/someone/shop/shop/till.py"}\nclose()\n'
DIALOGUES = {
    "a cause": f"{_FAILS}{_EDIT}AGENT {_WHY}\nBASH pytest tests/test_till.py\n4 passed\nAGENT Ok.",
    "found, then mended": (
        "USER Why does the till in shop/till.py lose its lease at night?\n"
        f"{_READ}AGENT I found the cause in `shop/till.py`. {_WHY}"
        f" It shows after midnight alone.\n{_EDIT}AGENT The till keeps its lease now.\n"
    ),
    "broken off": (
        "USER Let the till keep its lease over midnight\n"
        'CALL TodoWrite {"todos": [{"content": "Give the lease back when take() raises", '
        '"status": "pending"}]}\nok\n'
        f"AGENT The till holds its lease in `shop/till.py` alone.\n{_EDIT}"
    ),
    "a lesson, then mended": (
        "USER Let the till keep its lease over midnight\n"
        "AGENT Lesson: never look a lease up before `take()` has set it, because it fails at night."
        f"\n{_EDIT}AGENT Done.\n"
    ),
}


def _in_one(events: Sequence[Event]) -> list[Event]:
    """The events with what the agent said in the line of the call that follows it."""
    return [
        said._replace(line=after.line)
        if isinstance(said, Message)
        and said.speaker is Speaker.AGENT
        and isinstance(after, ToolCall)
        else said
        for said, after in pairwise((*events, events[-1]))
    ]


def _told(events: Sequence[Event]) -> list[tuple[object, ...]]:
    found = candidates_in(collect(events), Known(), (), is_over=True)
    each = (getattr(it, "candidate", it) for it in found)
    parts = ("category", "content", "summary", "text")
    return [(type(it), *(getattr(it, part, "") for part in parts)) for it in each]


@pytest.mark.parametrize("name", DIALOGUES)
def test_what_was_said_and_done_in_one_message_teaches_the_same(name: str) -> None:
    events = list(events_of(DIALOGUES[name]))
    apart, in_one = _told(events), _told(_in_one(events))
    assert events != _in_one(events)
    assert apart
    assert in_one == apart
    sessions = collect(events), collect(_in_one(events))
    digests = [digest_of(it, Context()) for it in sessions]
    assert digests[0] == digests[1]
    assert digests[0].ended_well is (name != "broken off")


def test_the_sessions_of_the_rows_teach_the_same_in_fewer_messages() -> None:
    texts = {row.text for path in _ROWS.glob("*.txt") for row in rows_in(path) if not row.put}
    sessions = [list(events_of(text)) for text in sorted(texts) if "AGENT " in text]
    merged = [(events, _in_one(events)) for events in sessions if events != _in_one(events)]
    assert len(merged) > 30
    assert [_told(in_one) for _, in_one in merged] == [_told(events) for events, _ in merged]
