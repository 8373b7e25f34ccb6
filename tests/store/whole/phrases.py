"""What people and agents say in sessions that chance puts together, and what programs print."""

from __future__ import annotations

NAMES = ("queue", "lease", "till", "cart", "rows", "load", "prices", "receipt")
NOUNS = ("the lease", "each line of a cart", "the total of the till", "old invoices", "a row")
VERBS = (
    "sums cents",
    "waits for its worker",
    "is read once",
    "moves to cold storage",
    "is locked",
)
WHYS = (
    ", because two workers took it at once",
    ", since rounding each line was off by one cent",
    " so that no reader sees half of it",
    ", otherwise the gateway closes at 41 requests",
    " instead of thirty",
    "",
    "",
)
ASKS = (
    "Mend {file}: {noun} is wrong when two tills start",
    "Why does {noun} take so long?",
    "Add a column with {noun} to the table",
    "please review the changes of {file}",
    "Find out why {noun} fails in {file}, and never touch `{name}.lock`",
    "Rename {name} to {other}",
    "How should {noun} be kept?",
    "go on",
    "Always run `make check` before you commit. And {noun} must never be a float",
    "Write the tests of {file} first, then the page of the manual",
    "Implement the todo: {noun} {verb}",
    "Refactor the queue: I want {noun} to be read by `{name}` only, because\n1. it is slow\n"
    "2. `{other}` needs it too, and must never wait",
    "Research how {noun} is kept, then plan it. What is there in shop/{other}.py?",
    "{file} is off by one. I'd rather keep our own parser than take a dependency.",
    "add the other tills to `.plans/STATE.md`",
    "The import hangs.\nIt prints `KeyError: {name}` and stops.\n\nCan we skip such rows?",
)
SAID = (
    "`{file}` {verb} now{why}.",
    "Done.\n\n- `{file}` - {noun} {verb}{why}.\n- `tests/test_{name}.py` - covers it",
    "The root cause: `{name}.take` in `{file}:31` reads the clock twice, so that {noun} is lost.",
    "It fails because `{name}` keeps every file in memory. Let me read them one by one:",
    "We decided that {noun} {verb}{why}. I start with `{file}`.",
    "Removed `{name}()`, since nothing has used it since the last release.",
    "I'd go with `{name}` first{why}. Want me to write that down?",
    "Should {noun} stay in `{file}`, or move to `{other}.py`?",
    "High: `{file}:9` – {noun} is read again for each line, which doubles the time.\n"
    "Low: `{other}.py:44` – The name `x` says nothing of what it holds.",
    "Understood - {noun} {verb}{why}.",
    "All tests pass. Next step: measure {noun} with two writers. {other} is still missing.",
    "| # | What | Where |\n|---|---|---|\n| 1 | {noun} {verb}{why} | `{file}` |",
    "Now let me look at `{file}`:",
    "- `{file}`: `{name}()` {verb}{why}\n- `{other}.py`: {noun} {verb}{why}\n- Added 4 tests for"
    " `{other}()` in `tests/test_{other}.py`\n- `make check`: all 47 tests\n- `docs/{name}.md` -"
    " tells of {noun} and of what it took to make it {verb}, in three pages\n"
    "- **{other}** {verb}, `{name}.{other}(limit=40)` does not\n\n"
    "`/home/someone/shop/{file}` rounds once{why}. The command will now print:\n\n```\n3\n```",
    "In short: {noun} {verb}{why}; `{other}` is never asked, and 40 requests are the limit.",
    "What is missing: `{file}` still needs a test of {noun}. Waiting for you to name `{other}`.",
    "The build is pending, and `{name}` remains to be measured. Shall I begin with `{other}.py`?",
    "It fails when {noun} is empty: `{name}_of` expects a list, but `{other}` sends none.",
    "Winston (Architect): {noun} is right. You were right to ask for `{name}`. {noun} {verb}{why}.",
    "That would break `{other}`: {noun} {verb} only where `{name}` was asked{why}.",
    "I'll delete each of {noun} that is older than one year. How many may we send in a minute?",
    "[CRITICAL] `{file}:12`: {noun} is never closed, so `{other}` leaks.\n\n"
    "2. `{other}.py` looks good.\n\n**P1: {noun} is lost where two wait**\nFix: hold the lock.",
    "Root cause found. `{other}.py` was never closed{why}, which is not related to our change.",
    "Three points are open:\n\n1. **Rounding**: {noun}, or the sum?\n2. **Locking**: `{name}` is"
    " not portable.\n3. **Receipts**: keep them?\n\nWhich of these are settled?",
    "There are two ways:\n\n## Option 1: {noun} {verb}\n- Simple\n\n## Option 2: `{other}` waits\n"
    "- Kind to the gateway\n- What most do\n\nMy recommendation is option 2. Which one?",
)
ANSWERS = (
    "yes",
    "no, {noun} must stay in `{file}`: legal insists on it",
    "Option 2, it blocks nobody",
    "the second one",
    "1. the sum of all lines, always\n2. yes, skip locking until tills are shared\n3. hm?",
    "40, never more - the gateway closes at 41",
    "Not delete - the auditors want {noun} for ten years. Move them to `{other}`.",
    "hm, are banks doing that?",
    "use `{other}` instead of `{name}`, it is shorter",
    "From now on write the tests first.",
    "ok, and then {noun} {verb}?",
    "leave it at that",
    "`{name}` is not on every till. We should either check for it or use `{other}`.",
    "yes, but {noun} must stay in `{file}`, and only the admin may delete it",
    "never mind, {noun} is fine. Please always answer in short sentences.",
    "Sorry, wrong window. Ignore my last message.",
    "I think it was {name}",
    "no",
    "why not 2?",
)
FAILED = (
    "Exit code 1\n{file}:7: KeyError: {name}",
    "FAILED tests/test_{name}.py::test_{other} - assert 5 == 3",
    "Exit code 2\n{file}:3: MemoryError: rows",
    "bash: {name}-lint: command not found",
    "Exit code 1\n{file}:9:1: F401 `{other}` imported but unused",
    "--- FAIL: Test{name} (0.01s)\n    {name}_test.go:9: want 5, got 3\nFAIL\nexit status 1",
    "error: cannot find value `{other}` in this scope\ntest result: FAILED. 3 passed; 1 failed",
    'Traceback (most recent call last):\n  File "{file}", line 7\nValueError: {noun} is none',
    "Cannot find module 'node:{other}'\nnpm ERR! code 1",
    "E   ModuleNotFoundError: No module named '{other}'\n1 failed, 3 passed in 0.2s",
)
CHECKS = (
    "pytest tests -q",
    "cd shop && pytest tests/test_{name}.py -x",
    "make load",
    "ruff check .",
    "npm run lint",
    "cargo test {name}",
    "npx prettier --check shop/{name}.ts",
    "python shop/{name}.py --version",
    "bash shop/{name}.sh",
    'cd "web" && go test ./... -run Test{name} | tail -3',
    "uv run mypy shop && make deploy",
)
SUMMARY = """This session is being continued from a previous conversation that ran out of context.

1. Primary Request and Intent:
   {said}

3. Files and Code Sections:
   - `{file}`
      - {said}
      - Changed `{name}()`: {noun} {verb}{why}
   - shop/{other}.py: {said}

4. Errors and fixes:
   - **KeyError in `{file}`**: {noun} was missing; fixed by making it first{why}.
   - {other} failed: wrong folder (current)
   - User feedback: "never touch `{name}` by hand, use `{other}` instead"
   - User corrected me: {noun} must not be read twice

5. Problem Solving:
   {said}
   - `{name}_lock` must be taken before `{other}` is read, because two workers wait.

6. All user messages:
   - "{asked}"
   - "{answer}"

7. Pending Tasks:
   - Measure {noun} with two writers
   - {left}
"""
PASTED = """Implement this plan:

# Plan: {noun}

## Context
{said}

## Root cause
{noun} is wrong{why}: `{name}` asks `{other}` while the lock is held, as long as that takes.

## Approach
{said}

## {file}
Take the lock late.

## Constraints
No daemon is started, whatever it would save. {asked}
"""
ODD = (
    "package-lock.json", "CHANGELOG.md", ".plans/STATE.md", ".claude/prompts/{}.md", "out/{}.log",
    "web/src/{}.ts", "shop/{}.sh", "tmp/{}.py", "docs/design/{}.md", "pyproject.toml", "{}.py",
)  # fmt: skip
SHELL = (
    "git mv shop/{one}.py shop/{other}.py",
    "rm shop/{one}.py && touch shop/{other}.py",
    'git add -A && git commit -m "Let {one} wait for {other}"',
    'git commit -am "fix: {one}\n\n{other} was closed too early, since nobody waited for it."',
    "sed -i s/a/b/ shop/{one}.py",
    "cat > shop/{one}.sh <<'EOF'\necho {other}\nEOF",
    "git diff HEAD~1",
    "make build && make deploy",
    "cd shop && cp {one}.py {other}.py && echo x >> {one}.py",
    "mv shop/{one}.py docs/{other}.md tmp/",
    "rm -rf shop/{one} && git checkout shop/{other}.py",
    "python shop/{one}.py",
    "cat 'shop/{one}.py' | head -3",
    "git log -3 && git show dfba5083",
)
TODOS = ("Write the manual page of {noun}", "Measure {noun}", "Shorten {name}", "Drop it")
