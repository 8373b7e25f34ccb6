"""Making one observation of several, within the limits and without losing a fact.

The changes of one file become one line of history:
`src/lock.py: 2026-02-03 added: a retry; 2026-02-01 …`.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

from store.compaction.model import Cluster, Reason
from store.compaction.statements import MergedText, Statement, statements_by
from store.model import MAX_CONTENT, SESSION_MARK, Category, Layer, Observation, layer_of
from store.records import base36, estimate_tokens, first_line
from store.text.facts import WORDS_KEPT, facts_of, missing_marks
from store.text.normalise import Kind, chunks, tokens
from store.text.wiki_links import links_in

JOINS = frozenset({Reason.ERROR_AND_FIX, Reason.FILE_HISTORY, Reason.RELATED})
"""Reasons to merge what differs; only the very same is then written once."""
_RELATED_CONTENT = 1_500
_OPEN_BUNDLES = 4
_LONGEST_ENTRY = 400
"""Characters of a change that can be an entry of a file's history."""
_HISTORY = re.compile(r"^(?P<path>\S+): (?P<entries>\d{4}-\d\d-\d\d .+)$")
_ENTRY = re.compile(r"^(?:(?P<date>\d{4}-\d\d-\d\d) )?(?P<text>.+)$")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def newest_first(observations: Sequence[Observation]) -> list[Observation]:
    """Return the observations by falling date; those of one instant by their id."""
    return sorted(observations, key=lambda one: (_EPOCH - one.timestamp, one.id))


def latest_handoffs(observations: Sequence[Observation]) -> frozenset[str]:
    """Return the ids of the last handoff of each agent in each issue. Expects the newest first."""
    latest: dict[tuple[str, int], str] = {}
    for one in observations:
        if one.category == Category.HANDOFF:
            latest.setdefault((one.agent, one.issue_number), one.id)
    return frozenset(latest.values())


def merge(originals: Sequence[Observation], reason: Reason, about: str) -> list[Cluster]:
    """Return the clusters that `originals` become: as few as the limits of an observation allow.

    An original that fits in with no other is in no cluster.
    """
    exact = any(map(_is_merged, originals))
    bundles: list[_Bundle] = []
    for original in _in_order(originals, reason):
        if not any(bundle.take(original) for bundle in reversed(bundles[-_OPEN_BUNDLES:])):
            bundles.append(_Bundle(original, reason, exact=exact))
    return [bundle.cluster(about) for bundle in bundles if len(bundle.originals) > 1]


def merge_whole(originals: Sequence[Observation], reason: Reason, about: str) -> Cluster | None:
    """Return the one cluster of all `originals`, if the limits allow one."""
    first, *others = _in_order(originals, reason)
    bundle = _Bundle(first, reason, exact=any(map(_is_merged, originals)))
    if all(bundle.take(original, always=True) for original in others):
        return bundle.cluster(about)
    return None


def merged_observation(
    originals: Sequence[Observation], content: str, summary: str, category: str
) -> Observation:
    """Return the observation that replaces `originals` (newest first), with the newest one's date,
    agent and session.

    Recall counts and sightings are summed, tags and unknown keys united; `sources` are the ids.
    """
    newest = originals[0]
    sources = tuple(original.id for original in originals)
    recalled = [one.last_recalled for one in originals if one.last_recalled]
    content = _with_links(content, originals)
    return newest._replace(
        id=_merged_id(newest, sources),
        category=category,
        content=content,
        summary=summary,
        tokens=estimate_tokens(content),
        recall_count=sum(original.recall_count for original in originals),
        relevance_score=max(original.relevance_score for original in originals),
        tags=tuple(dict.fromkeys(tag for original in originals for tag in original.tags)),
        last_recalled=max(recalled, default=None),
        sources=sources,
        seen_count=sum(original.seen_count for original in originals),
        extra={key: value for one in reversed(originals) for key, value in one.extra.items()},
    )


