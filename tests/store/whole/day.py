"""A day's session that has a bit of everything that sessions have."""

from __future__ import annotations

from tests.store.capture.transcripts import ClaudeCode

KEY = "sk-ant-" + "api03-" + "Zq7" * 12
_OPTIONS = """There are three ways:

## Option 1: Retry at once
- Simple, but the gateway closes

## Option 2: Retry with a growing pause
- Kind to the gateway
- What most clients do

## Option 3: Give up

My recommendation is option 2. Which one?"""
_PLAN = "# Plan: Short leases\n\nA lease ends after five seconds and is renewed by its worker.\n"
_ASKED = 'User has answered your questions: "Where do leases live?"="One row for each queue".'
_REFUSED = "The user doesn't want to proceed. the user said:\nuse a table instead of the ifs"
_FINDING = (
    "The root cause: `lease.take` in `queue.py:31` reads the clock twice, which writes the lease"
    " after another worker took it, so that both run the job. It was introduced last week."
)
_REVIEW = (
    "High: `shop/tax.py:9` – The rate is read again for each line, which doubles the time.\n"
    "Low: `shop/cart.py:44` – The name `x` says nothing of what it holds."
)
_SUMMARY = """This session is being continued from a previous conversation.

1. Primary Request and Intent:
   Mend the queue, which runs jobs twice.

4. Errors and fixes:
   - **KeyError in `lease.py`**: the row was missing; fixed by making it first.

5. Problem Solving:
   The lease was taken twice because the clock moved.

7. Pending Tasks:
   - Measure the lease with two writers
"""
_TODOS = [
    {"content": "Write the manual page of leases", "status": "pending"},
    {"content": "Shorten the lease", "status": "completed"},
]


def day() -> ClaudeCode:
    """The session, an hour long and with a secret in it."""
    made = ClaudeCode(session="s-day")
    _asked_and_mended(made)
    _talked_over(made)
    _looked_into(made)
    _ended(made)
    return made


def _asked_and_mended(it: ClaudeCode) -> None:
    it.user("The queue runs a job twice when two workers start. Always run the linter first.")
    it.agent("Now let me look at how the lease is taken:")
    it.call("Read", {"file_path": f"{it.cwd}/shop/queue.py"}, "def take(): ...")
    it.call("Grep", {"pattern": "lease", "path": it.cwd}, "shop/queue.py:31")
    it.bash("cd shop && pytest tests -q", "Exit code 1\nqueue.py:7: KeyError: lease", failed=True)
    it.agent(f"{_FINDING} Let me take the time once and shorten the lease to five seconds:")
    it.edit("shop/queue.py", "WAIT = 30", "WAIT = 5")
    it.call("Write", {"file_path": f"{it.cwd}/shop/lease.py", "content": "x\n" * 9}, "created")
    it.bash("cd shop && pytest tests -q", "12 passed in 0.3s")
    it.bash('git add -A && git commit -m "Take the time once"', "[feature/29-locks 309f2e8] Take")
    it.agent("Done.\n\n- `shop/queue.py` - A lease now ends after five seconds instead of thirty.")
    it.edit("shop/elsewhere.py", side=True).edit("shop/refused.py", failed=True)
    it.bash(f"curl -H 'x-api-key: {KEY}' https://api.example.org/v1", "200 OK")
    it.bash("rm shop/old.py && git mv shop/a.py shop/b.py", "")
    it.agent("Removed `shop/old.py`, since nothing has used it since yesterday's release.")


def _talked_over(it: ClaudeCode) -> None:
    it.user("How should a refused request be tried again?").agent(_OPTIONS).user("the second one")
    it.agent("I'll pause between two tries. How many requests may we send in a minute?")
    it.user("40, never more - the gateway closes at 41. <private>not for you</private>")
    it.agent("So the limit is exactly 40 requests a minute, since 41 trips the gateway.")
    it.call("AskUserQuestion", {"questions": []}, _ASKED)
    it.call("ExitPlanMode", {"plan": _PLAN}, "User has approved your plan.")
    it.call("ExitPlanMode", {"plan": "# Plan: ifs"}, _REFUSED, failed=True)
    it.agent("We decided to keep one row for each queue, since a lock on a row is cheap. I start.")
    it.agent("I'll delete each job that is older than one year. Shall I?")
    it.user("Not delete - the auditors want them for ten years. Move them to cold storage.")
    it.agent("Understood - jobs older than a year move to cold storage for ten years.")
    it.user("From now on write the tests first. From now on write the tests first.")
    it.edit("tests/test_queue.py").edit("shop/queue.py", "b", "c").edit("docs/queue.md")
    it.agent("The queue moves jobs older than a year to cold storage, and its tests came first.")


def _looked_into(it: ClaudeCode) -> None:
    it.user("Please review the uncommitted changes").bash("git diff", "+ x").agent(_REVIEW)
    it.user("Find out why the import is slow")
    it.bash("python -m cProfile load.py", "12.1 s in read_rows")
    it.agent("The import is slow because `read_rows` opens the file once for each row (12 s).")
    it.bash("make load", "Exit code 2\nload.py:3: MemoryError: rows", failed=True)
    it.bash("make load", "Exit code 2\nload.py:3: MemoryError: rows", failed=True)
    it.agent("It fails because `rows` keeps every file in memory. Let me read them one by one:")
    it.edit("shop/load.py", "rows = list(files)", "for file in files:")
    it.bash("make load", "loaded 3,400 rows")
    it.line("summary", summary="Leases and a slow import", leafUuid="x")
    it.user(_SUMMARY, isCompactSummary=True)


def _ended(it: ClaudeCode) -> None:
    it.user("Go on, then tell me what is left")
    it.call("TodoWrite", {"todos": _TODOS})
    it.bash("pytest tests/slow", "FAILED tests/slow/test_x.py::test_y - assert 5 == 3", failed=True)
    it.agent("The import reads row by row. Next step: measure the lease with two writers.")
