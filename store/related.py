"""What has to do with a memory: what it links to and what links to it, what it was merged from or
into, what took its place, what else its files and its session left."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from store.compaction.cover import is_replacement_of
from store.errors import AmbiguousId, NotFound
from store.model import SESSION_MARK, TOOL_MARK, Layer, Observation, layer_of
from store.opened_store import OpenedStore
from store.recall.files import subjects_of
from store.search.service import Search
from store.text.facts import facts_of
from store.text.wiki_links import link_key, links_in, names_of

_OF_ISSUE, _OF_FILE, _FILES, _MOST = 300, 20, 3, 12
"""Memories of an issue and of a file that are looked at, files that are, and what is told."""


_OF_LINK = 100
"""Memories with the words of a link that are looked at."""
_ID = re.compile(r"[A-Za-z0-9._~-]{6,200}", re.ASCII)
_MARKS = (SESSION_MARK, TOOL_MARK)
"""What sources that are no memories begin with."""


class Relation(StrEnum):
    """The relations between two memories, the closest first."""

    LINKS_TO = "links to"
    LINKED_FROM = "linked from"
    SUPERSEDED_BY = "superseded by"
    SUPERSEDES = "supersedes"
    MERGED_INTO = "merged into"
    MERGED_FROM = "merged from"
    SAME_FILE = "same file"
    SAME_SESSION = "same session"


class Related(NamedTuple):
    relation: Relation
    observation: Observation


class Relatives:
    """Finds what is related to a memory. Changes nothing."""

    def __init__(self, store: OpenedStore, search: Search) -> None:
        self._store = store
        self._search = search

    def related(self, observation: Observation) -> list[Related]:
        """Return the memories related to one, the closest first, each once; at most twelve."""
        records = self._store.backend.read(observation.issue_number)
        in_issue = records.observations()[-_OF_ISSUE:]
        of_files = {other.id: other for other in self._of_files(observation)}
        candidates = {file.id: file for file in (*in_issue, *of_files.values())}
        found = [Related(Relation.LINKS_TO, other) for other in self._linked(observation)]
        found += [Related(Relation.LINKED_FROM, other) for other in self._linking(observation)]
        found += [Related(Relation.MERGED_FROM, other) for other in self._merged(observation)]
        found += [
            Related(relation, other)
            for other in candidates.values()
            if (relation := relation_of(observation, other, same_file=other.id in of_files))
        ]
        order = list(Relation)
        found.sort(key=lambda related: _by_time(related.observation), reverse=True)
        found.sort(key=lambda related: order.index(related.relation))
        closest: dict[str, Related] = {}
        for related in found:
            closest.setdefault(related.observation.id, related)
        return list(closest.values())[:_MOST]

    def _of_files(self, observation: Observation) -> Iterator[Observation]:
        for path in subjects_of(observation)[:_FILES]:
            query = f'file:"{path}"'
            hits = self._search.search(query, _OF_FILE, facets=(), fresh=False).hits
            yield from self._read(hit.entry.id for hit in hits)

    def _linked(self, observation: Observation) -> Iterator[Observation]:
        """Yield the memories that one links to, by their ids or titles; of several the newest."""
        for target in links_in(observation.content):
            key = link_key(target)
            found = [*self._read([target])] if _ID.fullmatch(target) else []
            found = found or [other for other in self._speaking_of(key) if key in _names(other)]
            others = (other for other in found if other.id != observation.id)
            yield from sorted(others, key=_by_time)[-1:]

    def _linking(self, observation: Observation) -> Iterator[Observation]:
        names = _names(observation)
        for name in names:
            for other in self._speaking_of(name):
                if other.id != observation.id and names & set(
                    map(link_key, links_in(other.content))
                ):
                    yield other

    def _speaking_of(self, words: str) -> Iterator[Observation]:
        """Return the memories that have some words next to one another, or are named by them."""
        unquoted = words.replace('"', " ")
        hits = self._search.search(f'"{unquoted}"', _OF_LINK, facets=(), fresh=False).hits
        named = self._search.of_moment(words) if words.isdecimal() else []
        return self._read([*(hit.entry.id for hit in hits), *named])

    def _merged(self, observation: Observation) -> Iterator[Observation]:
        return self._read(source for source in observation.sources if not source.startswith(_MARKS))

    def _read(self, identifiers: Iterable[str]) -> Iterator[Observation]:
        for identifier in identifiers:
            with suppress(NotFound, AmbiguousId):
                yield self._search.get(identifier, fresh=False)


def _by_time(observation: Observation) -> tuple[datetime, str]:
    """Sort key by time, then id, so that the order doesn't depend on the index."""
    return observation.timestamp, observation.id


def _names(observation: Observation) -> frozenset[str]:
    return names_of(observation.id, observation.summary, observation.content, observation.extra)


def relation_of(
    observation: Observation, other: Observation, *, same_file: bool
) -> Relation | None:
    """Determine how another memory is related to one; None where it is not."""
    # Loaded where a memory is opened: every command opens the door.
    if other.id == observation.id:
        return None
    if observation.id in other.sources:
        return Relation.MERGED_INTO
    if layer_of(observation.category) is layer_of(other.category) is Layer.SEMANTIC:
        older, newer = sorted((observation, other), key=lambda each: each.timestamp)
        is_later = older.timestamp < newer.timestamp
        if is_later and is_replacement_of(facts_of(newer.content), facts_of(older.content)):
            return Relation.SUPERSEDED_BY if newer is other else Relation.SUPERSEDES
    if same_file:
        return Relation.SAME_FILE
    is_same = bool(observation.session_id) and observation.session_id == other.session_id
    return Relation.SAME_SESSION if is_same else None
