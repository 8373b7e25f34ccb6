"""A memory that has been open for long, and was asked much, answers as one just opened does.

What it keeps between questions is to be another with each change, whoever made it, and with each
part of a question. One that opens the same index answers the same to the letter; one that builds
its own puts those that are as good in another order.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest

from memtui.sample.generator import sample_observations
from store import Memory, open_memory
from store.agents.files import files_at
from store.backends.location import FOLDER
from store.clarifications.folder import folder_of
from store.clarifications.rules import Question
from store.errors import StoreError
from store.model import Location, Observation
from store.recall.request import request_of
from store.recall.values import Recall
from store.records import to_record
from store.search.fields import FACETS
from tests.store.capture.transcripts import ClaudeCode
from tests.store.factories import NOW, Clock, Ids, make_memory, observation, write_issue

Change = Callable[[Memory, Random], object]
Ask = Callable[[Memory, bool], object]
"""A question, and whether it is answered to the letter."""

WORKFLOW = '[[steps]]\nagent = "engineer"\ncan_clarify = ["architect"]\n'
WORDS = ("lease", "queue", "rows", "linter", "gateway", "cold storage", "MemoryError")
_MANY = 40
"""Hits from which all that is found is on the page."""
TASK = "Mend the lease in shop/queue.py"
WORKED_OVER = (
    ("engineer", "error", "`make load` failed in shop/load.py: MemoryError: rows at line 31"),
    ("engineer", "code-change", "shop/load.py: Fixed MemoryError: rows by reading row by row."),
    ("engineer", "code-change", "shop/load.py: Closes each file after it was read."),
    ("engineer", "key-fact", "The lease of a queue ends after 30 seconds. It is kept in one row."),
    ("reviewer", "key-fact", "The lease of a queue ends after 5 seconds. It is kept in one row."),
    ("engineer", "decision", "Jobs older than a year move to cold storage for ten years."),
    ("engineer", "lesson", "Run the linter before each commit."),
    ("engineer", "lesson", "Run the linter before each commit. Run the tests too."),
    ("tester", "key-fact", "Requests a minute at which the gateway closes: 41, said the vendor."),
    ("tester", "error", "`pytest tests` failed: KeyError: lease in shop/queue.py again"),
    ("engineer", "handoff", "Done: the lease. Next: measure it with two writers."),
    ("engineer", "task", "Write the manual page of leases"),
)
"""An issue in which the same things were said and mended again and again."""
MARKS: dict[str, dict[str, Any]] = {
    "w2": {"pinned": True},
    "w6": {"muted": True},
    "w9": {"extra": {"branch": "feature/leases"}},
    "m5": {"archived": True},
    "m4": {"last_recalled": NOW, "recall_count": 10},
}
"""What a person, or a session, made of some of them."""


def _memories() -> list[Observation]:
    """Some of the demo's stories, and the issue worked over."""
    told = [it._replace(id=f"m{at}") for at, it in enumerate(sample_observations(NOW)[::20])]
    worked = [
        observation(
            content, agent=agent, issue_number=7, category=category, id=f"w{number}",
            timestamp=NOW - timedelta(days=40 - number), session_id=f"s{number // 3}",
            recall_count=number % 4, tags=("queue",) if number % 2 else ("lease", "queue"),
        )
        for number, (agent, category, content) in enumerate(WORKED_OVER)
    ]  # fmt: skip
    return [it._replace(**MARKS.get(it.id, {})) for it in (*told, *worked)]


def _session(name: str) -> ClaudeCode:
    """A session of a request, a failure, a change and what was decided."""
    made = ClaudeCode(session=name)
    made.user("The queue runs a job twice. Always run the linter first.")
    made.call("Read", {"file_path": f"{made.cwd}/shop/queue.py"}, "def take(): ...")
    made.bash("pytest -q", "Exit code 1\nqueue.py:7: KeyError: lease", failed=True)
    made.edit("shop/queue.py", "WAIT = 30", "WAIT = 5").bash("pytest -q", "12 passed in 0.3s")
    made.agent("We decided to keep one row for each queue, since a lock on a row is cheap.")
    return made.user("Go on").agent("Next step: measure the lease with two writers.")


def _ids(memory: Memory) -> list[str]:
    return sorted(
        it.id
        for issue in memory.backend.issues()
        for it in memory.backend.read(issue).observations(Location.ISSUE)
    )