def missing_from(content: str, statement: str) -> tuple[str, ...]:
    held, fact = facts_of(content), facts_of(statement)
    return tuple(sorted(missing_marks(held, fact) | (fact.words - held.words)))


def is_lasting(category: str) -> bool:
    """Observations of a category claim to be true still, rather than report an event."""
    return layer_of(category) in (Layer.SEMANTIC, Layer.PROCEDURAL)


def is_history_entry(content: str) -> bool:
    """Return whether a change can be a line of history: it is short, or such a line itself.

    What has several lines gives a request or a reason, too, and is not merged.
    """
    is_short = len(content) <= _LONGEST_ENTRY and "\n" not in content.strip()
    return is_short or bool(_HISTORY.match(content))


def main_path(text: str) -> tuple[str, str]:
    """The first path that a text names, in its common form and as it is written; or two `""`."""
    for line in chunks(text):
        for chunk in line:
            for token in tokens(chunk):
                if token.kind is Kind.PATH:
                    return token.value, token.written
    return "", ""


def history_of_file(change: Observation) -> list[Statement]:
    """Return the entries that a code change adds to the history of its file, newest first."""
    if line := _HISTORY.match(change.content):
        return _entries(line["entries"], change)
    _, path = main_path(change.content)
    day = f"{change.timestamp:%Y-%m-%d} "
    if "\n" in change.content:
        # What was done, who asked for it and why stay together, as one entry.
        text = "; ".join(line.rstrip(".") for line in change.content.splitlines() if line.strip())
        entry = _without_path(text, path).replace("; ", ", ")
        return [Statement(entry, change.id, change.timestamp, day)]
    return [
        entry._replace(text=_without_path(" ".join(entry.text.split()), path))
        for entry in statements_by(change.id, change.content, change.timestamp, day)
    ]


class _Bundle:
    """Observations being merged into one, as long as they fit.

    `exact` folds a statement only into one that has all of its words.
    """

    def __init__(self, first: Observation, reason: Reason, *, exact: bool) -> None:
        self.originals = [first]
        self._reason = reason
        self._path = main_path(first.content)[1] if reason is Reason.FILE_HISTORY else ""
        self._empty = MergedText(
            is_lasting(first.category), 1.0 if reason in JOINS or exact else WORDS_KEPT
        )
        self._text = self._empty.with_all(self._statements(first))

    def take(self, original: Observation, *, always: bool = False) -> bool:
        """Add an original, if the whole still fits and (or `always`) there is a reason to."""
        statements = self._statements(original)
        longer = self._text.with_all(statements)
        limit = _RELATED_CONTENT if self._reason is Reason.RELATED else MAX_CONTENT
        folds = len(longer.left_out) > len(self._text.left_out)
        if self._reason is Reason.DUPLICATE:
            # A duplicate adds nothing: whatever it says besides belongs to a memory of its own.
            alone = len(self._empty.with_all(statements).carried)
            if len(longer.carried) > max(len(self._text.carried), alone):
                return False
        if len(self._written(longer)) > limit or not (always or folds or self._reason in JOINS):
            return False
        self.originals.append(original)
        self._text = longer
        return True

    def cluster(self, about: str) -> Cluster:
        content = self._content()
        originals = newest_first(self.originals)
        newest = originals[0]
        is_newest = content == newest.content and newest.summary
        is_error = self._reason is Reason.ERROR_AND_FIX
        carried = {one.statement.text for one in self._text.carried}
        return Cluster(
            reason=self._reason,
            originals=tuple(originals),
            merged=merged_observation(
                originals,
                content,
                newest.summary if is_newest else first_line(content),
                Category.ERROR if is_error else newest.category,
            ),
            about=about,
            left_out=tuple(
                left
                if left.statement in carried
                else replace(left, missing=missing_from(content, left.statement))
                for left in self._text.left_out
            ),
        )

    def _statements(self, original: Observation) -> list[Statement]:
        if self._reason is Reason.FILE_HISTORY:
            return history_of_file(original)
        is_fix = self._reason is Reason.ERROR_AND_FIX and original.category != Category.ERROR
        label = "Fix: " if is_fix else ""
        return statements_by(original.id, original.content, original.timestamp, label)

    def _written(self, text: MergedText) -> str:
        if self._reason is Reason.FILE_HISTORY:
            return _history_line(self._path, text)
        return text.lines()

    def _content(self) -> str:
        """The merged text; an original's own, as it is written, where that has everything."""
        carried = [one.statement for one in self._text.carried]
        for original in self.originals:
            if carried == self._statements(original):
                return original.content
        return self._written(self._text)


