"""Rings, circles and limits of questions: each rule at its edge, by rows."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from store.clarifications import scope
from store.clarifications.ledger import ClarificationLedgers
from store.clarifications.model import Clarification, Entry, EntryType, Ledgers, Status
from store.clarifications.monitor import AgentState, agent_states, circles, examine
from store.clarifications.scope import Scope, Workflows, read_workflows
from store.clarifications.told import told_to
from store.errors import WriteFailed
from tests.store.clarifications.stage import FREE, NOW, asked

MINUTE = timedelta(minutes=1)


def _waiting(pairs: str) -> list[Clarification]:
    """Blocking questions such as `a>b b>a`, each asked a minute after the one before."""
    return [
        replace(
            asked(*pair.split(">"), blocking=True, now=NOW + at * MINUTE),
            id=f"CLR-29-{at + 1:03d}",
        )
        for at, pair in enumerate(pairs.split())
    ]


def _found(found: Sequence[Clarification], order: str = "", minutes: int = 3) -> list[str]:
    workflows = Workflows({}, tuple(order)) if order else Workflows({}, ())
    return [
        f"{it.trouble} {it.before.asker}>{it.before.asked}"
        f" {','.join(f'{one.asker}>{one.asked}' for one in it.against)} {it.after.gave_way_to[-1:]}"
        for it in examine(found, workflows, NOW + minutes * MINUTE)
    ]


@pytest.mark.parametrize(
    ("pairs", "order", "found"),
    [
        ("a>b b>a", "", ["deadlock b>a a>b 1"]),
        ("a>b b>a", "ab", ["deadlock b>a a>b 1"]),
        ("a>b b>a", "ba", ["deadlock a>b b>a 2"]),
        ("a>b b>c", "", []),
        ("a>b b>c c>a", "", ["deadlock c>a a>b,b>c 1"]),
        ("a>b b>c c>a", "cba", ["deadlock a>b b>c,c>a 2"]),
        ("a>b b>c c>a", "acb", ["deadlock b>c a>b,c>a 1"]),
        ("x>a a>b b>a", "", ["deadlock b>a a>b 2"]),
        ("x>a a>b b>a b>c c>b", "", ["deadlock b>a a>b 2", "deadlock c>b b>c 4"]),
        ("a>b a>c c>a", "", ["deadlock c>a a>c 2"]),
        ("a>b a>c b>d c>d", "", []),
        ("a>b b>a a>b", "", ["deadlock b>a a>b 1"]),
        ("a>b c>d d>c", "", ["deadlock d>c c>d 2"]),
        ("a>b c>a b>c", "", ["deadlock b>c a>b,c>a 1"]),
    ],
)
def test_who_gives_way_where_agents_wait_for_each_other(
    pairs: str, order: str, found: list[str]
) -> None:
    assert _found(_waiting(pairs), order) == found


def test_what_gives_way_is_not_late_as_well() -> None:
    found = _found(_waiting("a>b b>a"), minutes=100_000)
    assert [it.strip() for it in found] == ["deadlock b>a a>b 1", "late a>b"]


def test_what_blocks_nobody_or_is_answered_makes_no_ring() -> None:
    first, second = _waiting("a>b b>a")
    assert _found([first, replace(second, blocking=False)]) == []
    assert _found([first, replace(second, status=Status.ANSWERED)]) == []
    assert _found([first, replace(second, status=Status.STALE)]) == ["deadlock b>a a>b 1"]
    assert _found([replace(second, issue=7), replace(first, issue=7)]) == ["deadlock b>a a>b 1"]


@pytest.mark.parametrize(
    ("status", "late", "trouble"),
    [
        (Status.PENDING, 0, ""),
        (Status.PENDING, 1, "late"),
        (Status.STALE, 0, ""),
        (Status.STALE, 1, "late-again"),
        (Status.ANSWERED, 1, ""),
        (Status.ESCALATED, 1, ""),
        (Status.RESOLVED, 1, ""),
    ],
)
def test_when_an_answer_is_late(status: Status, late: int, trouble: str) -> None:
    one = replace(asked(), status=status)
    found = examine([one], FREE, one.stale_after + timedelta(microseconds=late))
    assert [str(it.trouble) for it in found] == ([trouble] if trouble else [])


def _entry(number: int, body: str, kind: str = EntryType.ANSWER) -> Entry:
    return Entry(number, "architect", kind, body, NOW + number * MINUTE)


SAME = "Answer with the status 404 and an empty body"


@pytest.mark.parametrize(
    ("thread", "rounds"),
    [
        ([(1, SAME)], ()),
        ([(1, SAME), (2, SAME)], (1, 2)),
        ([(1, SAME), (1, SAME)], ()),
        ([(1, SAME), (2, "No."), (3, SAME)], (1, 3)),
        ([(1, SAME), (2, SAME), (3, "No.")], ()),
        ([(1, SAME), (2, SAME), (3, SAME)], (2, 3)),
        ([(1, SAME), (2, f"{SAME}.")], (1, 2)),
        ([(1, SAME), (2, SAME.replace("404", "410"))], ()),
        ([(1, SAME), (2, SAME.replace("with", "without"))], ()),
    ],
)
def test_which_answers_say_the_same(thread: list[tuple[int, str]], rounds: tuple[int, ...]) -> None:
    one = replace(asked(), thread=tuple(_entry(*it) for it in thread))
    assert tuple(it.round for it in circles(one)) == rounds
    asking = tuple(_entry(at, body, EntryType.QUESTION) for at, body in thread)
    assert circles(replace(one, thread=asking)) == ()


@pytest.mark.parametrize(("length", "said"), [(240, 240), (241, 240), (300, 240)])
def test_answers_that_say_the_same_are_quoted_short(length: int, said: int) -> None:
    body = ("same words " * 30)[: length - 1] + "x"
    one = replace(
        asked(), status=Status.ANSWERED, thread=(_entry(1, body), _entry(2, f" {body}\n"))
    )
    (found,) = examine([one], FREE, NOW)
    told = found.after.thread[-1].body
    quoted = told.removeprefix("The answers of rounds 1 and 2 say the same: ").split(" / ")
    assert len(quoted) == 2
    assert {it[0] + it[-1] for it in quoted} == {"“”"}
    assert all(len(it) - 2 in (said, said - 1) for it in quoted)
    assert all(it.endswith("…”") is (length > 240) for it in quoted)


def test_a_blocked_agent_is_blocked_whatever_else_it_owes() -> None:
    owing, blocked = asked("b", "a"), asked("a", "c", blocking=True)
    told = {"a": AgentState.BLOCKED, "c": AgentState.CLARIFYING}
    assert agent_states([owing, blocked]) == agent_states([blocked, owing]) == told
    assert agent_states([replace(owing, status=Status.ANSWERED)]) == {}


def test_since_when_one_waits_and_when_something_was_last_said() -> None:
    thread = (
        _entry(1, "?", EntryType.QUESTION),
        _entry(2, "!", EntryType.ANSWER),
        replace_time(_entry(2, "?", EntryType.QUESTION), 5),
        replace_time(_entry(2, "? again", EntryType.QUESTION), 9),
    )
    one = replace(asked(), thread=thread, round=2)
    assert (one.since, one.updated) == (NOW + 5 * MINUTE, NOW + 9 * MINUTE)
    assert replace(one, status=Status.ANSWERED).since == one.updated
    assert replace(one, round=3).since == replace(one, thread=()).updated == one.created
    assert [it and it.body for it in map(one.last, ("question", "answer", "other"))] == [
        "? again", "!", None,
    ]  # fmt: skip


def replace_time(entry: Entry, minutes: int) -> Entry:
    return entry._replace(timestamp=NOW + minutes * MINUTE)


def test_a_person_is_waited_for_first_and_the_settled_come_newest_first() -> None:
    order = ("escalated", "pending", "stale", "answered", "resolved", "abandoned")
    found = [
        replace(asked(now=NOW + at * MINUTE), id=f"{status}{at}", status=status)
        for at, status in ((at, status) for at in range(2) for status in reversed(order))
    ]
    told = [it.id for it in Ledgers(tuple(found)).open_first]
    assert told == [
        "escalated0", "escalated1", "stale0", "pending0", "stale1", "pending1", "answered0",
        "answered1", "abandoned1", "resolved1", "abandoned0", "resolved0",
    ]  # fmt: skip


NOBODY: frozenset[str] = frozenset()


@pytest.mark.parametrize(
    ("key", "value", "told"),
    [
        ("clarify_max_rounds", 1, Scope(NOBODY, max_rounds=1)),
        ("clarify_max_rounds", 20, Scope(NOBODY, max_rounds=20)),
        ("clarify_sla_minutes", 1, Scope(NOBODY, sla=MINUTE)),
        ("clarify_sla_minutes", 43_200, Scope(NOBODY, sla=timedelta(days=30))),
        ("clarify_blocking_allowed", False, Scope(NOBODY, blocking_allowed=False)),
        ("can_clarify", [], Scope(NOBODY)),
        ("can_clarify", ["a"], Scope(frozenset("a"))),
    ],
)
def test_what_a_workflow_says_of_an_agent(
    tmp_path: Path, key: str, value: object, told: Scope
) -> None:
    said = json.dumps(value)
    texts = (
        f'[[steps]]\nagent = "x"\n{key} = {said}\n',
        f'[[step]]\nagent = "x"\n{key} = {said}\n',
        f'[workflow.steps.one]\nagent = "x"\n{key} = {said}\n',
        f'[[workflow.step]]\nagent = "x"\n{key} = {said}\n[[workflow.step]]\nagent = 7\n',
    )
    for at, text in enumerate(texts):
        (tmp_path / f"{at}.toml").write_text(text)
        found = read_workflows(tmp_path, tmp_path)
        assert (found.scopes, found.order[0], found.problems) == ({"x": told}, "x", ())
        (tmp_path / f"{at}.toml").unlink()


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("clarify_max_rounds", 21),
        ("clarify_max_rounds", 0),
        ("clarify_max_rounds", True),
        ("clarify_max_rounds", "3"),
        ("clarify_sla_minutes", 43_201),
        ("clarify_blocking_allowed", 0),
        ("can_clarify", "a"),
    ],
)
def test_what_cant_be_understood_is_named_and_read_at_its_strictest(
    tmp_path: Path, key: str, value: object
) -> None:
    other = '[[steps]]\nagent = "y"\ncan_clarify = ["x"]\n'
    text = f'[[steps]]\nagent = "x"\n{key} = {json.dumps(value)}\n{other}'
    (tmp_path / "a.toml").write_text(text)
    found = read_workflows(tmp_path, tmp_path)
    assert [it.path for it in found.problems] == ["workflows/a.toml"]
    assert f"`{key}` of x" in found.problems[0].message
    assert found.scope("x") == Scope(NOBODY, 1, blocking_allowed=False, unread="workflows/a.toml")
    assert found.scope("y") == Scope(frozenset("x"))


def test_a_workflow_that_cant_be_read_may_forbid_everything(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text('[[steps]]\nagent = "y"\ncan_clarify = ["x"]\n')
    assert read_workflows(tmp_path, tmp_path).scope("z") == Scope()
    (tmp_path / "b.toml").write_text("[[steps")
    found = read_workflows(tmp_path, tmp_path)
    strict = Scope(NOBODY, 1, blocking_allowed=False, unread="workflows/b.toml")
    assert found.scope("z") == strict
    assert found.scope("y") == strict._replace(can_clarify=frozenset("x"))


def test_workflows_are_read_up_to_so_many_bytes_and_a_hundred_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scope, "_MOST_BYTES", 1_000)
    step = '[[steps]]\nagent = "%s"\n'
    (tmp_path / "a.toml").write_text((step % "a") + "#" * (1_000 - 24 - len(step % "b")))
    (tmp_path / "b.toml").write_text(step % "b")
    (tmp_path / "c.toml").write_text("steps = [")
    (tmp_path / "d.txt").write_text(step % "d")
    found = read_workflows(tmp_path, tmp_path)
    assert [*found.scopes] == ["a", "b"]
    assert [it.path for it in found.problems] == ["workflows/c.toml"]
    assert found.order[:3] == ("a", "b", "product-manager")
    (tmp_path / "a.toml").write_text("#" * 1_000)
    assert [it.path for it in read_workflows(tmp_path, tmp_path).problems] == [
        "workflows/b.toml",
        "workflows/c.toml",
    ]
    for path in tmp_path.iterdir():
        path.unlink()
    monkeypatch.undo()
    for at in range(102):
        (tmp_path / f"{at:03d}.toml").write_text(step % f"a{at}")
    found = read_workflows(tmp_path, tmp_path)
    assert len(found.scopes) == 100
    assert [it.message for it in found.problems] == ["Only the first 100 files are read."]


def test_an_agent_that_two_name_is_once_in_the_order(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text('[[steps]]\nagent = "reviewer"\n[[steps]]\nagent = "pm"\n')
    order = read_workflows(tmp_path, tmp_path).order
    assert order[:3] == ("reviewer", "pm", "product-manager")
    assert len(set(order)) == len(order) == 11
    found = Workflows({}, order)
    assert [found.is_upstream(*it) for it in (("pm", "ux"), ("ux", "pm"), ("ux", "x"))] == [
        True, False, True,
    ]  # fmt: skip
    assert not found.is_upstream("x", "y")
    rounds = [Scope().rounds(blocking=it) for it in (True, False)]
    assert (rounds, Scope(max_rounds=3).rounds(blocking=True)) == ([5, 6], 3)


def test_no_ledger_is_written_through_a_link(tmp_path: Path) -> None:
    ledgers = ClarificationLedgers(tmp_path / ".agentx" / "memory")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / ".agentx").mkdir()
    (tmp_path / ".agentx" / "state").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(WriteFailed) as refused, ledgers.held():
        pass
    assert refused.value.message == "state is a symbolic link; nothing was written."
    assert refused.value.hint == "Replace it with a regular folder."
    assert [*(tmp_path / "elsewhere").iterdir()] == []


def test_of_eight_none_are_counted_and_of_nine_one_is() -> None:
    many = [replace(asked("b", "a"), id=f"CLR-29-{at:03d}") for at in range(9)]
    assert [len(told_to("a", many[:at], None, NOW)) for at in (0, 1, 8, 9)] == [0, 2, 9, 10]
    assert told_to("a", many, None, NOW)[-1] == "- and 1 more: `memtui clarify`"


def test_of_two_issues_that_gave_one_id_each_is_examined_by_itself() -> None:
    pair = _waiting("a>b b>a")
    late = [replace(it, issue=30, blocking=False) for it in pair]
    found = examine([*late, *pair], FREE, NOW + timedelta(hours=2))
    assert [(it.trouble, it.before.issue, it.before.id) for it in found] == [
        ("deadlock", 29, "CLR-29-002"),
        ("late", 30, "CLR-29-001"),
        ("late", 30, "CLR-29-002"),
        ("late", 29, "CLR-29-001"),
    ]