def _apply(how: str, *given: object, many: int = 2) -> Change:
    def change(memory: Memory, chance: Random) -> object:
        some = chance.sample(_ids(memory), many)
        return memory.apply(getattr(memory.plan, how)(some, *given))

    return change


def _store(memory: Memory, chance: Random) -> object:
    word, agent = chance.choice(WORDS), chance.choice(("engineer", "tester", "new one"))
    number = chance.randrange(100)
    return memory.store(
        [
            observation(
                f"The {word} of {number} rows, see [[w5]]",
                agent=agent,
                issue_number=chance.choice((0, 7, 8, 31)),
                category=chance.choice(("decision", "lesson", "task", "handoff", "key-fact")),
                tags=(f"t{number % 5}",),
            )
        ]
    )


def _by_hand(memory: Memory, chance: Random) -> None:
    """Another program writes another text into a record."""
    path = chance.choice(sorted(memory.path.glob("issue-*.json")))
    value = json.loads(path.read_text())
    if value["observations"]:
        chance.choice(value["observations"])["content"] = f"By hand: {chance.randrange(10**9)}"
        path.write_text(json.dumps(value, indent=2) + "\n")


def _take_in(memory: Memory, chance: Random) -> object:
    path = memory.path.parents[1] / f"day-{chance.randrange(3)}.jsonl"
    path.write_text("\n".join(_session(path.stem).lines))
    return memory.session_indexing.index(list(files_at([path], "claude-code")))


def _inject(memory: Memory, chance: Random) -> object:
    issue = chance.choice((None, 7, 8))
    told = memory.recall.plan("engineer", issue, chance.choice(WORDS), budget=400)
    return memory.recall.inject(told, "engineer", issue, session_id=f"told-{chance.randrange(2)}")


def _ask_agent(memory: Memory, chance: Random) -> object:
    topic = f"Leases {chance.randrange(5)}"
    question = Question("engineer", "architect", topic, "How long?", blocking=False)
    return memory.clarifications.ask(7, question)


CHANGES: dict[str, Change] = {
    "store": _store,
    "edit": _apply("edit", {"tags": ("edited",)}),
    "pin": _apply("edit", {"pinned": True}, many=1),
    "tag": _apply("tag", ["lease"], ["queue"]),
    "archive": _apply("archive"),
    "remove": _apply("remove", many=1),
    "undo": lambda memory, chance: memory.undo(),
    "redo": lambda memory, chance: memory.redo(),
    "write by hand": _by_hand,
    "take in": _take_in,
    "inject": _inject,
    "ask": _ask_agent,
    "settle": lambda memory, chance: memory.index.settle(),
    "count": lambda memory, chance: memory.index.count_recalls(),
}


def _found(query: str, limit: int = 50, offset: int = 0, *facets: str) -> Ask:

    def ask(memory: Memory, exactly: bool) -> object:
        found = memory.search(query, limit, offset, facets=facets or FACETS)
        if exactly:
            return found
        hits = [hit.entry.id for hit in found.hits]
        ordered = hits if "sort:" in query else sorted(hits) if limit > _MANY else len(hits)
        return ordered, found.total, found.facets

    return ask


def _recalled(**fields: object) -> Ask:

    def ask(memory: Memory, exactly: bool) -> object:
        request = request_of(**fields)._replace(estimated=True)  # type: ignore[arg-type]
        found = memory.recall.plan(request)
        if exactly:
            return found
        verdicts = {it.observation.id: str(it.reason.verdict) for it in found.candidates}
        if request.text:
            return sorted(verdicts), sorted(it.path for it in found.files), found.channel
        return verdicts, found.text, found.tokens, found.budget

    return ask


def _related(memory: Memory, exactly: bool) -> object:
    told = {}
    for name in ("w2", "w5", "w9", "m2"):
        try:
            told[name] = sorted(f"{it.relation} {it.observation.id}" for it in
                                memory.related(memory.get(name)))  # fmt: skip
        except StoreError as error:
            told[name] = [error.message]
    return told


def _sessions(memory: Memory, exactly: bool) -> object:
    return [
        (it.id, it.issue, it.memories, it.recalls, it.changed) for it in memory.sessions.digests()
    ]


