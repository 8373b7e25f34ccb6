"""Committing several indexes at once."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Thread

from tantivy import IndexWriter


def commit_together(writers: Sequence[IndexWriter]) -> None:
    """Commit writers of different indexes at the same time, until their merging is done.

    Each waits for the disk fourteen times, for one file after the other: two at once take half as
    long as one after the other, on a quiet disk and on a busy one. Raises what failed first, once
    all have ended.
    """
    failed: list[BaseException] = []

    def commit(writer: IndexWriter) -> None:
        try:
            writer.commit()
            writer.wait_merging_threads()
        except BaseException as error:  # noqa: BLE001 - raised below, also a panic
            failed.append(error)

    first, *others = writers
    threads = [Thread(target=commit, args=(other,)) for other in others]
    for thread in threads:
        thread.start()
    commit(first)
    for thread in threads:
        thread.join()
    if failed:
        raise failed[0]
