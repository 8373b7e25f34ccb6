"""What is known of a session, or of a message that was found, beside the list."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import TYPE_CHECKING

from textual.content import Content

from memtui.formatting import count, moment, plural, size
from memtui.tui.frame.theme import color_of, mark_of
from memtui.tui.sessions.rows import issue_of, length, session_line
from memtui.tui.widgets.paragraphs import BLANK, Paragraph, plain
from store.errors import StoreError
from store.sessions.documents import ended, session_of
from store.sessions.model import REQUEST
from store.text.display import visible

if TYPE_CHECKING:
    from store import Memory
    from store.model import Hit, SearchResult
    from store.sessions.listing import Listed
    from store.sessions.model import SessionDigest

_NAMED = 12
"""Files and memories that are named; the rest is counted."""


def session_details(memory: Memory, row: Listed, now: datetime) -> list[Paragraph]:
    """What a session was asked, changed, decided and left."""
    digest = row.digest
    if digest is None:
        file = row.file
        if file is None:
            return []
        found = f"{file.client} · {moment(file.modified, now)} · {size(file.size)}"
        return [plain(_line(found), "$dim"), BLANK, plain(_line(str(file.path)), "$dim")]
    facts = [
        digest.agent,
        digest.branch,
        issue_of(digest),
        moment(ended(digest), now),
        length(digest),
        digest.model,
        plural(digest.messages, "message"),
        "" if digest.ended_well else "interrupted",
    ]
    lines = [plain(_line(" · ".join(fact for fact in facts if fact)), "$dim"), BLANK]
    for heading, texts in (
        ("Asked", digest.asked),
        ("Changed", _counted(digest.changed)),
        ("Read", _counted(digest.read)),
        ("Failed", digest.failed),
        ("Decided", digest.decided),
        ("Commits", digest.commits),
    ):
        lines += _part(heading, texts)
    lines += _captured(memory, digest)
    if digest.recalls:
        lines += [plain(f"Injected {plural(len(digest.recalls), 'time')}"), BLANK]
    return lines + (_part("Last words", (digest.last,)) if digest.last else [])


def hit_details(
    hit: Hit,
    around: tuple[str, str],
    result: SearchResult,
    digest: SessionDigest | None,
    memory: Memory,
    now: datetime,
) -> list[Paragraph]:
    """A message that was found, whole and with its matches marked, between its neighbours."""
    said = memory.sessions.message(hit.entry.id)
    text = said.content if said else hit.snippet
    content = Content(visible(text))
    for start, end in memory.highlights(text, result.query, result.near):
        content = content.stylize("bold $accent-text underline", start, end)
    who = "asked" if hit.entry.category == REQUEST else hit.entry.agent
    before, after = around
    session = session_of(hit.entry.id)
    return [
        plain(session_line(session, hit, digest, now), "bold"),
        BLANK,
        *_quoted(before),
        plain(_line(f"{who} · {moment(hit.entry.timestamp, now)}"), "$accent-text"),
        Paragraph(content),
        BLANK,
        *_quoted(after),
    ]


def _part(heading: str, texts: tuple[str, ...]) -> list[Paragraph]:
    if not texts:
        return []
    shown = [Paragraph(Content(_line(text)), 2, 4) for text in texts[:_NAMED]]
    more = len(texts) - len(shown)
    rest = [plain(f"  and {count(more)} more", "$dim")] if more else []
    return [plain(heading, "bold"), *shown, *rest, BLANK]


def _captured(memory: Memory, digest: SessionDigest) -> Iterator[Paragraph]:
    try:
        found = memory.sessions.captured_from(digest.id, digest)
    except StoreError:
        return
    if not found:
        return
    yield plain("Captured", "bold")
    for it in found[:_NAMED]:
        mark = (f"  {mark_of(it.category)} ", color_of(it.category))
        yield Paragraph(Content.assemble(mark, _line(it.summary)), 0, 4)
    if len(found) > _NAMED:
        yield plain(f"  and {count(len(found) - _NAMED)} more", "$dim")
    yield BLANK


def _counted(files: Mapping[str, int]) -> tuple[str, ...]:
    return tuple(f"{name}  {times}×" if times > 1 else name for name, times in files.items())


def _quoted(text: str) -> list[Paragraph]:
    shown = visible(text if len(text) <= 600 else text[:599] + "…")
    return [Paragraph(Content.styled(shown, "$dim"), 2, 2), BLANK] if text else []


def _line(text: str) -> str:
    return visible(text, newlines=False)
