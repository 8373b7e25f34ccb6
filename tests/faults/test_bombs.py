"""Small files that would unfold into hours or gigabytes: kept, named and passed over."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest

from memtui.cli.main import run
from memtui.hooks.call import parse_input
from store import Observation, open_memory
from store.agents.commented_json import ClientJson
from store.agents.files import object_in, toml_in
from store.errors import Unreadable
from store.platform.bounds import load_json
from store.records import RawRecord
from tests.store.factories import logged

FACT = Observation(agent="engineer", issue_number=1, category="decision", content="The lock holds.")
RECORD = {
    "id": "bomb",
    "agent": "engineer",
    "issueNumber": 7,
    "category": "decision",
    "content": "harmless",
    "timestamp": "2026-02-27T10:00:00.000Z",
}
DEPTHS = (65, 1_500, 200_000)
SECONDS = 60.0
"""Many times what each takes; the bombs took minutes."""


def _nested(depth: int) -> str:
    return "[" * depth + "]" * depth


def _deep(depth: int) -> str:
    plain = json.dumps(RECORD)[:-1]
    return f'{{"observations": [{plain}, "tags": {_nested(depth)}}}]}}'


BOMBS: dict[str, tuple[Callable[[], str], str]] = {
    "more of nothing than is read": (
        lambda: '{"observations":[' + "{}," * 20_000 + "{}]}",
        "more than 3,000 records",
    ),
    "20,000 keys": (
        lambda: '{"observations":[{' + ",".join(f'"k{n}":{n}' for n in range(20_000)) + "}]}",
        "20,000 keys, too many to read",
    ),
    "100,000 tags": (
        lambda: json.dumps({"observations": [{**RECORD, "tags": [1] * 100_000}]}),
        "more than 10,000 values",
    ),
    "a text of 2 MB": (
        lambda: json.dumps({"observations": [{**RECORD, "content": "a " * 10**6}]}),
        "more than 1,000,000 characters",
    ),
    "a million digits": (
        lambda: '{"observations":[{"id":"a","tokens":' + "9" * 1_000_000 + "}]}",
        "too large a number",
    ),
    **{f"{depth} levels": (partial(_deep, depth), "nests") for depth in DEPTHS},
}
"""Files, each with what is said of it."""


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_in_an_issue_is_named_and_the_rest_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr("store.backends.files.issue_file.MAX_RECORDS", 3_000)
    store = tmp_path / "memory"
    with open_memory(store, cache=tmp_path / "cache") as memory:
        memory.store([FACT])
    bomb = store / "issue-7.json"
    unfolded, said = BOMBS[name]
    bomb.write_text(unfolded())
    before = time.monotonic()
    with open_memory(store, cache=tmp_path / "cache") as memory:
        memory.store([FACT._replace(content="Another.", issue_number=2)])
        assert memory.search("").total == 2
        (problem,) = memory.problems
        assert problem.path == "issue-7.json" and said in problem.message
        assert not memory.doctor.examine().is_healthy
    assert time.monotonic() - before < SECONDS
    assert bomb.exists()


@pytest.mark.parametrize("depth", DEPTHS)
def test_depth_is_calm_wherever_it_stands(tmp_path: Path, depth: int) -> None:
    deep = _nested(depth)
    store = tmp_path / "memory"
    with open_memory(store, cache=tmp_path / "cache") as memory:
        memory.store([FACT])
        with (store / "activity.jsonl").open("a") as log:
            log.write(f'{{"type":"recalled","observationIds":{deep}}}\n{deep}\n')
        assert logged(store)
        assert memory.activity(10).entries
        assert memory.recall.already_injected("s").ids == frozenset()
    assert parse_input(f'{{"session_id": {deep}}}') is None
    (tmp_path / "batch.jsonl").write_text(f"{deep}\n")
    assert run(["--dir", str(store), "add", "--batch", str(tmp_path / "batch.jsonl")]) == 2
    (tmp_path / "home").mkdir()
    with pytest.raises(ValueError, match="levels deep"):
        load_json(deep)


@pytest.mark.parametrize("kind", ["", "vault://"])
def test_depth_is_calm_in_every_file_beside_the_record(tmp_path: Path, kind: str) -> None:
    store, cache = tmp_path / "memory", tmp_path / "cache"
    place = f"{kind}{store}" if kind else store
    with open_memory(place, cache=cache) as memory:
        (first,) = memory.store([FACT])
        memory.continuation.sleep(
            "engineer", [{"role": "user", "content": "Go on."}], chat_id="chat"
        )
        memory.apply(memory.plan.archive(first))
    files = [it for it in tmp_path.rglob("*.json") if it.is_file() and "issue-" not in it.name]
    assert len(files) > 5
    for path in files:
        path.write_text(path.read_text().replace("{", f'{{"deep": {_nested(2_000)},', 1))
    with open_memory(place, cache=cache) as memory:
        memory.search("holds")
        assert len(memory.history.operations()) == 0
        assert memory.continuation.recover() is None
        assert not memory.doctor.examine().is_healthy
        with suppress(Unreadable):  # of a vault's own file, which a write needs
            memory.store([FACT._replace(content="More.")])


def test_a_deep_record_survives_a_change_of_its_neighbour(tmp_path: Path) -> None:
    store = tmp_path / "memory"
    store.mkdir()
    plain = json.dumps(RECORD)[:-1]
    text = f'{{"observations": [{plain}, "x": {_nested(300)}}}]}}'
    (store / "issue-7.json").write_text(text)
    with open_memory(store, cache=tmp_path / "cache") as memory:
        memory.store([FACT._replace(issue_number=7)])
        assert _nested(300) in (store / "issue-7.json").read_text()
        assert memory.search("").total == 1
    assert RawRecord(b"{}", {}).exact() == {}


@pytest.mark.parametrize("depth", [500, 200_000])
def test_deep_settings_of_agents_are_a_calm_error(tmp_path: Path, depth: int) -> None:
    path = tmp_path / "settings"
    path.write_text(f'{{"hooks": {_nested(depth)}}}')
    assert object_in(path) == {}
    with pytest.raises(Unreadable, match="settings"):
        ClientJson(has_comments=False).parsed(path.read_text(), path)
    path.write_text(f"hooks = {_nested(depth)}")
    assert isinstance(toml_in(path), dict)
