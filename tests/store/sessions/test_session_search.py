"""What is found in sessions beside memories: pages, one by its id, what stands around it."""

from __future__ import annotations

from pathlib import Path

import pytest

from store import Memory
from store.agents.files import files_at
from store.errors import NotFound
from store.model import SearchResult
from tests.store.capture.transcripts import ClaudeCode
from tests.store.factories import NOW, make_memory, observation


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    """Six memories and six messages of one word, at times that alternate; newest the last."""
    memory = make_memory(tmp_path)
    for session, numbers in (("s-1", (1, 3)), ("s-2", (5,))):
        made = ClaudeCode(session=session, branch="main")
        for at in numbers:
            made.user(f"What of the gateway, part {at}?", timestamp=f"2026-03-01T10:{at:02d}:00Z")
            made.agent(f"It closes, part {at}.", timestamp=f"2026-03-01T10:{at:02d}:30Z")
        (tmp_path / f"{session}.jsonl").write_text("\n".join(made.lines))
    paths = sorted(tmp_path.glob("*.jsonl"))
    memory.sessions.index(list(files_at(paths, "claude-code")))
    memory.store(
        [
            observation(f"The gateway waits, part {at}.", id=f"obs-{at}",
                        timestamp=NOW.replace(hour=10, minute=at))
            for at in (0, 2, 4, 6)
        ]
    )  # fmt: skip
    return memory


def _parts(found: SearchResult) -> list[str]:
    return [hit.entry.summary.rpartition("part ")[2].rstrip(".?") for hit in found.hits]


@pytest.mark.parametrize(
    ("place", "total", "pages"),
    [
        (
            "all",
            7,
            {(3, 0): "654", (3, 3): "321", (2, 2): "43", (3, 6): "0", (9, 1): "543210", (3, 7): ""},
        ),
        ("sessions", 3, {(2, 0): "53", (2, 1): "31", (2, 2): "1", (2, 3): ""}),
    ],
)
def test_pages_follow_on_one_another_also_of_both(
    memory: Memory, place: str, total: int, pages: dict[tuple[int, int], str]
) -> None:
    found = {it: memory.search(f"gateway in:{place} sort:newest", *it) for it in pages}
    assert {it: "".join(_parts(page)) for it, page in found.items()} == pages
    assert {page.total for page in found.values()} == {total}


def test_one_is_read_by_its_id_or_the_end_of_it_and_of_several_none(
    memory: Memory,
) -> None:
    hits = memory.search("gateway in:sessions sort:newest", 9).hits
    last = hits[0].entry.id
    assert memory.get(last).content == "What of the gateway, part 5?"
    assert memory.sessions.message(last) == memory.get(last)
    assert memory.sessions.message("s-1") is not None
    assert memory.sessions.message("#1") is None, "both sessions have a first message"
    with pytest.raises(NotFound):
        memory.get("nothing-of-it")


def test_what_was_said_before_and_after_stands_around_what_was_found(
    memory: Memory,
) -> None:
    hits = memory.search('"part 3" in:sessions', 9).hits
    around = memory.sessions.around(hits)
    (request,) = [it.entry for it in hits if it.entry.category == "request"]
    before, after = around[request.id]
    assert (before, after) == ("It closes, part 1.", "It closes, part 3.")
    first = memory.search('"gateway, part 1" in:sessions', 9).hits[0]
    assert memory.sessions.around([first])[first.entry.id] == ("", "It closes, part 1.")
    assert [it.content for it in memory.sessions.messages("s-2")] == [
        "What of the gateway, part 5?",
        "It closes, part 5.",
    ]
    assert memory.sessions.messages("s-3") == []


def test_a_session_that_went_is_found_no_more_unless_the_index_is_asked_as_it_is(
    memory: Memory,
) -> None:
    assert memory.search("gateway in:all", 9).total == 7
    (memory.path / "sessions" / "s-2.json").unlink()
    assert memory.search("gateway in:sessions", 9, fresh=False).total == 3
    assert memory.search("gateway in:all", 9, fresh=False).total == 7
    assert memory.search("gateway in:all", 9).total == 6
    assert memory.search("gateway in:sessions", 9, fresh=False).total == 2
