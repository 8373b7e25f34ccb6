"""The list of sessions, or of messages that a query finds, and the details of a row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from rich.cells import cell_len
from textual.content import Content

from memtui.formatting import age, count, fit, lasted, moment, plural, shown_path, size
from memtui.tui.frame.paragraphs import BLANK, Paragraph, plain
from memtui.tui.frame.theme import color_of, mark_of
from memtui.tui.reports.overview import OverviewList
from store import Memory
from store.agents.client import SessionFile
from store.errors import StoreError, Unreadable
from store.model import Facets, Hit, SearchResult
from store.search.fields import SESSION
from store.sessions.documents import ended, session_key_of, session_of
from store.sessions.excerpts import Excerpt
from store.sessions.listing import Listed
from store.sessions.model import REQUEST, Neighbours, SessionDigest
from store.text.display import visible

_PROJECT, _AGENT, _BRANCH, _ISSUE = 16, 11, 20, 6
_FIGURES = 15
"""Cells of what is counted of a session: `± 3  + 2  ↑ 1`."""
_LEGEND = "! interrupted · ± changed · + memories · ↑ injected"
"""The meaning of the signs in a session's row."""
_NAMED = 12
"""Files and memories that are named; the rest is counted."""
PAGE = 100
"""Sessions, or messages found, that are listed at a time."""
_MOST_FACETS = 4


class Beside(str):
    """A message before or after one that was found; the cursor passes it over."""


class Columns(NamedTuple):
    """The widths in cells of a row's columns; 0 leaves a column out."""

    length: int
    project: int
    agent: int
    branch: int
    issue: int

    @classmethod
    def of(cls, rows: Sequence[Listed]) -> Columns:
        def widest(text: Callable[[Listed], str], most: int) -> int:
            return min(most, max((cell_len(text(row)) for row in rows), default=0))

        return cls(
            widest(lambda row: length(row.digest), 4),
            widest(lambda row: project_of(row.digest), _PROJECT),
            widest(agent_of, _AGENT),
            widest(lambda row: row.digest.branch if row.digest else "", _BRANCH),
            widest(lambda row: issue_of(row.digest), _ISSUE),
        )

    def within(self, width: int) -> Columns:
        branch = self.branch if width >= 100 else 0
        has_room = width >= (100 if self.project else 70)
        return self._replace(branch=branch, agent=self.agent if has_room else 0)


class SessionList(OverviewList[Listed | Hit]):
    def __init__(self, now: Callable[[], datetime]) -> None:
        super().__init__()
        self._now = now
        self._columns = Columns(0, 0, 0, 0, 0)
        self.unreadable: Container[SessionFile | None] = ()
        self.unread = "reading …"

    def show_sessions(self, rows: Sequence[Listed], wanted: str = "") -> None:
        """Show these, the cursor on the `wanted` id, else where it is."""
        at = self.at
        kept = wanted or (at.id if isinstance(at, Listed) else "")
        self._columns = Columns.of(rows)
        self.border_subtitle = _LEGEND
        self.list_rows(rows)
        place = next((place for place, row in enumerate(rows) if row.id == kept), None)
        if place is not None:
            self.cursor = place

    def show_hits(self, found: Sequence[Excerpt], sessions: Mapping[str, SessionDigest]) -> None:
        """Show messages between those before and after them, below their session's line."""
        rows: list[Listed | Hit | str] = []
        last = ""
        for hit, before, after in found:
            session = session_of(hit.entry.id)
            if session != last:
                rows.append(session_line(session, hit, sessions.get(session), self._now()))
                last = session
            rows += [Beside(before)] if before else []
            rows.append(hit)
            rows += [Beside(after)] if after else []
        self.border_subtitle = ""
        self.list_rows(rows, keep=False)
        self.cursor = 0
        self.scroll_to(y=0, animate=False)

    def row_key(self, row: Listed | Hit) -> str:
        return row.entry.id if isinstance(row, Hit) else f"{row.id} {row.digest is None}"

    def heading(self, text: str) -> Content:
        if isinstance(text, Beside):
            return Content.styled(f"      {one_line(text)}", "$dim")
        return super().heading(text)

    def draw(self, row: Listed | Hit, index: int, width: int) -> Content:
        cursor = self.cursor_mark(index)
        if isinstance(row, Hit):
            return Content.assemble(cursor, "  ", _found(row))
        return Content.assemble(cursor, self._session(row, width - 2))

    def _session(self, row: Listed, width: int) -> Content:
        """Return a mark of how it ended, age, length, project, agent, branch, issue, request and
        figures.
        """
        columns, digest = self._columns.within(width), row.digest
        broke_off = digest is not None and not digest.ended_well
        cells = [
            (columns.length, length(digest)),
            (columns.project, project_of(digest)),
            (columns.agent, agent_of(row)),
            (columns.branch, digest.branch if digest else ""),
            (columns.issue, issue_of(digest)),
        ]
        facts = "".join(f"{fit(one_line(text), room)}  " for room, text in cells if room)
        lead = Content.assemble(
            ("! " if broke_off else "  ", "$text-warning"),
            (f"{fit(age(row.at, self._now()), 4, align='right')}  {facts}", "$dim"),
        )
        figures = _figures(digest) if width >= 60 else ""
        room = max(0, width - lead.cell_length - cell_len(figures) - 1)
        if digest is not None:
            asked = (fit(one_line(digest.asked[0] if digest.asked else ""), room), "")
        else:
            state = "unreadable" if row.file in self.unreadable else self.unread
            waits = f"{size(row.file.size)}, {state}" if row.file else ""
            asked = (fit(waits, room), "$dim")
        return Content.assemble(lead, asked, (f" {figures}", "$dim"))


