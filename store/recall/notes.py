"""The lines of a recall's text: the note of a memory or session, and the marks before it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from store.drift.verdicts import with_paths
from store.model import Category, Observation
from store.recall.excerpt import excerpt, first_sentences, outcome_of
from store.recall.pack import Chosen
from store.recall.profiles import Layout, Terms
from store.recall.query_terms import QueryTerms
from store.recall.render import head_of, words_of
from store.recall.request import Moment, RecallRequest
from store.recall.session_notes import last_session_note
from store.recall.values import Candidate, Kind


class NoteWriter:
    """Writes the notes of one recall: those of the `ranked`, for a prompt of these query terms."""

    def __init__(
        self,
        ranked: Sequence[Candidate],
        request: RecallRequest,
        terms: Terms,
        asked: QueryTerms,
        now: datetime,
    ) -> None:
        self._ranked = {candidate.observation.id: candidate for candidate in ranked}
        self._request, self._terms, self._asked, self._now = request, terms, asked, now

    def line(self, choice: Chosen, most: int | None) -> str:
        """Return the line of a note in at most so many tokens; empty where nothing of it fits."""
        candidate, counter = self._ranked[choice.observation.id], self._terms.counter
        clean = self._as_now(self._terms.clean(choice.observation), candidate)
        text = self._text(choice, clean, candidate.kind)
        if most is not None and counter.count(text) > most:
            text = first_sentences(text, int(most * counter.characters_each))
        if not text:
            return ""
        request = self._request
        head = head_of(
            clean,
            self._terms.handle(clean),
            agent=request.agent or request.client,
            issue=request.issue,
            now=self._now,
        )
        marks = "".join(f"({mark}) " for mark in self._marks(candidate, clean))
        item = "- " if self._terms.profile.layout is Layout.SECTIONS else ""
        return f"{item}{head} {words_of(marks + text)}"

    @staticmethod
    def _as_now(clean: Observation, candidate: Candidate) -> Observation:
        """Return an observation with the paths of files that were moved since as they are now."""
        moved = candidate.drift.moved
        return clean._replace(content=with_paths(clean.content, moved)) if moved else clean

    def _text(self, choice: Chosen, clean: Observation, kind: Kind) -> str:
        if choice.words:
            return choice.words
        if kind is Kind.SESSION:
            return last_session_note(clean.content)
        if self._terms.profile.selects and not choice.whole:
            if self._request.moment is Moment.START and clean.category == Category.CODE_CHANGE:
                return outcome_of(clean.content)
            return excerpt(clean, self._asked)
        return clean.content

    def _marks(self, candidate: Candidate, clean: Observation) -> Iterator[str]:
        """Yield what makes a memory doubtful; names as its clean text has them."""
        if branch := self._request.unmerged_branch(candidate.observation):
            yield f"on branch {branch}, not merged"
        if (newer := self._ranked.get(candidate.amended_by)) is not None:
            day = newer.observation.timestamp
            yield f"amended {day.day} {day:%b} by {self._terms.handle(newer.observation)}"
        if gone := [name for name in candidate.drift.gone if name in clean.content]:
            yield f"names {', '.join(gone[:2])}: gone from the code"
