"""What others wrote is cleaned on the way out, and what is clean is known the next time."""

from __future__ import annotations

from pathlib import Path

import pytest

from store import Memory, Observation
from store.redaction import outgoing
from store.redaction.outgoing import Outgoing
from store.redaction.sanitizer import clean_observation, clean_value
from store.redaction.walk import texts_of
from store.sessions.model import SessionDigest
from tests.store.factories import make_memory, observation, record, write_issue

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
PRIVATE = "the merger is called Falcon"


def foreign(tmp_path: Path) -> Memory:
    """A memory that another program wrote, with a token and a private block in it."""
    memory = make_memory(tmp_path)
    memory.path.mkdir(parents=True)
    write_issue(
        memory.path,
        29,
        record("a", content=f"Deploy with {TOKEN} from the runner.", summary=f"Token {TOKEN}"),
        record("b", content=f"Ask first. <private>{PRIVATE}</private>", summary="Ask first"),
        record("c", content="Locks are held for five seconds at most."),
    )
    return memory


def test_a_token_and_a_private_block_of_others_are_never_injected(tmp_path: Path) -> None:
    with foreign(tmp_path) as memory:
        recall = memory.recall.plan(None, 29)
        assert len(recall.included) == 3
        for text in (
            recall.text,
            memory.recall.prompt_block(["a", "b"]),
            memory.recall.inject(recall),
        ):
            assert TOKEN not in text
            assert PRIVATE not in text
            assert "[redacted" in text
        kept = b"".join(path.read_bytes() for path in (memory.path / "recalls").iterdir())
        assert TOKEN.encode() not in kept
        assert TOKEN in memory.get("a").content


def test_they_are_not_told_one_by_one_either(tmp_path: Path) -> None:
    with foreign(tmp_path) as memory:
        assert TOKEN not in repr(memory.get_redacted("a"))
        assert PRIVATE not in repr(memory.get_redacted("b"))
        hits = memory.search("deploy").hits + memory.search("ask").hits
        assert TOKEN not in repr(hits)
        assert PRIVATE not in repr(hits)
        assert {hit.entry.id for hit in hits} == {"a", "b"}


@pytest.mark.parametrize("name", ["values.py", "vendors.json"])
def test_other_rules_are_told_by_any_file_that_holds_some(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules = tmp_path / "rules"
    rules.mkdir()
    (rules / name).write_text("one")
    monkeypatch.setattr(outgoing, "__file__", str(rules / "outgoing.py"))
    first = Outgoing(tmp_path)
    first.know(texts_of(observation("Clean")))
    first.save()
    (digest,) = first._new
    (rules / "notes.txt").write_text("no rule")
    assert Outgoing(tmp_path)._is_known(digest)
    (rules / name).write_text("another")
    assert not Outgoing(tmp_path)._is_known(digest)


@pytest.fixture
def screened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was read by the rules, in order."""
    read: list[str] = []

    def clean_one(value: Observation) -> tuple[Observation, tuple[str, ...]]:
        read.append(value.content)
        return clean_observation(value)

    def clean_any(value: SessionDigest) -> tuple[SessionDigest, tuple[str, ...]]:
        read.append(repr(value))
        return clean_value(value)

    monkeypatch.setattr("store.redaction.sanitizer.clean_observation", clean_one)
    monkeypatch.setattr("store.redaction.sanitizer.clean_value", clean_any)
    return read


def test_what_pages_showed_is_known_the_next_time(tmp_path: Path, screened: list[str]) -> None:
    page = [observation(f"Locks are held for {number} seconds") for number in range(9)]
    first = Outgoing(tmp_path)
    first.clean_page(page[:5])
    first.clean_page(page[5:])
    first.save()
    screened.clear()
    assert Outgoing(tmp_path).clean_page(page) == page
    assert not screened


def test_what_passed_once_passes_as_it_was_alone() -> None:
    outgoing = Outgoing(None)
    clean = observation("Locks are held for 5 seconds")
    for _ in range(2):
        assert outgoing.clean_page([clean]) == [clean]
    for changed in (
        clean._replace(content=f"Deploy with {TOKEN}"),
        clean._replace(tags=(TOKEN,)),
        clean._replace(extra={"note": [TOKEN]}),
    ):
        for _ in range(2):
            assert TOKEN not in repr(outgoing.clean_page([clean, changed]))


def test_two_that_begin_alike_are_each_cleaned_by_all_of_their_texts() -> None:
    alike = [
        observation("Deploy it", summary="Deploy it", tags=(tag,), extra={"note": note})
        for tag, note in (("a", ""), (TOKEN, ""), ("a", TOKEN), ("a", f"x{TOKEN[:-1]}Z"))
    ]
    outgoing = Outgoing(None)
    for order in (alike, alike[::-1]):
        shown = [outgoing.clean(it) for it in order]
        assert TOKEN not in repr(shown)
        assert len(set(map(repr, shown))) == 4
    assert outgoing.clean(alike[0]) is alike[0]