def _in_order(originals: Sequence[Observation], reason: Reason) -> list[Observation]:
    """Newest first, since later statements take the place of earlier; errors before fixes."""
    ordered = newest_first(originals)
    if reason is Reason.ERROR_AND_FIX:
        ordered.sort(key=lambda one: one.category != Category.ERROR)
    return ordered


def _is_merged(observation: Observation) -> bool:
    """Return whether it was merged from others: repeated merging must not wear down their facts."""
    return any(not source.startswith(SESSION_MARK) for source in observation.sources)


def _with_links(content: str, originals: Sequence[Observation]) -> str:
    """The content with a line of the links that only what it leaves out has, as many as fit."""
    kept = set(links_in(content))
    links = dict.fromkeys(link for one in originals for link in links_in(one.content))
    line = ""
    for link in (link for link in links if link not in kept):
        longer = f"{line}, [[{link}]]" if line else f"\n\nSee [[{link}]]"
        if len(content) + len(longer) > MAX_CONTENT:
            break
        line = longer
    return content + line


def _merged_id(newest: Observation, sources: Sequence[str]) -> str:
    """Return an id in the store's form; its last letters are a hash of the sources, so that the
    same observations always merge into the same one.
    """
    agent = "".join(
        letter for letter in newest.agent.lower() if letter.isascii() and letter.isalnum()
    )
    milliseconds = (newest.timestamp - _EPOCH) // (datetime.resolution * 1_000)
    digest = hashlib.sha256("\n".join(sorted(sources)).encode("utf-8", "surrogatepass")).digest()
    letters = base36(int.from_bytes(digest), 6)
    return f"obs-{agent[:20]}-{newest.issue_number}-{max(milliseconds, 0)}-{letters}"


def _history_line(path: str, text: MergedText) -> str:
    """Return the line of history of `path`; a date that several entries share is written once."""
    entries: list[str] = []
    day = ""
    for one in text.carried:
        entry = one.statement.text.removesuffix(".")
        entries.append(entry if one.statement.label == day else one.statement.label + entry)
        day = one.statement.label
    return f"{path}: {'; '.join(entries)}"


def _entries(line: str, change: Observation) -> list[Statement]:
    """The entries of a line of history; of one without a date, that of the entry before it."""
    entries: list[Statement] = []
    on = change.timestamp
    for match in filter(None, map(_ENTRY.match, line.split("; "))):
        on = _day(match["date"] or "", on)
        entries.append(Statement(match["text"], change.id, on, f"{on:%Y-%m-%d} "))
    return entries


def _day(date: str, otherwise: datetime) -> datetime:
    try:
        return datetime.strptime(date, "%Y-%m-%d").replace(tzinfo=UTC)
    except ValueError:
        return otherwise


def _without_path(entry: str, path: str) -> str:
    """The entry without the path that the line begins with, where its grammar stays whole."""
    named = rf"[`'\"]?{re.escape(path)}[`'\"]?"
    begins = re.match(rf"(?:(\w+) (?:file )?)?{named}(?![\w/])\s*[:,.;—–-]*\s*(.*)$", entry)
    if begins:
        verb, rest = begins.groups()
        return f"{verb}: {rest}" if verb and rest else (verb or rest or entry)
    return re.sub(rf"(?<!\s)\s+(?:in|to|of|for|at|from)\s+{named}(?=[.!]?$)", "", entry)
