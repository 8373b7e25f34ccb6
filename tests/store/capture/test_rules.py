"""What rules take from a session's dialogue and steps."""

from __future__ import annotations

import json

import pytest

from tests.store.capture.found import found


@pytest.mark.parametrize(
    "rule",
    [
        "Never log the card number.",
        "Please always run the linter before a commit.",
        "From now on write the tests first.",
        "You should never push to main.",
        "Don't add emojis to commit messages again.",
        "We never delete rows, we archive them.",
        "Errors must always name the file.",
        "Nunca registres el número de tarjeta.",
        "A partir de ahora escribe primero las pruebas.",
        "Nunca registre o número do cartão.",
        "Sempre rode os testes antes do commit.",
        "Protokolliere niemals die Kartennummer.",
        "Ab jetzt zuerst die Tests schreiben.",
        "Ne journalise jamais le numéro de carte.",
        "Désormais, écris les tests d'abord.",
        "绝对不要把卡号写入日志。",
        "以后先写测试再写代码。",
    ],
)
def test_rules(rule: str) -> None:
    assert found(f"USER Mend the till of the shop. {rule}\n", "rules") == [("lesson", rule)]


@pytest.mark.parametrize(
    "said",
    [
        "The upload never returns.",
        "Why does it always fail on Windows?",
        "It has never worked on my machine.",
        "Nevermind, I found it.",
        "Don't push this branch for now.",
        "In the future we may need a cache, I always thought so",
        "Le test échoue toujours.",
        "Der Test schlägt immer fehl.",
        "La prueba siempre falla.",
        "它总是失败。",
    ],
)
def test_no_rules(said: str) -> None:
    assert found(f"USER {said}\n", "rules") == []


def test_who_says_it() -> None:
    assert found("USER Look\nAGENT Never log the card number.\n", "rules") == []
    pasted = "Never log the card number. " + "It is long. " * 200
    assert found(f"USER {pasted}\n", "rules") == []


@pytest.mark.parametrize(
    ("said", "rules"),
    [
        (
            "Never touch a.py, the generator overwrites it",
            ["Never touch a.py, the generator overwrites it"],
        ),
        ("let me test this first", []),
    ],
)
def test_words_at_a_refusal(said: str, rules: list[str]) -> None:
    refused = f"REFUSED Edit {{}}\nThe user doesn't want to proceed. the user said:\n{said}\n"
    assert found(refused, "rules") == [("lesson", rule) for rule in rules]


# One memory for a piece of work: request, closing message, files.


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


# Handoff: where a session broke off, with what was open.


TODOS = json.dumps({
    "todos": [
        {"content": "Shorten the lease", "status": "completed"},
        {"content": "Write the manual page of leases", "status": "pending"},
    ]
})  # fmt: skip
ASKED = "USER Shorten the lease and document it\nAGENT The lease is five seconds long now.\n"


@pytest.mark.parametrize(
    ("session", "note"),
    [
        (
            f"{ASKED}CALL TodoWrite {TODOS}\nok\n",
            "Asked: Shorten the lease and document it\n"
            "Last said: The lease is five seconds long now.\n"
            "Open: Write the manual page of leases\nWhere: branch feature/29-locks",
        ),
        (
            f"{ASKED}FAILS make test\nFAILED tests/test_a.py::test_b - assert 5 == 3\n",
            "Asked: Shorten the lease and document it\n"
            "Last said: The lease is five seconds long now.\n"
            "Open: `make test` fails: FAILED tests/test_a.py::test_b - assert 5 == 3\n"
            "Where: branch feature/29-locks",
        ),
        (
            f"{ASKED}BASH ls\na\nUSER Does the renewal hold with two writers on one machine?\n",
            "Asked: Does the renewal hold with two writers on one machine?\n"
            "Last said: The lease is five seconds long now.\n"
            "Open: unanswered: Does the renewal hold with two writers on one machine?\n"
            "Where: branch feature/29-locks",
        ),
    ],
)
def test_broke_off(session: str, note: str) -> None:
    assert found(session, "handoff") == [("handoff", note)]


@pytest.mark.parametrize(
    "session",
    [
        f"{ASKED}CALL TodoWrite {TODOS}\nok\nAGENT That is all for today.\n",  # it came to its end
        f"{ASKED}BASH ls\na\nUSER thanks\n",  # nothing is asked
        f"{ASKED}FAILS make test\nFAILED a::b\nEDIT a.py\n-a\n+b\n",  # mended, perhaps
        "USER Does the renewal hold with two writers?\n",  # it can be asked again
    ],
)
def test_came_to_its_end(session: str) -> None:
    assert found(session, "handoff") == []


# Plans: their settled sections, by heading.


