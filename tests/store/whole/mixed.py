"""Sessions put together by chance from what people, agents and programs say and do in them."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from tests.store.capture.transcripts import ClaudeCode
from tests.store.whole.phrases import (
    ANSWERS,
    ASKS,
    CHECKS,
    FAILED,
    NAMES,
    NOUNS,
    ODD,
    PASTED,
    SAID,
    SHELL,
    SUMMARY,
    TODOS,
    VERBS,
    WHYS,
)

Move = Callable[[ClaudeCode, Random], object]


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
    noun, verb, why = chance.choice(NOUNS), chance.choice(VERBS), chance.choice(WHYS)
    text = chance.choice(texts)
    return text.format(
        name=name, other=other, file=f"shop/{name}.py", noun=noun, verb=verb, why=why
    )


def _ask(made: ClaudeCode, chance: Random) -> None:
    made.user(_filled(ASKS, chance))


def _answer(made: ClaudeCode, chance: Random) -> None:
    made.user(_filled(ANSWERS, chance))


def _say(made: ClaudeCode, chance: Random) -> None:
    made.agent(" ".join(_filled(SAID, chance) for _ in range(chance.choice((1, 1, 2, 3)))))


def _edit(made: ClaudeCode, chance: Random) -> None:
    for _ in range(chance.choice((1, 1, 2, 4))):
        usual = ("shop/{}.py", "shop/{}.py", "shop/{}.py", "tests/test_{}.py", "docs/{}.md")
        place = chance.choice((*usual, chance.choice(ODD)))
        path = place.format(chance.choice(NAMES))
        if chance.random() < 0.05:
            path = f"../elsewhere/{path}"
        if chance.random() < 0.2:
            lines = "".join(f"line {n} = {n}\n" for n in range(chance.randrange(1, 40)))
            made.call("Write", {"file_path": f"{made.cwd}/{path}", "content": lines}, "created")
        else:
            name = chance.choice(NAMES)
            new = "\n".join(f"    {name}_{n} = {n}" for n in range(chance.randrange(1, 9)))
            made.edit(path, f"def {name}():\n    pass", f"def {name}():\n{new}",
                      failed=chance.random() < 0.1)  # fmt: skip


def _check(made: ClaudeCode, chance: Random) -> None:
    command = _filled(CHECKS, chance)
    failed = chance.random() < 0.6
    said = _filled(FAILED, chance) if failed else "12 passed in 0.3s"
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
    command = chance.choice(SHELL).format(one=one, other=other)
    said = chance.choice(("", f"[main 309f2e8] Let {one} wait", "+ x", "error: no such file"))
    made.bash(command, said, failed=said.startswith("error"))


def _list(made: ClaudeCode, chance: Random) -> None:
    states = ("pending", "in_progress", "completed")
    todos = [
        {"content": _filled((each,), chance), "status": chance.choice(states)} for each in TODOS
    ]
    made.call("TodoWrite", {"todos": todos})


def _question(made: ClaudeCode, chance: Random) -> None:
    question, answer = _filled(("Where does {noun} live?",), chance), _filled(ANSWERS[1:6], chance)
    options = [{"label": answer, "description": "What most do."}, {"label": "Nowhere"}]
    given: dict[str, object] = {"questions": [{"question": question, "options": options}]}
    made.call(
        "AskUserQuestion", given, f'User has answered your questions: "{question}"="{answer}"'
    )


def _plan(made: ClaudeCode, chance: Random) -> None:
    text = _filled(("# Plan: {noun}\n\n{noun} {verb}{why}.\n\n## Steps\n\n1. `{file}`",), chance)
    taken = chance.random() < 0.7
    refused = "The user doesn't want to proceed. the user said:\n" + _filled(ANSWERS[1:], chance)
    said = "User has approved your plan." if taken else refused
    made.call("ExitPlanMode", {"plan": text}, said, failed=not taken)


def _told(text: str, chance: Random) -> str:
    """A text with what is said, asked, answered and left put in."""
    pools = {"{said}": SAID, "{asked}": ASKS, "{answer}": ANSWERS, "{left}": TODOS}
    for name, pool in pools.items():
        while name in text:
            text = text.replace(name, _filled(pool, chance).replace("\n", " "), 1)
    return _filled((text,), chance)


def _summary(made: ClaudeCode, chance: Random) -> None:
    made.user(_told(SUMMARY, chance), isCompactSummary=True)


def _pasted(made: ClaudeCode, chance: Random) -> None:
    made.user(_told(PASTED, chance))


def _tasks(made: ClaudeCode, chance: Random) -> None:
    for number in range(1, chance.randrange(2, 5)):
        subject = _filled(TODOS, chance)
        said = f"Task #{number} created successfully: {subject}"
        made.call("TaskCreate", {"subject": subject}, said)
        if chance.random() < 0.4:
            status = chance.choice(("completed", "deleted", "in_progress"))
            made.call("TaskUpdate", {"taskId": str(number), "status": status})


def _looked_into(made: ClaudeCode, chance: Random) -> None:
    """A question, some looks and what was found, without a change."""
    made.user(_filled(ASKS[1:6], chance))
    for _ in range(chance.randrange(1, 4)):
        _look(made, chance)
    made.bash("git diff main", "+ x")
    _say(made, chance)
    _say(made, chance)


def _talk(made: ClaudeCode, chance: Random) -> None:
    for _ in range(chance.randrange(1, 4)):
        made.agent(_filled(SAID, chance)).user(_filled(ANSWERS, chance))
    _say(made, chance)


def _strange(made: ClaudeCode, chance: Random) -> None:
    """Lines that no client is known to write, and steps of an agent beside."""
    made.line("unheard-of", {"role": "x", "content": chance.choice(NAMES)})
    made.edit(f"shop/{chance.choice(NAMES)}.py", side=True)


_MOVES: tuple[Move, ...] = (
    _ask, _answer, _say, _edit, _check, _look, _shell, _list, _question, _plan,
    _summary, _pasted, _tasks, _looked_into, _talk, _strange,
)  # fmt: skip
_OFTEN = (5, 4, 10, 8, 6, 3, 4, 1, 1, 1, 0.5, 0.5, 0.7, 2, 3, 0.5)
