"""One memory for a piece of work: request, closing message, files."""

from __future__ import annotations

import pytest

from tests.store.capture.evidence.found import found

LOCK = """\
USER The manifest lock times out on Windows. Make it wait.
AGENT Let me look at the lock.
EDIT store/lock.py
-WAIT = 30
+WAIT = 5
BASH pytest -q
12 passed
AGENT All tests pass. `wait()` in `store/lock.py` now gives up after five seconds, because a virus \
scanner holds the file for up to four.

Anything else?
"""
CHANGED = (
    "The manifest lock times out on Windows. Make it wait.\n"
    "Done: `wait()` in `store/lock.py` now gives up after five seconds, because a virus scanner"
    " holds the file for up to four."
)


@pytest.mark.parametrize(
    ("session", "memories"),
    [
        (LOCK, [f"{CHANGED}\nFiles: store/lock.py."]),
        # "Commit it" asks for nothing of its own, and its answer closes nothing.
        (
            f"{LOCK}USER ok, commit it\nBASH git commit -am Wait\nAGENT Committed as 309f2e8.\n",
            [f"{CHANGED}\nFiles: store/lock.py."],
        ),
        # A later request for the same file, or for its tests, is the same work.
        (
            f"{LOCK}USER Add a test of that, with two writers please\n"
            "WRITE tests/test_lock.py\ndef test(): ...\n"
            "AGENT `tests/test_lock.py` starts two writers and kills one.\n",
            [
                f"{CHANGED}\nThen: Add a test of that, with two writers please – "
                "`tests/test_lock.py` starts two writers and kills one.\n"
                "Files: store/lock.py, tests/test_lock.py."
            ],
        ),
        # A request for another file is another.
        (
            f"{LOCK}USER The CSV export forgets the header line, mend that too\n"
            "EDIT shop/export.py\n-x\n+y\n"
            "AGENT The header is written once, before the first row.\n",
            [
                f"{CHANGED}\nFiles: store/lock.py.",
                "The CSV export forgets the header line, mend that too\n"
                "Done: The header is written once, before the first row.\n"
                "Files: shop/export.py.",
            ],
        ),
        # Without a closing message, the last one before the change says what was done.
        (
            "USER Der Upload gibt nach einem Timeout auf. Lass ihn wiederholen.\n"
            "AGENT Ich wiederhole höchstens dreimal, weil der Speicher bei Lastspitzen drosselt.\n"
            "EDIT src/upload.py\n-a\n+b\n",
            [
                "Der Upload gibt nach einem Timeout auf. Lass ihn wiederholen.\n"
                "Done: Ich wiederhole höchstens dreimal, weil der Speicher bei Lastspitzen"
                " drosselt.\nFiles: src/upload.py."
            ],
        ),
        (
            "USER 上传在一次超时后就放弃了。让它重试。\nEDIT src/upload.py\n-a\n+b\n"
            "AGENT 现在上传最多重试三次，每次之间等待更久。\n",
            [
                "上传在一次超时后就放弃了。 让它重试。\n"
                "Done: 现在上传最多重试三次，每次之间等待更久。\nFiles: src/upload.py."
            ],
        ),
        # A plan is named by its title and why it was made; code and headings are left out.
        (
            "USER Implement the following plan:\n\n# Plan: Retry uploads\n\n## Context\n"
            "The store throttles bursts, and an upload that meets that is lost.\n\n## Steps\n"
            "- Add a loop\nEDIT src/upload.py\n-a\n+b\n"
            "AGENT ## Summary\n\nUploads are tried three times:\n\n- `upload()` waits 1, 2, 4 s\n"
            "- the last error is raised\n\n```python\nfor wait in (1, 2, 4): ...\n```\n",
            [
                "Retry uploads. The store throttles bursts, and an upload that meets that is"
                " lost.\nDone: Uploads are tried three times: `upload()` waits 1, 2, 4 s; the last"
                " error is raised\nFiles: src/upload.py."
            ],
        ),
        # What was found before the first edit tells the cause; what announces a call does not.
        (
            "USER The shell prompt returns late after each command\n"
            "AGENT The closing is slow. Let me look at `ShutdownTimeout`.\n"
            'CALL Read {"file_path": "main.go"}\n\n'
            "AGENT Found it! `ShutdownTimeout` is 0, which means to wait for ever. I set it in "
            "`telemetry.go`:\nEDIT telemetry.go\n-x\n+ShutdownTimeout: 100\n"
            "AGENT Done. Here is what changed:\n\n| Setting | Value |\n|---|---|\n"
            "| `ShutdownTimeout` | 100 ms at the exit |\n\nAll 12 tests pass now. Anything else?\n",
            [
                "The shell prompt returns late after each command\n"
                "Found: `ShutdownTimeout` is 0, which means to wait for ever.\n"
                "Done: `ShutdownTimeout` – 100 ms at the exit; All 12 tests pass now.\n"
                "Files: telemetry.go."
            ],
        ),
        # A sentence that names what failed meanwhile says why.
        (
            "USER Make the dialog wider and commit it\nEDIT dialog.tsx\n-4\n+6\n"
            "FAILS git commit -m Wider\nerror: tmp/clones/ab/b.test.ts fails\n"
            "AGENT The dialog is wider now. The failures are all in `tmp/clones/ab`, which are "
            "left-over clones.\n",
            [
                "Make the dialog wider and commit it\n"
                "Done: The failures are all in `tmp/clones/ab`, which are left-over clones.\n"
                "Files: dialog.tsx."
            ],
        ),
        # A review writes a document: what it speaks of is named, too.
        (
            "USER Have an agent review the changes of this branch\n"
            'CALL Task {"prompt": "Review the branch"}\n`/home/someone/shop/store/lock.py:49`'
            " panics. The review has been written to `docs/review-1.md`.\n"
            "AGENT The review says that the lock panics.\n",
            [
                "Have an agent review the changes of this branch\n"
                "Done: The review says that the lock panics.\n"
                "Files: docs/review-1.md (new).\nReviewed: store/lock.py."
            ],
        ),
    ],
)
def test_pieces_of_work(session: str, memories: list[str]) -> None:
    assert found(session, "changes") == [("code-change", memory) for memory in memories]