PLAN = """\
# Plan: Short leases

## Context

A worker that dies keeps its lease for an hour, and nobody takes the job.

## Decisions

- A lease ends after five seconds and is renewed by its worker
- No lock file: it stays behind when a worker dies

## Open questions

- How long is a renewal allowed to take at most?

## Steps

1. Shorten the lease
"""
WHY = (
    "Plan: Short leases. A worker that dies keeps its lease for an hour, and nobody takes the job."
)
SETTLED = (
    "Decisions (Short leases): A lease ends after five seconds and is renewed by its worker;"
    " No lock file: it stays behind when a worker dies"
)
EDIT = "EDIT shop/queue.py\n-a\n+b\n"
HANDED_IN = f"ExitPlanMode {json.dumps({'plan': PLAN})}"
WRITTEN = json.dumps({"file_path": "/home/someone/shop/docs/plan-leases.md", "content": PLAN})


@pytest.mark.parametrize(
    ("session", "memories"),
    [
        (f"USER {PLAN}{EDIT}", [SETTLED]),
        (f"CALL {HANDED_IN}\nUser has approved your plan.\n{EDIT}", [SETTLED]),
        # Where nobody carries it out in this session, the next one is told why.
        (f"CALL {HANDED_IN}\nUser has approved your plan.\n", [WHY, SETTLED]),
        (f"OPEN {HANDED_IN}\n", [WHY, SETTLED]),
        (f"CALL Write {WRITTEN}\nok\n{EDIT}", [SETTLED]),
        (f"REFUSED {HANDED_IN}\nno\n{EDIT}", []),
        (f"USER Shorten the leases\n{EDIT}AGENT {PLAN}", []),
    ],
)
def test_settled_sections(session: str, memories: list[str]) -> None:
    assert found(session, "plans") == [("decision", memory) for memory in memories]


# What was said: options chosen, refusals with words, talks, summaries.


def asked(question: str, answer: str, *options: tuple[str, str]) -> str:
    listed = [{"label": label, "description": told} for label, told in options]
    given = json.dumps({"questions": [{"question": question, "options": listed}]})
    return f'CALL AskUserQuestion {given}\nUser has answered: "{question}"="{answer}".\n'


@pytest.mark.parametrize(
    ("session", "memories"),
    [
        (
            asked(
                "Where do leases live?", "A row (Recommended)",
                ("A row (Recommended)", "one for each queue."), ("A file", "locked"),
            ),
            ["Where do leases live? The user chose: A row (one for each queue).\nNot: A file"],
        ),
        (
            asked("How long is a lease?", "5 seconds, renewed by its worker", ("30 s", "")),
            ["How long is a lease? The user chose: 5 seconds, renewed by its worker."],
        ),
        (
            'CALL request_user_input {"questions": [{"id": "q", "question": "Which table?"}]}\n'
            '{"answers": {"q": {"answers": ["leases"]}}}\n',
            ["Which table? The user chose: leases."],
        ),
        (
            'CALL ask_user {"question": "Which table?", "choices": ["old (Recommended)", "rows"]}\n'
            "User selected: old (Recommended)\n",
            ["Which table? The user chose: old.\nNot: rows"],
        ),
    ],
)  # fmt: skip
def test_decisions(session: str, memories: list[str]) -> None:
    assert found(session, "answers") == [("decision", memory) for memory in memories]


# Talks: sessions without a tool call, in several turns.

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


# The client's own summaries, cut by their headings.

SUMMARY = """\
SUMMARY This session is being continued from a previous conversation.

1. Primary Request and Intent:
   Mend the queue, which runs jobs twice.

4. Errors and fixes:
   - **Job runs twice**: `renew()` in `lease.py` wrote its row only after the job, so that a second
     worker saw none, took the same job and ran it once more, at night when both were idle
     - Fixed by writing the row first, in the transaction that takes the job.
   - **Lint**: an unused import in `lease.py`, fixed by removing it from the file
   - User feedback: never touch `lease.py` by hand, it is generated

7. Pending Tasks:
   - Measure the lease with two writers
   - None
"""
FACTS = [
    (
        "error",
        "Job runs twice: `renew()` in `lease.py` wrote its row only after the job, so that "
        "a second worker saw none, took the same job and ran it once more, at night when both were "
        "idle; "
        "Fixed by writing the row first, in the transaction that takes the job.",
    ),
    ("lesson", "User feedback: never touch `lease.py` by hand, it is generated"),
]


def test_of_claude_code() -> None:
    task = ("task", "Measure the lease with two writers")
    assert found(SUMMARY, "summaries") == [*FACTS, task]
    # What was pending may be done where the session went on.
    assert found(f"{SUMMARY}EDIT lease.py\n-a\n+b\n", "summaries") == FACTS
