from __future__ import annotations

from store.agents.formats import read_session
from store.capture.text.accounts import closing_account, told_work
from tests.store.capture.transcripts import ClaudeCode


def test_what_only_leads_in_is_left_out_with_the_link_in_it() -> None:
    told = (
        "Analysis complete. Here's what I found for [issue #12](https://shop.test/issues/12).\n\n"
        "`take()` reads the stock before the lock is held, because `Lock` is made too late."
    )
    assert closing_account(told) == told.rpartition("\n")[2]


def test_what_was_told_before_a_commit_tells_the_change() -> None:
    made = ClaudeCode().user("Shorten the wait.").edit("lock.py")
    made.agent("Shortened the wait in `lock.py` to five seconds, because writers starved.")
    made.bash("git commit -qam 'Shorten the wait'").bash("  git push")
    session = read_session(line.encode() for line in made.lines)
    told, where = told_work(session.said, session.steps)
    assert told.startswith("Shortened the wait in `lock.py`")
    assert where is session.said[-1]