def agent_of(row: Listed) -> str:
    return row.digest.agent if row.digest else row.file.client if row.file else ""


def project_of(digest: SessionDigest | None) -> str:
    """Return the name of a session's project, where the sessions of several are listed."""
    return Path(digest.project).name if digest else ""


def issue_of(digest: SessionDigest | None) -> str:
    return f"#{digest.issue}" if digest and digest.issue else ""


def length(digest: SessionDigest | None) -> str:
    """Return the duration of a session; empty where that is not known."""
    return lasted(digest.started, digest.ended) if digest else ""


def session_line(session: str, hit: Hit, digest: SessionDigest | None, now: datetime) -> str:
    """Return the line above the messages of a session: when, whose, where, what was asked first."""
    if digest is None:
        parts = [moment(hit.entry.timestamp, now), hit.entry.agent, session]
    else:
        asked = digest.asked[0] if digest.asked else session
        whose = (project_of(digest), digest.agent, digest.branch, issue_of(digest))
        parts = [moment(ended(digest), now), *whose, asked]
    return one_line(" · ".join(part for part in parts if part))


def _figures(digest: SessionDigest | None) -> str:
    """Files changed, memories captured, recalls given: `± 3  + 2  ↑ 1`."""
    counts = (
        [("±", len(digest.changed)), ("+", len(digest.memories)), ("↑", len(digest.recalls))]
        if digest
        else []
    )
    cells = (f"{mark}{number:>3}" if number else "    " for mark, number in counts)
    return f"{' '.join(cells):>{_FIGURES}}"


def _found(hit: Hit) -> Content:
    """Return a message in a line: its author, and the passage with its matches marked."""
    asks = hit.entry.category == REQUEST
    text = visible(hit.snippet, newlines=False)
    content = Content(text)
    for start, end in hit.marks:
        content = content.stylize("bold $accent-text underline", start, end)
    return Content.assemble(("› " if asks else "  ", "$accent-text"), content)


def one_line(text: str) -> str:
    """Return the beginning of what somebody wrote, in a line and safe to show."""
    return visible(" ".join(text[:1_000].split()), newlines=False)


def session_details(memory: Memory, row: Listed, now: datetime) -> list[Paragraph]:
    """Details of a session: request, changes, decisions, open ends."""
    digest = row.digest
    if digest is None:
        file = row.file
        if file is None:
            return []
        found = f"{file.client} · {moment(file.modified, now)} · {size(file.size)}"
        return [plain(_line(found), "$dim"), BLANK, plain(_line(str(file.path)), "$dim")]
    facts = [
        shown_path(Path(digest.project)) if digest.project else "",
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
    around: Neighbours,
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
    session = session_of(hit.entry.id)
    return [
        plain(session_line(session, hit, digest, now), "bold"),
        BLANK,
        *_quoted(around.before),
        plain(_line(f"{who} · {moment(hit.entry.timestamp, now)}"), "$accent-text"),
        Paragraph(content),
        BLANK,
        *_quoted(around.after),
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
    for observation in found[:_NAMED]:
        mark = (f"  {mark_of(observation.category)} ", color_of(observation.category))
        yield Paragraph(Content.assemble(mark, _line(observation.summary)), 0, 4)
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


class HitsFound(NamedTuple):
    """The messages that a query finds, and those before and after each."""

    result: SearchResult
    around: Mapping[str, Neighbours]


def digest_of(memory: Memory, file: SessionFile) -> SessionDigest | None:
    with suppress(Unreadable):  # shown in the row
        return memory.sessions.read_digest(file)
    return None


def find_messages(memory: Memory, query: str) -> HitsFound:
    """Find the messages of sessions that a query names, and those around them."""
    facets = ("agent", "issue", "tag", *([SESSION.name] if memory.is_everywhere else []))
    result = memory.search(f"{query} in:sessions", PAGE, facets=facets, fresh=False)
    return HitsFound(result, memory.sessions.around(result.hits))


def by_project(facets: Facets, digests: Iterable[SessionDigest]) -> Counter[str]:
    """Return how many of the messages that were found are of each project."""
    found = facets.counts.get(SESSION.name, {})
    counts: Counter[str] = Counter()
    for digest in digests:
        counts[project_of(digest)] += found.get(session_key_of(digest.id), 0)
    return counts


def counted(rows: Iterable[Listed]) -> tuple[Counter[str], ...]:
    """Return how many sessions are of each project, agent, branch and issue."""
    digests = [row.digest for row in rows if row.digest]
    return (
        Counter(map(project_of, digests)),
        Counter(digest.agent for digest in digests),
        Counter(digest.branch for digest in digests),
        Counter(f"#{digest.issue}" for digest in digests if digest.issue),
    )


def facets_line(counts: Iterable[Mapping[str, int]]) -> str:
    """Counts in one line: the largest of each group, and how many more there are."""
    groups = []
    for group in counts:
        most = Counter({name: n for name, n in group.items() if name and n}).most_common()
        shown = [f"{name} {count(number)}" for name, number in most[:_MOST_FACETS]]
        more = [f"+{len(most) - _MOST_FACETS}"] if len(most) > _MOST_FACETS else []
        groups.append("  ".join([*shown, *more]))
    return "   ·   ".join(visible(group, newlines=False) for group in groups if group)


def known_values(rows: Iterable[Listed]) -> dict[str, list[str]]:
    digests = [row.digest for row in rows if row.digest]
    return {
        "project": sorted({project_of(digest) for digest in digests if digest.project}),
        "agent": sorted({digest.agent for digest in digests if digest.agent}),
        "branch": sorted({digest.branch for digest in digests if digest.branch}),
        "issue": [
            str(digest) for digest in sorted({digest.issue for digest in digests if digest.issue})
        ],
    }
