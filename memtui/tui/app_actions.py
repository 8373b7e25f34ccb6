"""The app's own actions that open a screen, and what each needs to know of Browse."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from memtui.tui import routes
from memtui.tui.browse.screen import BrowseScreen
from memtui.tui.navigation import NavigatingApp, screen_class
from memtui.tui.route import Route

if TYPE_CHECKING:
    from memtui.tui.routes import Scope
    from store.pipeline import MemoryPipeline


class AppActions(NavigatingApp):
    """An app whose keys and commands open screens."""

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """The key of the screen that is shown does nothing, and so is not offered."""
        if action == "show" and self.screen_stack:
            # by its name, since its class may not be loaded yet
            name = getattr(routes, str(parameters[0])).screen.partition(":")[2]
            return None if type(self.screen).__name__ == name else True
        return super().check_action(action, parameters)

    def action_show(self, name: str) -> None:
        """Show the screen whose route has this name and needs nothing more; once."""
        route: Route[None] = getattr(routes, name)()
        if not isinstance(self.screen, screen_class(route)) and (
            self.can_open(route) or self._is_open()
        ):
            self.open_screen(route)

    def action_compact(self) -> None:
        """Choose what to compact, then show what would merge into what."""

        def picked(scope: Scope | None) -> None:
            if scope is not None:
                self.open_screen(routes.Compaction(scope))

        if self._is_open():
            browse = self._browse
            self.open_screen(routes.PickScope(browse.issues_at_hand, browse.everything), picked)

    def action_prune(self) -> None:
        """Show what would be archived to make room."""
        if self._is_open():
            from memtui.tui.upkeep import make_room

            self.post_message(make_room())

    def action_capture(self) -> None:
        """Choose a transcript, then show what it would leave."""

        def picked(path: Path | None) -> None:
            if path is not None:
                self.open_screen(routes.Capture(path))

        if self._is_open():
            self.open_screen(routes.PickTranscript(), picked)

    def action_import(self) -> None:
        """Choose a file or a folder, then show what would come in."""

        def picked(path: Path | None) -> None:
            from memtui.tui.operations import import_from

            if path is not None:
                self.post_message(import_from(path))

        if self._is_open():
            self.open_screen(routes.PickSource(), picked)

    def action_inject(self) -> None:
        """Show what would be injected for the agent and the issue one is at."""
        if self._is_open():
            browse = self._browse
            self.open_screen(routes.Injection(browse.request, lambda: browse.everything))

    def action_help(self) -> None:
        """Show the keys of the screen."""
        if not isinstance(self.screen, screen_class(routes.Help)):
            keys = self.screen.active_bindings.values()
            self.open_screen(routes.Help(keys, type(self.screen).__name__))

    def action_command_palette(self) -> None:
        """Show every command."""
        from memtui.tui.palette import Palette

        if not isinstance(self.screen, Palette):
            self.push_screen(Palette(id="--command-palette"))

    def search_themes(self) -> None:
        """Show the themes, to choose one."""
        from textual.theme import ThemeProvider

        from memtui.tui.palette import Palette

        self.push_screen(Palette([ThemeProvider], placeholder="Search for themes…"))

    def _is_open(self) -> bool:
        """Whether memory is open; where it is not, that is said."""
        if self._memory is None:
            from memtui.tui.toasts import tell

            tell(self, "No memory is open yet.")
        return self._memory is not None

    @property
    def _memory(self) -> MemoryPipeline | None:
        return self.context.opened

    @property
    def _browse(self) -> BrowseScreen:
        return next(s for s in self.screen_stack if isinstance(s, BrowseScreen))
