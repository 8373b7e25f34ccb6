"""A vault comes in and goes out: the same text one way round, the same values the other."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from store import open_memory
from store.backends.vault.layout import SIDECAR
from store.errors import Conflict
from store.exchange.vault import KEY, _short_text, read_vault_memories, vault_files
from store.model import Category, Observation
from store.records import first_line
from store.validation.prepare import make_id, prepare
from tests.store.backends.vault.vaults import FILES, edit_by_hand, make_vault, texts
from tests.store.factories import NOW, observation


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
