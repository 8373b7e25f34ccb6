"""What queries find in a month's memories and in a day's session: hits, marks, facets, notes."""

from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from memtui.words.notices import sentence
from store import Memory
from store.agents.files import files_at
from store.model import Hit, SearchResult
from tests.store.whole.day import day
from tests.store.whole.month import stored_month

QUERIES = (
    "",
    "lease",
    "lease queue -seconds",
    '"row by row"',
    "leases OR gateway",
    "memoryeror",
    "gatewy closes",
    "agent:engineer category:code-change",
    "issue:7 layer:semantic sort:oldest",
    "agent:tester,reviewer sort:newest lease",
    "file:shop/load.py",
    "load.py rows",
    "shop/load.py:31",
    "tag:lease -tag:queue",
    "is:pinned",
    "is:muted",
    "is:open",
    "is:stale",
    "is:archived",
    "is:archived,muted",
    "lease sort:recalled",
    "sort:tokens -is:pinned",
    "id:w1,w2,nobody",
    "file:load.py -agent:engineer",
    "layer:working,procedural",
    "after:2026-02-01 before:2026-02-04",
    "after:7d",
    "issue:7,x issue:181",
    "agnt:engineer",
    "Memory",
    "the",
    "category:decison",
    'agent: lease after:soon "unclosed phr',
    "nowheretobefound",
    "rows nowheretobefound",
    "in:sessions lease",
    "in:sessions",
    "in:all lease",
    "in:all -lease agent:engineer,enginer",
    "in:all sort:oldest branch:feature/29-locks",
    "in:sessions file:shop/load.py",
    "in:nowhere lease",
)


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Memory:
    root = tmp_path_factory.mktemp("month")
    (root / "day.jsonl").write_text("\n".join(day().lines))
    memory = stored_month(root)
    memory.sessions.index(list(files_at([root / "day.jsonl"], "claude-code")))
    return memory


def _marked(text: str, marks: tuple[tuple[int, int], ...]) -> str:
    for start, end in reversed(marks):
        text = f"{text[:start]}«{text[start:end]}»{text[end:]}"
    return text


def _line(hit: Hit) -> str:
    it = hit.entry
    summary = _marked(it.summary, hit.summary_marks)
    return (
        f"{it.id} {hit.score:.3f} {it.agent} #{it.issue_number} {it.category} {it.tokens}"
        f" {it.timestamp:%m-%d %H:%M}{' archived' * it.archived}{' pinned' * it.pinned}"
        f"{' muted' * it.muted} {','.join(it.tags)} {it.recall_count}x\n"
        f"   {summary} | {_marked(hit.snippet, hit.marks)}"
    )


def _told(found: SearchResult) -> str:
    """A result on lines."""
    notes = [sentence(it) for it in found.notes]
    facets = [
        f"{name} {' '.join(f'{key}={count}' for key, count in values.items())}"
        for name, values in found.facets._asdict().items()
        if values
    ]
    head = f"{found.total} found{' with less' * found.relaxed} {found.near or ''}".strip()
    return "\n".join([head, *notes, *facets, *map(_line, found.hits)])


@pytest.mark.parametrize("query", QUERIES)
def test_a_search(memory: Memory, query: str, snapshot: SnapshotAssertion) -> None:
    assert _told(memory.search(query, 5)) == snapshot


@pytest.mark.parametrize("query", ["", "lease", "in:all lease", "in:sessions"])
def test_pages_are_parts_of_the_whole(memory: Memory, query: str) -> None:
    whole = [hit.entry.id for hit in memory.search(query, 1_000, facets=()).hits]
    found: list[str] = []
    for offset in range(0, len(whole) + 3, 3):
        page = memory.search(query, 3, offset, facets=())
        assert page.total == len(whole)
        found += [hit.entry.id for hit in page.hits]
    assert found == whole == list(dict.fromkeys(whole))
    assert memory.search(query, 0).hits == ()
