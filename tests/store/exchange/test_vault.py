"""A memory that goes into a vault and comes back."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from store import open_memory
from store.backends import open_backend
from store.backends.vault.layout import SIDECAR
from store.errors import Conflict
from store.exchange.agentx import read_memory, to_agentx_store
from store.exchange.json_lines import read_json_lines, to_json_lines
from store.exchange.memory_bank import read_markdown_bank, to_markdown_bank
from store.exchange.values import Reading
from store.exchange.vault import KEY, _short_text, read_vault_memories, vault_files
from store.model import Category, Observation
from store.records import estimate_tokens, first_line
from store.validation.prepare import make_id, prepare
from tests.store.backends.vault.vaults import FILES, edit_by_hand, make_vault, texts
from tests.store.factories import NOW, observation, record, write_issue


def _read(folder: Path) -> list[Observation]:
    return [it.observation for it in read_vault_memories(folder).incoming]


def _text_files(observations: list[Observation]) -> dict[str, str]:
    files = vault_files(observations)
    return {path: it.decode() for path, it in files.items() if it is not None and path != SIDECAR}


def test_any_vault_to_memory_and_back_is_the_same_text(tmp_path: Path) -> None:
    for seed in range(5):
        random = Random(seed)
        folder = make_vault(tmp_path / str(seed))
        for _ in range(random.randrange(15)):
            place = folder / random.choice(sorted(FILES))
            place.write_bytes(edit_by_hand(place.read_bytes().decode(), random).encode())
        found = _read(folder)
        here = {it.extra["vault"]["path"] for it in found if "vault" in it.extra}
        before = texts(folder)
        assert len(here) >= 5
        random.shuffle(found)
        after = _text_files([prepare(it, NOW, make_id).observation for it in found])
        assert after == {path: it for path, it in before.items() if path in after}, seed
        # What holds no memory, a title alone, is no memory's to give back.
        assert all(not _has_memory(folder, path) for path in before.keys() - after.keys())


def _has_memory(folder: Path, path: str) -> bool:
    return any(it.place == path for it in read_vault_memories(folder).incoming)


OBSERVATIONS = st.builds(
    observation,
    st.text(min_size=1, max_size=60).filter(str.strip),
    agent=st.sampled_from(["dev", "Agent X", "ü/../x", "conversations", ".a", "a" * 90]),
    issue_number=st.integers(0, 40),
    category=st.sampled_from([*map(str, Category), "custom", "décisions"]),
    timestamp=st.datetimes(datetime(1900, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC)).map(
        lambda it: it.replace(microsecond=it.microsecond // 1000 * 1000)
    ),
    tags=st.lists(st.sampled_from(["done", "a-b", "x y", "#", "ü", "29"]), unique=True).map(tuple),
    pinned=st.booleans(),
    archived=st.booleans(),
    recall_count=st.integers(0, 3),
    session_id=st.sampled_from(["", "s1"]),
    extra=st.sampled_from([{}, {"branch": "main", "deep": {"a": [1, None]}}]),
)


@settings(max_examples=10)
@given(drawn=st.lists(OBSERVATIONS, max_size=5))
def test_any_memory_to_a_vault_and_back_has_the_same_values(
    drawn: list[Observation], tmp_path_factory: pytest.TempPathFactory
) -> None:
    named = (it._replace(id=f"obs-{number}") for number, it in enumerate(drawn))
    held = [it._replace(content=it.content.strip("\n") or "x") for it in named]
    held = [it._replace(summary=first_line(it.content), tokens=1) for it in held]
    folder = tmp_path_factory.mktemp("vault")
    for path, data in vault_files(held).items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data or b"")
    found = {it.id: it._replace(extra=_without_place(it)) for it in _read(folder)}
    assert found == {it.id: it for it in held}


def _without_place(it: Observation) -> dict[str, Any]:
    return {name: value for name, value in it.extra.items() if name != "vault"}


def test_a_vault_is_imported_once_and_exported_as_it_was(tmp_path: Path) -> None:
    vault = make_vault(tmp_path / ".memory")
    with open_memory(tmp_path / "m", cache=tmp_path / "c", clock=lambda: NOW) as memory:
        plan = memory.exchange.plan_import(vault)
        memory.apply(plan)
        assert memory.exchange.plan_import(vault).is_empty
        assert memory.get("1773679871839").agent == "dev"
        assert memory.exchange.export_store(tmp_path / "out", "", "vault") == len(plan.changes)
        with pytest.raises(Conflict):
            memory.exchange.export_store(tmp_path / "out", "", "vault")
    assert texts(tmp_path / "out") == FILES
    assert texts(vault) == FILES


@pytest.mark.parametrize(
    ("path", "stands"),
    [
        ("dev/notes.md", True),
        ("../evil.md", False),
        ("dev/../../evil.md", False),
        (".git/x.md", False),
        ("/etc/x.md", False),
        ("dev/x.txt", False),
        ("conversations/x.md", False),
        ("a\0b.md", False),
        (7, False),
    ],
)
def test_a_memory_names_no_place_outside_of_a_vaults_notes(path: object, stands: bool) -> None:
    it = observation("Said", id="a")
    place = {"path": path, "at": 0, "said": _short_text(it), "text": "Said as it stood\n"}
    it = it._replace(extra={KEY: place})
    own = "engineer/decisions.md"
    assert [*_text_files([it])] == [path if stands else own]
    assert [*_text_files([it._replace(archived=True)])] == [f".vault/archive/{own}"]


@pytest.mark.parametrize("more", ["", "\n<!-- id:2 -->\n## 2026-01-02T00:00\n\nOf another\n"])
def test_a_place_whose_text_holds_more_than_its_memories_is_none(more: str) -> None:
    it = observation("Said", id="a")
    text = f"<!-- id:1 -->\n## 2026-01-01T00:00\n\nSaid\n{more}"
    place = {"path": "dev/decisions.md", "at": 0, "said": _short_text(it), "text": text}
    (path,) = found = _text_files([it._replace(extra={KEY: place})])
    assert path == ("engineer/decisions.md" if more else "dev/decisions.md")
    assert "Of another" not in found[path]


# What is exported comes back equal, field by field, in every format.


TRICKY = (
    "<!-- memtui {} -->", "- 2026-01-01: bullet", "<private>", "-->", "\r", "\t", "\x1b[31m",
    "\u2028", "\u202e", "\ud800", "```", "# Heading", "\n", "\n\n", "  ", "日本", "a", "\0", "\x7f",
)  # fmt: skip
_texts = st.lists(st.sampled_from(TRICKY), min_size=1, max_size=6).map("".join)
_ids = _texts.filter(lambda text: "<private>" not in text)
"""An id that holds what is private comes back under another name."""
_contents = _texts.filter(lambda text: bool(first_line(text)))
_times = st.datetimes(
    min_value=datetime(1, 1, 2), max_value=datetime(9999, 12, 30), timezones=st.just(UTC)
).map(lambda time: time.replace(microsecond=time.microsecond // 1000 * 1000))
_json = st.recursive(
    st.none() | st.booleans() | st.integers() | _texts,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(_texts, inner, max_size=2),
    max_leaves=4,
)


@st.composite
def _observations(draw: st.DrawFn) -> Observation:
    content = draw(_contents)
    return Observation(
        id=draw(_ids),
        agent=draw(_texts),
        issue_number=draw(st.integers(0, 3)),
        category=draw(st.sampled_from(list(Category)).map(str) | _texts),
        content=content,
        summary=draw(st.just(first_line(content)) | _texts),
        tokens=draw(st.just(estimate_tokens(content)) | st.integers(0, 10**6)),
        timestamp=draw(_times),
        session_id=draw(st.just("") | _texts),
        recall_count=draw(st.integers(0, 9)),
        relevance_score=draw(st.floats(0, 1)),
        archived=draw(st.booleans()),
        tags=tuple(draw(st.lists(_texts, max_size=2))),
        pinned=draw(st.booleans()),
        muted=draw(st.booleans()),
        last_recalled=draw(st.none() | _times),
        sources=tuple(draw(st.lists(_texts, max_size=2))),
        seen_count=draw(st.integers(0, 3)),
        extra=draw(st.dictionaries(_texts, _json, max_size=2)),
    )


_many = st.lists(_observations(), max_size=4, unique_by=lambda item: item.id)


def found_in(reading: Reading) -> list[Observation]:
    assert reading.problems == ()
    return in_order(item.observation for item in reading.incoming)


def in_order(observations: object) -> list[Observation]:
    assert not isinstance(observations, str)
    return sorted(observations, key=lambda item: item.id)  # type: ignore[call-overload,no-any-return]


@settings(max_examples=8)
@given(_many)
def test_a_memory_bank_gives_back_what_was_written(observations: list[Observation]) -> None:
    text = to_markdown_bank(observations)
    assert found_in(read_markdown_bank(text, "bank.md")) == in_order(observations)
    text.encode()


@settings(max_examples=8)
@given(_many)
def test_json_lines_give_back_what_was_written(observations: list[Observation]) -> None:
    text = to_json_lines(observations)
    assert found_in(read_json_lines(text, "all.jsonl")) == in_order(observations)
    assert text.count("\n") == len(observations)
    text.encode()


@settings(max_examples=6)
@given(_many)
def test_a_store_gives_back_what_was_written(
    tmp_path_factory: pytest.TempPathFactory, observations: list[Observation]
) -> None:
    folder = tmp_path_factory.mktemp("store") / "memory"
    assert to_agentx_store(observations, folder, NOW) == len(observations)
    assert found_in(read_memory(open_backend(folder))) == in_order(observations)


def test_what_is_written_acts_on_no_terminal() -> None:
    hostile = observation("a\x1b[2Jb", id="x\u202e", category="c\x1b", tags=("\x9b",))
    for text in (to_markdown_bank([hostile]), to_json_lines([hostile])):
        assert not {"\x1b", "\u202e", "\x9b"} & set(text)


def test_what_we_wrote_stays_private_where_it_was_made_so() -> None:
    ours = to_markdown_bank([observation("Hidden", id="a", timestamp=NOW)])
    reading = read_markdown_bank(f"- kept\n<private>\n{ours}</private>\n", "bank.md")
    assert [item.observation.content for item in reading.incoming] == ["kept"]


def test_a_store_s_damage_is_said_and_the_rest_read(tmp_path: Path) -> None:
    write_issue(tmp_path, 1, record("a", big=10**30), {"id": "b"})
    write_issue(tmp_path, 1, record("c"), archived=True)
    (tmp_path / "issue-2.json").write_text("{")
    reading = read_memory(open_backend(tmp_path))
    one, archived = (item.observation for item in reading.incoming)
    assert one.extra == {"big": 10**30}
    assert archived.archived
    assert len(reading.problems) == 2


def test_a_store_is_never_written_over_another(tmp_path: Path) -> None:
    write_issue(tmp_path, 1, record("a"))
    with pytest.raises(Conflict):
        to_agentx_store([observation(id="b", timestamp=NOW)], tmp_path, NOW)


def test_a_store_is_never_written_among_other_files(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text('{"name": "an extension"}')
    (tmp_path / ".gitignore").write_text("node_modules")
    with pytest.raises(Conflict, match=r"is not empty \(\.gitignore\)"):
        to_agentx_store([observation(id="b", timestamp=NOW)], tmp_path, NOW)
    assert (tmp_path / "manifest.json").read_text() == '{"name": "an extension"}'
    assert sorted(each.name for each in tmp_path.iterdir()) == [".gitignore", "manifest.json"]
