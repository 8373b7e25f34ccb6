"""Sessions put together by chance from what people, agents and programs say and do in them."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from tests.store.capture.transcripts import ClaudeCode

Move = Callable[[ClaudeCode, Random], object]
NAMES = ("queue", "lease", "till", "cart", "rows", "load", "prices", "receipt")
_NOUNS = ("the lease", "each line of a cart", "the total of the till", "old invoices", "a row")
_VERBS = (
    "sums cents",
    "waits for its worker",
    "is read once",
    "moves to cold storage",
    "is locked",
)
_WHYS = (
    ", because two workers took it at once",
    ", since rounding each line was off by one cent",
    " so that no reader sees half of it",
    ", otherwise the gateway closes at 41 requests",
    " instead of thirty",
    "",
    "",
)
_ASKS = (
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
    "The import hangs.\nIt prints `KeyError: {name}` and stops.\n\nCan we skip such rows?",
)
_SAID = (
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
    "Root cause found. `{other}.py` was never closed{why}, which is not related to our change.",
    "Three points are open:\n\n1. **Rounding**: {noun}, or the sum?\n2. **Locking**: `{name}` is"
    " not portable.\n3. **Receipts**: keep them?\n\nWhich of these are settled?",
    "There are two ways:\n\n## Option 1: {noun} {verb}\n- Simple\n\n## Option 2: `{other}` waits\n"
    "- Kind to the gateway\n- What most do\n\nMy recommendation is option 2. Which one?",
)
_ANSWERS = (
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
)
_FAILED = (
    "Exit code 1\n{file}:7: KeyError: {name}",
    "FAILED tests/test_{name}.py::test_{other} - assert 5 == 3",
    "Exit code 2\n{file}:3: MemoryError: rows",
    "bash: {name}-lint: command not found",
    "Exit code 1\n{file}:9:1: F401 `{other}` imported but unused",
    "E   ModuleNotFoundError: No module named '{other}'\n1 failed, 3 passed in 0.2s",
)
_CHECKS = (
    "pytest tests -q",
    "cd shop && pytest tests/test_{name}.py -x",
    "make load",
    "ruff check .",
    "npm run lint",
    "cargo test {name}",
)
_TODOS = ("Write the manual page of {noun}", "Measure {noun}", "Shorten {name}", "Drop it")


def mixed(seed: int, moves: int) -> ClaudeCode:
    """A session of so many moves, the same for the same seed."""
    chance = Random(seed)
    made = ClaudeCode(session=f"s-{seed}")
    _ask(made, chance)
    for _ in range(moves):
        chance.choices(_MOVES, _OFTEN)[0](made, chance)
    return made


def _filled(texts: tuple[str, ...], chance: Random) -> str:
    name, other = chance.sample(NAMES, 2)
    noun, verb, why = chance.choice(_NOUNS), chance.choice(_VERBS), chance.choice(_WHYS)
    text = chance.choice(texts)
    return text.format(
        name=name, other=other, file=f"shop/{name}.py", noun=noun, verb=verb, why=why
    )


def _ask(made: ClaudeCode, chance: Random) -> None:
    made.user(_filled(_ASKS, chance))


def _answer(made: ClaudeCode, chance: Random) -> None:
    made.user(_filled(_ANSWERS, chance))


def _say(made: ClaudeCode, chance: Random) -> None:
    made.agent(" ".join(_filled(_SAID, chance) for _ in range(chance.choice((1, 1, 2, 3)))))


def _edit(made: ClaudeCode, chance: Random) -> None:
    for _ in range(chance.choice((1, 1, 2, 4))):
        place = chance.choice(("shop/{}.py", "shop/{}.py", "tests/test_{}.py", "docs/{}.md"))
        path = place.format(chance.choice(NAMES))
        if chance.random() < 0.2:
            lines = "".join(f"line {n} = {n}\n" for n in range(chance.randrange(1, 40)))
            made.call("Write", {"file_path": f"{made.cwd}/{path}", "content": lines}, "created")
        else:
            name = chance.choice(NAMES)
            new = "\n".join(f"    {name}_{n} = {n}" for n in range(chance.randrange(1, 9)))
            made.edit(path, f"def {name}():\n    pass", f"def {name}():\n{new}",
                      failed=chance.random() < 0.1)  # fmt: skip


def _check(made: ClaudeCode, chance: Random) -> None:
    command = _filled(_CHECKS, chance)
    failed = chance.random() < 0.6
    said = _filled(_FAILED, chance) if failed else "12 passed in 0.3s"
    made.bash(command, said, failed=failed)
    if failed and chance.random() < 0.7:
        _say(made, chance)
        _edit(made, chance)
        made.bash(command, "13 passed in 0.3s" if chance.random() < 0.8 else said)


def _look(made: ClaudeCode, chance: Random) -> None:
    made.call("Read", {"file_path": f"{made.cwd}/shop/{chance.choice(NAMES)}.py"}, "def take(): …")
    made.call("Grep", {"pattern": chance.choice(NAMES), "path": made.cwd}, "shop/queue.py:31")


def _shell(made: ClaudeCode, chance: Random) -> None:
    one, other = chance.sample(NAMES, 2)
    made.bash(
        chance.choice((
            f"git mv shop/{one}.py shop/{other}.py",
            f"rm shop/{one}.py && touch shop/{other}.py",
            f'git add -A && git commit -m "Let {one} wait for {other}"',
            f"sed -i s/a/b/ shop/{one}.py",
            f"cat > shop/{one}.sh <<'EOF'\necho {other}\nEOF",
            "git diff HEAD~1",
            "make build && make deploy",
        )),
        chance.choice(("", f"[main 309f2e8] Let {one} wait", "+ x")),
    )  # fmt: skip


def _list(made: ClaudeCode, chance: Random) -> None:
    states = ("pending", "in_progress", "completed")
    todos = [
        {"content": _filled((each,), chance), "status": chance.choice(states)} for each in _TODOS
    ]
    made.call("TodoWrite", {"todos": todos})


def _question(made: ClaudeCode, chance: Random) -> None:
    question, answer = _filled(("Where does {noun} live?",), chance), _filled(_ANSWERS[1:6], chance)
    options = [{"label": answer, "description": "What most do."}, {"label": "Nowhere"}]
    given: dict[str, object] = {"questions": [{"question": question, "options": options}]}
    made.call(
        "AskUserQuestion", given, f'User has answered your questions: "{question}"="{answer}"'
    )


def _plan(made: ClaudeCode, chance: Random) -> None:
    text = _filled(("# Plan: {noun}\n\n{noun} {verb}{why}.\n\n## Steps\n\n1. `{file}`",), chance)
    taken = chance.random() < 0.7
    refused = "The user doesn't want to proceed. the user said:\n" + _filled(_ANSWERS[1:], chance)
    said = "User has approved your plan." if taken else refused
    made.call("ExitPlanMode", {"plan": text}, said, failed=not taken)


_MOVES: tuple[Move, ...] = (
    _ask, _answer, _say, _edit, _check, _look, _shell, _list, _question, _plan,
)  # fmt: skip
_OFTEN = (5, 5, 12, 8, 6, 3, 3, 1, 1, 1)