ASKS: dict[str, Ask] = {
    "all": _found(""),
    "the newest": _found("sort:newest", 10),
    **{f"by {word}": _found(word) for word in WORDS},
    "of an agent": _found("agent:engineer"),
    "pinned": _found("is:pinned"),
    "archived": _found("is:archived"),
    "tagged": _found("tag:lease,edited"),
    "in sessions": _found("in:sessions lease"),
    "told nothing": _recalled(budget=700),
    "of the issue": _recalled(issue=7, budget=900),
    "of an agent and issue": _recalled(agent="tester", issue=7, budget=900),
    "pinned by hand": _recalled(issue=7, budget=900, pinned=("w5", "m2")),
    "given": _recalled(issue=7, budget=900, given=("w1",)),
    "of a session": _recalled(issue=7, budget=900, session_id="s1"),
    "by profile": _recalled(issue=7, budget=900, profile="agentx"),
    "not merged": _recalled(issue=7, budget=900, unmerged=("feature/leases",)),
    "a task": _recalled(task=TASK, issue=7, budget=900),
    "a task alone": _recalled(task=TASK, budget=900),
    "by files": _recalled(changed_files=("shop/load.py",), budget=900),
    "related": _related,
    "sessions": _sessions,
    "state": lambda memory, _: memory.state()[1:4],
    "history": lambda memory, _: [
        (it.id, it.count, it.undone) for it in memory.history.operations()
    ],
    "log": lambda memory, _: [(it.time, it.kind, it.ids) for it in memory.activity().entries],
    "told already": lambda memory, _: memory.recall.already_injected("told-1"),
    "excess": lambda memory, _: memory.upkeep.excess(),
    "questions": lambda memory, _: memory.clarifications.read(7),
}


@pytest.fixture
def place(tmp_path: Path) -> Path:
    held: dict[tuple[int, bool], list[object]] = {}
    for it in _memories():
        held.setdefault((it.issue_number, it.archived), []).append(to_record(it))
    for (issue, archived), records in held.items():
        write_issue(tmp_path / FOLDER, issue, *records, archived=archived)
    make_memory(tmp_path).close()
    folder = folder_of(tmp_path / FOLDER)
    folder.mkdir(parents=True, exist_ok=True)
    (tmp_path / ".agentx" / "workflows").mkdir(exist_ok=True)
    (tmp_path / ".agentx" / "workflows" / "feature.toml").write_text(WORKFLOW)
    return tmp_path


def _open(place: Path, cache: str, clock: Clock, prefix: str) -> Memory:
    return open_memory(place / FOLDER, cache=place / cache, clock=clock, new_id=Ids(prefix))


def _answers(memory: Memory, chance: Random, *, exactly: bool) -> dict[str, object]:
    """What each question is answered, asked in an order by chance."""
    asked = chance.sample(sorted(ASKS), len(ASKS))
    return {name: _without_time(ASKS[name](memory, exactly)) for name in asked}


def _without_time(answer: object) -> object:
    return answer._replace(took=timedelta(0)) if isinstance(answer, Recall) else answer


@pytest.mark.parametrize(
    ("same_index", "steps"), [(True, 2), pytest.param(False, 6, marks=pytest.mark.long)]
)
def test_it_answers_as_one_just_opened(place: Path, same_index: bool, steps: int) -> None:
    chance, clock = Random(steps), Clock()
    changes = sorted(CHANGES if same_index else CHANGES.keys() - {"take in"})
    with _open(place, "cache", clock, "ours") as ours, _open(place, "other", clock, "on") as other:
        _answers(ours, chance, exactly=same_index)
        for step in range(steps):
            clock.pass_by(minutes=7)
            done = []
            for writer in chance.sample((ours, other), chance.choice((1, 2))):
                done.append(chance.choice(changes))
                with suppress(StoreError):
                    CHANGES[done[-1]](writer, chance)
            ours.index.count_recalls()  # as an app does in the background
            told = _answers(ours, chance, exactly=same_index)
            cache = "cache" if same_index else f"new-{step}"
            with _open(place, cache, clock, "x") as new:
                expected = _answers(new, chance, exactly=same_index)
            wrong = [name for name in told if told[name] != expected[name]]
            assert {it: told[it] for it in wrong} == {it: expected[it] for it in wrong}, done
