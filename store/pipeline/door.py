"""The door itself: the parts of memory put together, and the names under which they are reached."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from store.pipeline.additions import Additions
from store.pipeline.capture import Capture
from store.pipeline.clarifications import Clarifications
from store.pipeline.compaction import Compaction
from store.pipeline.continuation import Continuation
from store.pipeline.conversations import Conversations
from store.pipeline.current_index import CurrentIndex
from store.pipeline.doctor import Doctor
from store.pipeline.exchange import Exchange
from store.pipeline.figures import Figures
from store.pipeline.look_up import LookUp
from store.pipeline.opened_store import Clock, NewId, OpenedStore
from store.pipeline.operations import Operations
from store.pipeline.recall import Recalls
from store.pipeline.related import Relatives
from store.pipeline.search import Search
from store.pipeline.session_search import SessionSearch
from store.pipeline.sessions import Sessions
from store.pipeline.upkeep import Upkeep
from store.pipeline.vault import VaultCompaction
from store.settings.schema import Settings

if TYPE_CHECKING:
    from store.backends.protocol import Backend
    from store.model import Problem
    from store.notice import Notice
    from store.settings import Mistake


class MemoryPipeline:
    """Capture, search, recall and compaction over one store. Safe to share between threads.

    Each part stands in a module of its own beside this one; what a part does is offered here under
    the part's own name for it.
    """

    def __init__(
        self,
        location: Path | str | Backend,
        *,
        cache: Path | None = None,
        settings: Settings | None = None,
        clock: Clock | None = None,
        new_id: NewId | None = None,
    ) -> None:
        opened = OpenedStore(location, cache=cache, settings=settings, clock=clock, new_id=new_id)
        index = CurrentIndex(opened)
        session_search = SessionSearch(opened, index)
        sessions = Sessions(opened, index, session_search)
        search = Search(opened, index, session_search)
        additions = Additions(opened, index)
        operations = Operations(opened, index, session_search)
        self._offer_store(opened)
        self._offer_index(index)
        self._offer_search(search, session_search)
        look_up = LookUp(opened, index, session_search)
        self._offer_reading(look_up, Figures(opened, index))
        self.related = Relatives(search, look_up).related
        self._offer_continuation(Continuation(opened, additions, search, look_up))
        self._offer_sessions(sessions, Conversations(opened, sessions, session_search))
        self._offer_recall(Recalls(opened, index, session_search))
        self._offer_changes(additions, operations)
        compaction = Compaction(opened, index, operations)
        self._offer_compaction(compaction)
        vault = VaultCompaction(opened, index, operations, compaction)
        self._offer_vault(vault)
        upkeep = Upkeep(opened, operations, search, compaction, vault, look_up)
        self.excess, self.plan_upkeep = upkeep.excess, upkeep.plan
        self.clarifications = Clarifications(opened, index, operations)
        self._offer_doctor(Doctor(opened, index, operations))
        self._offer_exchange(Exchange(opened, index, search))
        self._offer_capture(
            Capture(
                opened,
                index,
                additions=additions,
                sessions=sessions,
                upkeep=upkeep,
            )
        )

    def _offer_store(self, opened: OpenedStore) -> None:
        self._opened = opened
        self.backend = opened.backend
        self.location = opened.location
        """Where it is opened again: a path, or a URL that may hold a password."""
        self.path = opened.path
        self.reload_settings = opened.reload_settings
        self.events = opened.events
        self.on_problem = opened.on_problem
        self.record_failure = opened.recorder.failed

    def _offer_index(self, index: CurrentIndex) -> None:
        self._index = index
        self.open_as_left = index.open_as_left
        self.refresh = index.refresh
        self.refresh_quickly = index.refresh_quickly
        self.leave_counting = index.leave_counting
        self.count_recalls = index.count_recalls
        self.index_newest = index.index_newest
        self.settle = index.settle

    def _offer_search(self, search: Search, sessions: SessionSearch) -> None:
        self.search = search.search
        self.parse = search.parse
        self.marks = search.marks
        self.found_ids = search.found_ids
        self.conversation = sessions.conversation
        self.message = sessions.message

    def _offer_reading(self, look_up: LookUp, figures: Figures) -> None:
        self.get = look_up.get
        self.by_issue = look_up.by_issue
        self.tell = look_up.tell
        self.cleaned = look_up.cleaned
        self.state = figures.state
        self.stats = figures.stats
        self.statistics = figures.statistics
        self.activity = figures.activity

    def _offer_sessions(self, sessions: Sessions, conversations: Conversations) -> None:
        self.sessions = sessions.sessions
        self.session_files = sessions.session_files
        self.earlier_folders = sessions.earlier_folders
        self.adopt_sessions = sessions.adopt_sessions
        self.refuse_sessions = sessions.refuse_sessions
        self.forget_answer = sessions.forget_answer
        self.sessions_to_take_in = sessions.sessions_to_take_in
        self.read_session_digest = sessions.read_session_digest
        self.take_in = sessions.take_in
        self.plan_passage = sessions.plan_passage
        self.listed_sessions = conversations.listed_sessions
        self.open_session = conversations.open_session
        self.captured_from = conversations.captured_from
        self.around = conversations.around

    def _offer_continuation(self, continuation: Continuation) -> None:
        self.checkpoint = continuation.checkpoint
        self.recover = continuation.recover
        self.broken_off = continuation.broken_off
        self.sleep = continuation.sleep

    def _offer_recall(self, recalls: Recalls) -> None:
        self.recall = recalls.recall
        self.budget_for = recalls.budget_for
        self.inject = recalls.inject
        self.rank = recalls.rank
        self.record_accesses = recalls.record_accesses
        self.prompt_block = recalls.prompt_block
        self.already_injected = recalls.already_injected
        self.injected_text = recalls.injected_text

    def _offer_changes(self, additions: Additions, operations: Operations) -> None:
        self.store = additions.store
        self.store_report = additions.store_report
        self.store_for = additions.store_for
        self.plan_add = operations.plan_add
        self.plan_edit = operations.plan_edit
        self.edit = operations.edit
        self.plan_tag = operations.plan_tag
        self.plan_resolve = operations.plan_resolve
        self.plan_remove = operations.plan_remove
        self.plan_archive = operations.plan_archive
        self.plan_restore = operations.plan_restore
        self.plan_forget = operations.plan_forget
        self.find_traces = operations.find_traces
        self.forget = operations.forget
        self.apply = operations.apply
        self.plan_bring_back = operations.plan_bring_back
        self.plan_layout = operations.plan_layout
        self.plan_undo = operations.plan_undo
        self.plan_redo = operations.plan_redo
        self.undo = operations.undo
        self.redo = operations.redo
        self.history = operations.history
        self.last_operation = operations.last_operation
        self.last_undo = operations.last_undo
        self.plan_of = operations.plan_of

    def _offer_compaction(self, compaction: Compaction) -> None:
        self.plan_compaction = compaction.plan_compaction
        self.compaction_changes = compaction.compaction_changes
        self.compact = compaction.compact
        self.plan_prune = compaction.plan_prune

    def _offer_vault(self, vault: VaultCompaction) -> None:
        self.plan_vault_compaction = vault.plan_vault_compaction
        self.compact_vault = vault.compact_vault
        self.plan_vault_if_due = vault.plan_vault_if_due
        self.compact_vault_if_due = vault.compact_vault_if_due
        self.is_vault = vault.is_vault

    def _offer_doctor(self, doctor: Doctor) -> None:
        self.examine = doctor.examine
        self.repair = doctor.repair

    def _offer_exchange(self, exchange: Exchange) -> None:
        self.plan_import = exchange.plan_import
        self.plan_migration = exchange.plan_migration
        self.export = exchange.export
        self.export_store = exchange.export_store
        self.plan_copy = exchange.plan_copy
        self.copy = exchange.copy

    def _offer_capture(self, capture: Capture) -> None:
        self.plan_capture = capture.plan_capture
        self.plan_captures = capture.plan_captures
        self.ask_model = capture.ask_model
        self.capture = capture.capture
        self.start_capture = capture.start_capture
        self._capturing = capture

    @property
    def settings(self) -> Settings:
        """The settings that hold now."""
        return self._opened.settings

    @property
    def settings_sources(self) -> Mapping[str, str]:
        """Where each setting comes from: a file, a variable of the environment or "default"."""
        return self._opened.loaded_settings.sources

    @property
    def settings_mistakes(self) -> tuple[Mistake, ...]:
        """What is wrong in the settings, and was ignored."""
        return self._opened.loaded_settings.mistakes

    @property
    def index_notice(self) -> Notice | None:
        """Why what is found may lag behind the files, or takes long; none where all is well."""
        return self._index.index.notice

    @property
    def problems(self) -> tuple[Problem, ...]:
        """The files and records that could not be read when they were last looked at."""
        return self._index.index.problems

    def close(self) -> None:
        """Settle what was written, and capture no more. Never raises for derived files."""
        self._capturing.stop_capture()
        self._index.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
