"""Going on after a session: checkpoints while it runs, recovery where it broke off, its handoff."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from functools import partial

from tantivy import FieldType, Occur, Order, Searcher
from tantivy import Query as IndexQuery

from store.agents.client import SessionFile
from store.backends.text_kinds import TextKind
from store.errors import Away, StoreError
from store.model import Category, Observation
from store.opened_store import OpenedStore
from store.redaction.labels import agent_name, clean_label
from store.redaction.sanitizer import cleaned_text
from store.search.documents import observation_of, unarchived
from store.search.schema import millis
from store.sessions.checkpoint import (
    VALID,
    Checkpoint,
    Checkpoints,
    KeptMessage,
    messages_in,
    messages_of,
)

_HANDOFFS = 20
"""How many handoffs are looked at for one that is newer than a checkpoint."""


class Continuation:
    """Checkpoints, with which the next session goes on where one broke off."""

    def __init__(
        self,
        store: OpenedStore,
        add: Callable[[Sequence[Observation]], Sequence[str]],
    ) -> None:
        """`add` stores memories and returns their ids."""
        self._store = store
        self._add = add
        self._checkpoints = Checkpoints(store.backend)

    def checkpoint(
        self,
        agent: str,
        messages: Iterable[KeptMessage | Mapping[str, object]],
        chat_id: str | None = None,
        model_id: str | None = None,
        *,
        branch: str = "",
        left_open: Sequence[str] = (),
        ended: bool = False,
        owner: int = 0,
    ) -> Checkpoint | None:
        """Keep the last 50 messages of a session, cleaned, in place of those kept of it before.

        A message is a mapping of `role` (`user` or `agent`) and `text`; one that is `internal` is
        left out. `ended`: the session came to its end, so that there is nothing to recover; where
        there are none, what was kept of it before is marked so. Nothing is kept, and None
        returned, where there are none or memory is switched off. Raises `ReadOnly`,
        `WriteFailed`.
        """
        kept_messages = messages_of(messages)
        if not self._store.settings.enabled:
            return None
        if not kept_messages:
            last = self._last_of(agent, chat_id) if ended and chat_id else None
            if last is not None and not last.ended:
                self._checkpoints.write(last._replace(ended=True))
            return None
        kept = Checkpoint(
            agent=clean_label(agent),
            saved_at=self._store.clock(),
            messages=kept_messages,
            chat_id=clean_label(chat_id or ""),
            model_id=clean_label(model_id or ""),
            branch=clean_label(branch),
            left_open=tuple(map(cleaned_text, left_open)),
            ended=ended,
            owner=owner,
        )
        self._checkpoints.write(kept)
        return kept

    def _last_of(self, agent: str, chat_id: str) -> Checkpoint | None:
        wanted = clean_label(agent), clean_label(chat_id)
        valid = self._checkpoints.valid(self._store.clock())
        return next((kept for kept in valid if (kept.agent, kept.chat_id) == wanted), None)

    def recover(self, agent: str | None = None) -> Checkpoint | None:
        """Return the newest checkpoint of an agent, or of any; None where none is younger than 7
        days.

        Those that expired or can't be read are removed.
        """
        valid = self._checkpoints.valid(self._store.clock())
        wanted = None if agent is None else agent_name(agent)
        return next((kept for kept in valid if wanted in (None, agent_name(kept.agent))), None)

    def last_in(self, files: Iterable[SessionFile], agent: str | None = None) -> Checkpoint | None:
        """Return the newest readable session of files, of an agent or of any, as its checkpoint
        would be; None where none was written to in the last 7 days. Keeps nothing.
        """
        from store.agents.session_end import left_open  # few sessions break off
        from store.sessions.session_file import read_end

        for file in sorted(files, key=lambda file: file.modified, reverse=True):
            if self._store.clock() - file.modified > VALID:
                return None
            if agent is not None and file.client != agent:
                continue
            with suppress(StoreError, OSError):
                session = read_end(file.path, file.client)
                if messages := messages_of(messages_in(session)):
                    return Checkpoint(
                        agent=file.client,
                        saved_at=file.modified,
                        messages=messages,
                        chat_id=clean_label(session.id or file.session_id),
                        model_id=clean_label(session.model),
                        branch=clean_label(session.branch),
                        left_open=tuple(map(cleaned_text, left_open(session))),
                    )
        return None

    def interrupted(
        self,
        branch: str,
        session_id: str = "",
        runs: Callable[[int], bool] = lambda owner: False,
        agent: str = "",
    ) -> Checkpoint | None:
        """Return the session that broke off on a branch and was not gone on with: None where the
        last one there came to its end, left a handoff, still runs, or is `session_id` itself, or
        only what somebody approved is to be injected.

        `runs` is asked whether a process does. A vault's own program does not say on which branch
        it worked: one of its sessions counts on any, and if there is one of `agent`, no other's.
        """
        if self._store.is_reviewed:
            return None
        try:
            is_kept = self._store.backend.texts.names(TextKind.CHECKPOINTS)
            if not (is_kept or self._store.is_vault):
                return None  # what every session starts with costs nothing where there is nothing
        except Away:
            return None  # a session gets what the local index has all the same
        branch, session_id, agent = clean_label(branch), clean_label(session_id), agent_name(agent)
        valid = self._checkpoints.valid(self._store.clock())
        is_own = any(kept.of_vault and kept.agent == agent for kept in valid)
        others = (
            kept
            for kept in valid
            if (kept.agent == agent or not is_own if kept.of_vault else kept.branch == branch)
            and not (session_id and kept.chat_id == session_id)
        )
        last = next(others, None)
        if last is None or last.ended or (last.owner and runs(last.owner)):
            return None
        return None if self._has_handoff_since(last) else last

    def sleep(
        self,
        agent: str,
        messages: Iterable[KeptMessage | Mapping[str, object]],
        summary: str = "",
        *,
        issue: int = 0,
        chat_id: str | None = None,
        branch: str = "",
    ) -> list[str]:
        """Close a session: its summary is stored as a handoff, its last messages are kept.

        Without a summary the last six messages are the handoff. Returns the handoff's id; none
        where there is no message. That the messages could not be kept is a problem, as the handoff
        is stored all the same. Raises as `add`.
        """
        from store.agents.session_end import last_messages  # few sessions are closed so

        kept_messages = messages_of(messages)
        text = summary.strip() or last_messages(kept_messages)
        if not text or not self._store.settings.enabled:
            return []
        extra = {"branch": branch} if branch else {}
        handoff = Observation(agent, issue, "handoff", text, session_id=chat_id or "", extra=extra)
        ids = list(self._add([handoff]))
        try:
            self.checkpoint(agent, kept_messages, chat_id, branch=branch, ended=True)
        except StoreError as error:
            self._store.recorder.problem("checkpoint-not-kept", error.message)
        return ids

    def _has_handoff_since(self, last: Checkpoint) -> bool:
        """Return whether a handoff of its session, or on its branch, is newer than a checkpoint."""
        for handoff in self._store.index.ask(partial(self._newest_handoffs, last.saved_at)):
            if handoff.timestamp > last.saved_at:
                if last.of_vault and handoff.agent != last.agent:
                    continue
                branch = handoff.extra.get("branch")
                is_of_session = bool(last.chat_id) and handoff.session_id == last.chat_id
                is_of_branch = branch == last.branch if isinstance(branch, str) else not last.branch
                if is_of_session or is_of_branch:
                    return True
        return False

    def _newest_handoffs(self, since: datetime, searcher: Searcher) -> list[Observation]:
        """Return the newest handoffs: of the index itself, since every start of a session waits."""
        schema = self._store.index.index.schema
        are_handoffs = IndexQuery.term_query(schema, "category", Category.HANDOFF, "basic")
        are_new = IndexQuery.range_query(schema, "time", FieldType.Integer, millis(since), None)
        wanted = [(Occur.Must, are_handoffs), (Occur.Must, are_new)]
        found = searcher.search(
            IndexQuery.boolean_query([*wanted, *unarchived(searcher, schema)]),
            _HANDOFFS,
            count=False,
            order_by_field="time",
            order=Order.Desc,
        )
        return [observation_of(searcher.doc(address)) for _, address in found.hits]
