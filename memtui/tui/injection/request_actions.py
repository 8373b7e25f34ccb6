"""What keys change of the recall that the preview asks for: a what-if until it is saved."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING

from textual.screen import Screen

from memtui.tui import routes
from memtui.tui.injection.marks import Mark, cycled, toggled
from memtui.tui.injection.request import with_budget, with_next_channel, with_next_profile
from memtui.tui.memory.actions import NO_MEMORY
from memtui.tui.route import Open
from memtui.tui.toasts import tell

if TYPE_CHECKING:
    from store.model import Facets
    from store.values import RecallRequest, ScoredCandidate


class RequestActions(Screen[None]):
    """A screen that asks for a recall, and for another one as keys change the request."""

    request: RecallRequest
    known: Callable[[], Facets]
    budget_for: Callable[[str], int]

    @abstractmethod
    def want(self, request: RecallRequest) -> None:
        """Ask for another recall."""

    @property
    @abstractmethod
    def candidate(self) -> ScoredCandidate | None:
        """The candidate under the cursor."""

    def action_budget(self, step: int) -> None:
        """Take the next budget up or down."""
        self.want(with_budget(self.request, step, self.budget_for))

    def action_profile(self) -> None:
        """Take the next profile."""
        self.want(with_next_profile(self.request))

    def action_channel(self) -> None:
        """Take the next channel."""
        self.want(with_next_channel(self.request, self.budget_for))

    def action_pick_agent(self) -> None:
        """Choose the agent from a counted list."""

        def picked(agent: str | None) -> None:
            if agent is not None:
                self.want(self.request._replace(agent=agent or None))

        self.post_message(Open(routes.PickAgent(self.known().agents, self.request.agent), picked))

    def action_pick_issue(self) -> None:
        """Choose the issue from a counted list."""

        def picked(issue: int | None) -> None:
            if issue is not None:
                self.want(self.request._replace(issue=issue if issue >= 0 else None))

        chosen = () if self.request.issue is None else (str(self.request.issue),)
        self.post_message(Open(routes.PickIssue(self.known().issues, chosen, free=True), picked))

    def action_try_mark(self) -> None:
        """Try the candidate pinned, muted, plain; of these, what its record says comes last."""
        if (it := self._markable()) is not None:
            self.want(cycled(self.request, it.observation))

    def action_toggle_mark(self, mark: str) -> None:
        """Try the candidate pinned or muted, or without it."""
        if (it := self._markable()) is not None:
            self.want(toggled(self.request, it.observation, Mark(mark)))

    def _markable(self) -> ScoredCandidate | None:
        """The candidate under the cursor, if it is a memory; else that is told."""
        it = self.candidate
        if it is None or it.is_memory:
            return it
        tell(self.app, NO_MEMORY)
        return None

    def action_compare(self) -> None:
        """Show what another profile, budget or channel would change; take it where agreed."""

        def taken(request: RecallRequest | None) -> None:
            if request is not None:
                self.want(request)

        self.post_message(Open(routes.Comparison(self.request), taken))
