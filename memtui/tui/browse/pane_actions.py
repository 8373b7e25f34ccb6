"""Going from pane to pane, and giving one of them the whole screen."""

from __future__ import annotations

from textual.screen import Screen

from memtui.tui.browse.panes import Panes


class PaneActions(Screen[None]):
    """A screen with panes."""

    _panes: Panes
    _at_archived = False

    def know_archived(self, archived: bool) -> None:
        """Offer to archive or to restore, as the row under the cursor is."""
        if archived is not self._at_archived:
            self._at_archived = archived
            self.refresh_bindings()

    def action_search(self) -> None:
        """Go to the search box."""
        results = self._panes.results
        if self._panes.zoomed is not results:
            self._panes.zoomed = None
        self.set_focus(results.bar)

    def action_pane(self, step: int) -> None:
        """Go to the next or previous pane."""
        self._panes.step(step)

    def action_go_to(self, number: int) -> None:
        """Go to a pane by its number."""
        self._panes.go_to(number)

    def action_zoom(self) -> None:
        """Give the pane with the focus the whole screen, or take it back."""
        self._panes.toggle_zoom()
