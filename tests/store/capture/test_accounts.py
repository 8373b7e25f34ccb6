from __future__ import annotations

from store.capture.accounts import closing_account


def test_what_only_leads_in_is_left_out_with_the_link_in_it() -> None:
    told = (
        "Analysis complete. Here's what I found for [issue #12](https://shop.test/issues/12).\n\n"
        "`take()` reads the stock before the lock is held, because `Lock` is made too late."
    )
    assert closing_account(told) == told.rpartition("\n")[2]
