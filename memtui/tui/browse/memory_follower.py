"""Browse follows memory: what the store says of itself is shown, and a change is searched again."""

from __future__ import annotations

from abc import abstractmethod
from functools import partial
from typing import TYPE_CHECKING

from memtui.formatting import count
from memtui.tui.browse.filter_actions import FilterActions
from memtui.tui.browse.panes import Panes
from memtui.tui.browse.results_pane import ResultsPane
from memtui.tui.key_names import key_in_use
from memtui.tui.notices import settings_notice, trouble
from memtui.tui.route import Context
from memtui.tui.widgets.status_line import StatusLine
from memtui.tui.widgets.title_bar import TitleBar
from memtui.tui.worker import IndexProgress, MemoryFailed, MemoryRefreshed, ask, refresh_index

if TYPE_CHECKING:
    from memtui.tui.operations import OperationEnded
    from store.errors import StoreError
    from store.pipeline import MemoryPipeline, StoreState


class MemoryFollower(FilterActions):
    """A screen that shows memory as it is, from the moment it is open."""

    _panes: Panes
    _results: ResultsPane

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._refresh_every = context.refresh_every
        self._memory: MemoryPipeline | None = None
        self._state: StoreState | None = None
        self._refreshing = False
        self._looked = False
        self._operating = False

    @abstractmethod
    def search(self, *, keep: bool = False, changed: bool = False) -> None:
        """Ask for the rows of the query; with `keep` the cursor stays on its row.

        `changed`: memory did.
        """

    @property
    def memory(self) -> MemoryPipeline | None:
        """The memory, once it is open."""
        return self._memory

    def attach(self, memory: MemoryPipeline, state: StoreState) -> None:
        """Memory is open: show it as it was left, then look for changes from now on."""
        self._memory = memory
        self._know(state)
        self.search()
        if self._refresh_every:
            self.set_interval(self._refresh_every, self.action_refresh)

    def fail(self, error: StoreError) -> None:
        """Memory could not be opened."""
        self.let_keys_go()
        self._results.say(error.message, error.hint)

    def _know(self, state: StoreState) -> None:
        """Show what the store says about itself."""
        self._state = state
        self.query_one(TitleBar).show(state)
        mistakes = () if self._memory is None else self._memory.settings_mistakes
        key_of = partial(key_in_use, self.app)
        self.notice(trouble(state, key_of) or settings_notice(mistakes, key_of))

    def notice(self, said: str) -> None:
        """Say something below the title."""
        self.query_one("#notice", StatusLine).say(said)

    def action_refresh(self) -> None:
        """Let the index catch up with the files, unless it is doing so or will."""
        if self._memory is not None and not self._refreshing and not self._operating:
            self._refreshing = True
            ask(self, refresh_index(self._memory), group="refresh")

    def on_index_progress(self, event: IndexProgress) -> None:
        """Say how far a long rebuild is."""
        if not event.total:
            return
        far = f"{count(event.done)} of {count(event.total)} issues"
        if self._memory is None:
            from memtui.tui.widgets.empty_state import progress_bar

            self._results.say("Reading the files …", progress_bar(event.done, event.total), far)
        else:
            self.notice(f"Reading the files: {far}")

    def on_memory_refreshed(self, event: MemoryRefreshed) -> None:
        """Say what the store says now; where files changed, search again, keeping the row.

        The first time there is only a row to keep where one has moved to it.
        """
        self._refreshing = False
        self._know(event.state)
        if self._memory is not None:
            self._panes.agents.follow(self._memory)
        keep, self._looked = self._looked or self._results.rows.cursor > 0, True
        if event.changed:
            self.search(keep=keep, changed=True)
        else:
            self._results.rows.refresh()  # ages have moved on

    def on_operation_started(self) -> None:
        """Memory is being changed here: the index catches up at the end."""
        self._operating = True

    def on_operation_ended(self, event: OperationEnded) -> None:
        """Memory was changed here: search again, keeping the row; the selection has served."""
        self._operating = False
        if event.applied is not None:
            self._results.rows.select(())
            if event.applied.added and not event.applied.left:
                self._results.rows.expect(event.applied.added[0])
        if event.state is not None:
            self._know(event.state)
            self.hold_keys()
            self.search(keep=True, changed=True)

    def on_memory_failed(self, event: MemoryFailed) -> None:
        """Say what went wrong and stay usable."""
        self._refreshing = False
        self.let_keys_go()
        self.notice(event.error.told)
