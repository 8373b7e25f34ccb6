"""Recall: planning the text for a session, and injecting it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Unpack, overload

from tantivy import Searcher

from store.backends.activity import session_entries
from store.backends.log_summary import CALLS
from store.drift.kept import KeptVerdicts
from store.model import check_issue
from store.opened_store import OpenedStore
from store.recall import plan
from store.recall.already_injected import AlreadyInjected
from store.recall.already_injected import already_injected as injected_into
from store.recall.candidates import OF_VAULTS, CandidateSource
from store.recall.render import framed, head_of, words_of
from store.recall.request import RecallRequest, RequestFields, request_of
from store.recall.sources import Sources
from store.recall.touched import gone_from
from store.recall.values import Candidate, Recall, default_budget
from store.redaction.labels import agent_name
from store.sessions.session_search import SessionSearch

if TYPE_CHECKING:
    from store.sessions.candidates import SessionCandidates

_STEP = timedelta(minutes=10)


class Recalls:
    """From observations to the text put in front of a new session."""

    def __init__(self, store: OpenedStore, sessions: SessionSearch, drift: KeptVerdicts) -> None:
        self._store = store
        self._sessions = sessions
        self._drift = drift
        self._kept_source: CandidateSource | None = None
        self._kept_session_candidates: SessionCandidates | None = None

    @overload
    def plan(
        self,
        request: RecallRequest,
        /,
        *,
        now: datetime | None = None,
        fresh: bool = True,
    ) -> Recall: ...

    @overload
    def plan(
        self,
        agent: str | None = None,
        issue: int | None = None,
        task: str | None = None,
        /,
        *,
        now: datetime | None = None,
        fresh: bool = True,
        **fields: Unpack[RequestFields],
    ) -> Recall: ...

    def plan(
        self,
        request: RecallRequest | str | None = None,
        issue: int | None = None,
        task: str | None = None,
        /,
        *,
        now: datetime | None = None,
        fresh: bool = True,
        **fields: Unpack[RequestFields],
    ) -> Recall:
        """Return the plan of an injection: the text a session would get, and why. Changes nothing.

        Takes a request, or its fields: agent, issue and task in this order or by name, the others
        by name. Ages are judged by `now`, by default the next full ten minutes of the clock, so
        that the preview shows what the session gets; without `fresh`, the index is
        asked as it is. Raises `InvalidObservation` for an unknown profile or channel.
        """
        if not isinstance(request, RecallRequest):
            given: RequestFields = {"agent": request, "issue": issue, "task": task}
            given.update(fields)
            request = request_of(**given)
        request = self._with_recovery(self._within_settings(request))
        started = self._store.clock()
        moment = now or _next_moment(started)
        sessions, outgoing = self._session_candidates(fresh=fresh), self._store.index.outgoing
        gone, drift = gone_from(self._drift.trees()), self._drift.load().drift_of

        def answer(searcher: Searcher) -> Recall:
            return plan.recall(
                self._source(searcher),
                request,
                moment,
                weights=self._store.settings.recall_weights,
                clean=outgoing.clean,
                sources=Sources(sessions, gone, drift),
            )

        found = self._store.index.ask(answer, fresh=fresh)
        if fresh:
            outgoing.save()
        return found._replace(took=self._store.clock() - started)

    def _with_recovery(self, request: RecallRequest) -> RecallRequest:
        """Return the request with the last messages that a vault's own program kept of its agent,
        where it is for the text that this program would make.
        """
        if request.profile != OF_VAULTS or request.first or not request.agent:
            return request
        if self._store.is_reviewed:
            return request
        from store.sessions.checkpoint import Checkpoints, recovery_lines

        agent = agent_name(request.agent)
        kept = Checkpoints(self._store.backend).valid_of_vault(self._store.clock())
        lines = (recovery_lines(one) for one in kept if one.agent == agent)
        return request._replace(first=next(lines, ()))

    def _within_settings(self, request: RecallRequest) -> RecallRequest:
        """Return the request with the budget that holds: none where memory is switched off."""
        if request.issue is not None:
            check_issue(request.issue)
        budget = self.budget_for(request.channel) if request.budget is None else request.budget
        settings = self._store.settings
        told = settings.enabled and (settings.recall_at_start or not request.at_start)
        return request._replace(budget=budget if told else 0)

    def budget_for(self, channel: str) -> int:
        """Return the tokens that a text for a channel may take where no budget is asked for."""
        settings = self._store.settings
        return default_budget(channel, settings.max_tokens, settings.client_tokens)

    def inject(
        self,
        recall: Recall,
        agent: str | None = None,
        issue: int | None = None,
        *,
        session_id: str = "",
        about: Collection[str] = (),
        afresh: bool = False,
    ) -> str:
        """Carry out a recall: its text, recorded in the activity log and kept by its hash.

        `about` are words for its occasion; `afresh`: the session's context began anew, so that what
        it was given before counts no more. Where recording fails, the text is still
        returned.
        """
        if recall.text:
            self._store.recorder.recalled(
                recall.text,
                [candidate.id for candidate in recall.included],
                agent=agent or "",
                issue=issue or 0,
                tokens=recall.tokens,
                started=self._store.clock() - recall.took,
                details={
                    "profile": recall.profile,
                    "channel": str(recall.channel),
                    **({"sessionId": session_id} if session_id else {}),
                    **({"sessions": recall.counts.sessions} if recall.counts.sessions else {}),
                    **({"about": sorted(about)} if about else {}),
                    **({"afresh": True} if afresh else {}),
                },
            )
        return recall.text

    def rank(self, request: RecallRequest, *, now: datetime, fresh: bool = True) -> list[Candidate]:
        """Return the memories that have words of a request, best first and as stored."""
        weights = self._store.settings.recall_weights
        return self._store.index.ask(
            lambda searcher: plan.rank(self._source(searcher), request, now, weights),
            fresh=fresh,
        )

    def record_accesses(
        self, agent: str, accesses: Mapping[str, int], text: str, tokens: int
    ) -> None:
        """Record that memories were given to an agent, by id in how many calls, the last time as
        this text.

        Where one was removed or forgotten since, by whomever, the text is not kept.
        """
        stand = self._store.index.issues_of(accesses).keys()
        if not stand:
            return
        calls = {identifier: accesses[identifier] for identifier in sorted(stand)}
        often = {identifier: number for identifier, number in calls.items() if number > 1}
        self._store.recorder.recalled(
            text if len(stand) == len(accesses) else "",
            [*calls],
            agent=agent,
            issue=0,
            tokens=tokens,
            started=self._store.clock(),
            details={"channel": "jsonrpc", **({CALLS: often} if often else {})},
        )

    def prompt_block(self, identifiers: Sequence[str]) -> str:
        """Return observations as a block of text for a prompt. Records nothing.

        Raises `NotFound`, `AmbiguousId`.
        """
        index, now = self._store.index, self._store.clock()

        def written(searcher: Searcher) -> str:
            answers, offers = index.reader(searcher), self._source(searcher)
            found = [index.outgoing.clean(answers.get(identifier)) for identifier in identifiers]
            lines = [
                f"{head_of(item, offers.handle(item), agent=None, issue=None, now=now)} "
                f"{words_of(item.content)}"
                for item in found
            ]
            return framed("\n".join(lines)) if lines else ""

        return index.ask(written)

    def _source(self, searcher: Searcher) -> CandidateSource:
        """Candidates of a state of the index; the last one's are kept."""
        tail, kept = self._store.index.index.tail, self._kept_source
        if kept is None or not kept.are_of(searcher, tail):
            kept = self._kept_source = CandidateSource(
                searcher, self._store.index.index.schema, tail
            )
        return kept

    def _session_candidates(self, *, fresh: bool) -> SessionCandidates | None:
        """Candidates of a state of the index of sessions; None where there are none, or only what
        somebody approved is to be given.
        """
        if self._store.is_reviewed or not self._sessions.has_sessions:
            return None
        index = self._sessions.index
        from store.sessions.candidates import SessionCandidates

        if fresh:
            index.catch_up()
        messages, sessions = index.messages, index.sessions
        if not messages.num_docs and not sessions.num_docs:
            return None
        kept = self._kept_session_candidates
        if kept is None or not kept.are_of(messages, sessions):
            kept = self._kept_session_candidates = SessionCandidates(
                messages, sessions, index.schema
            )
        return kept

    def already_injected(self, session_id: str) -> AlreadyInjected:
        """Collect what was injected into a session since its context began, by the activity log."""
        if not session_id:
            return AlreadyInjected()
        return injected_into(session_entries(self._store.backend.log, session_id), session_id)

    def injected_text(self, name: str) -> str:
        """Return an injected text, byte for byte, by its hash in the log. Raises `NotFound`."""
        return self._store.recorder.text_of(name)


def _next_moment(now: datetime) -> datetime:
    """The next full ten minutes: of two memories that are rated alike, a second decides nothing."""
    return now + (datetime.min.replace(tzinfo=now.tzinfo) - now) % _STEP
