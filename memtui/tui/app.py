"""The Textual app: opens memory after its first frame and shows Browse."""

from __future__ import annotations

import gc
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, ClassVar

from textual.binding import BindingType
from textual.command import Provider
from textual.events import DescendantFocus
from textual.reactive import Reactive
from textual.screen import Screen
from textual.theme import Theme

import store
from memtui.settings.choices import ACTIONS, key_names
from memtui.tui import routes
from memtui.tui.app_actions import AppActions
from memtui.tui.browse.screen import BrowseScreen
from memtui.tui.injection.factors import factor_variables
from memtui.tui.keys import APP_KEYS
from memtui.tui.route import Context
from memtui.tui.signals import ended_by_signal
from memtui.tui.theme import MEMTUI_THEME, theme_variables
from memtui.tui.worker import (
    IndexProgress,
    MemoryFailed,
    MemoryOpened,
    MemoryWarned,
    OpenMemory,
    ask,
    open_store,
)
from store.errors import StoreError
from store.places import Location, shown_location
from store.text import visible

if TYPE_CHECKING:
    from memtui.editing.editor import RunEditor
    from memtui.tui.editing.controller import EditController
    from memtui.tui.memory.actions import Edit, WriteNew
    from memtui.tui.operations import OperationRunner, PreviewPlan, RunOperation
    from memtui.tui.take_in import TakeIn, TakeInRunner
    from store.events import MemoryProblem
    from store.pipeline import MemoryPipeline

_GARBAGE = 5_000
"""Objects made between collections while the app runs: 100,000 as at its start held 2 MB more.

What is there by then stays, and is looked through no more: the first collection took 23 ms of the
time to the first results. It costs .7 MB of what was loaded and dropped again.
"""
_WARNING_SECONDS = 8.0


def bound(keymap: Mapping[str, str]) -> dict[str, str]:
    """The keys of each binding that has the name of one of these actions."""
    return {
        binding: ",".join(key_names(keys))
        for action, keys in keymap.items()
        for binding in ACTIONS[action]
    }


def local_now() -> datetime:
    """The present, in the zone of this machine."""
    return datetime.now(UTC).astimezone()


def open_memory(path: Location) -> MemoryPipeline:
    """Open a memory; what that needs is loaded now, which is after the first frame."""
    return store.open_memory(path)


def commands() -> type[Provider]:
    """The commands of the palette, loaded when it is opened."""
    from memtui.tui.palette import MemtuiCommands

    return MemtuiCommands


class MemtuiApp(AppActions):
    """The memory of coding agents, to see."""

    TITLE = "memtui"
    CSS_PATH: ClassVar[list[str]] = ["app.tcss", "browse/browse.tcss"]  # type: ignore[assignment]
    theme: Reactive[str] = Reactive(MEMTUI_THEME.name)
    COMMANDS: ClassVar[set[Callable[[], type[Provider]]]] = {commands}  # type: ignore[assignment]
    BINDINGS: ClassVar[list[BindingType]] = APP_KEYS

    def __init__(
        self,
        path: Location,
        *,
        place: str = "",
        open_memory: OpenMemory = open_memory,
        now: Callable[[], datetime] = local_now,
        refresh_every: float = 1.5,
        theme: str = "",
        run_editor: RunEditor | None = None,
    ) -> None:
        """Show the memory at `path`, called `place` on screen.

        `refresh_every` is in seconds; 0 looks at the files only when asked. Without `theme` the
        settings choose. `run_editor` replaces running an editor in the app's terminal.
        """
        super().__init__(Context(place or shown_location(path), now, refresh_every))
        self._path = path
        self._open_memory = open_memory
        self._operator: OperationRunner | None = None
        self._take_in: TakeInRunner | None = None
        self._run_editor = run_editor
        self._warned: dict[str, float] = {}
        self.demo_wanted = False
        self.register_theme(MEMTUI_THEME)
        self._chosen_theme = self._worn = self._settings_theme = theme
        self._dress(theme)

    def _dress(self, theme: str) -> None:
        """Wear a theme, if there is one of this name."""
        if theme in self.available_themes:
            self._worn = self.theme = theme

    def watch_theme(self, theme: str) -> None:
        """Keep the theme that was chosen in the palette for the next time."""
        if self._memory is not None and theme != self._worn:
            self._worn = theme
            self.run_worker(partial(self._keep_theme, theme), group="settings", thread=True)

    def _keep_theme(self, theme: str) -> None:
        from store.settings import keep_setting, user_file

        try:
            keep_setting(user_file(), "theme", theme)
        except StoreError as error:
            self.post_message(MemoryWarned(error.told))

    def get_theme(self, theme_name: str) -> Theme | None:
        """Ours even before it can be registered, so that the sheets are read in its colours once
        instead of in two themes."""
        return MEMTUI_THEME if theme_name == MEMTUI_THEME.name else super().get_theme(theme_name)

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """The variables of our sheets, from the theme there is."""
        return theme_variables(self.current_theme) | factor_variables(self.current_theme)

    def get_default_screen(self) -> Screen[None]:
        """Browse is home."""
        return BrowseScreen(self.context)

    def on_ready(self) -> None:
        """Open memory: the first frame is out. Keys wait for it."""
        gc.freeze()
        gc.set_threshold(_GARBAGE)
        self._browse.hold_keys()
        ask(self, open_store(self._open_memory, self._path), group="open")

    def on_descendant_focus(self, event: DescendantFocus) -> None:
        """Nothing blinks: no box that has the focus, be it ours or Textual's."""
        if hasattr(event.widget, "cursor_blink"):
            event.widget.cursor_blink = False

    def on_memory_opened(self, event: MemoryOpened) -> None:
        """Give memory to the screen that shows it."""
        self.context = self.context._replace(opened=event.memory)
        from memtui.settings.schema import app_settings

        settings = app_settings(event.memory.settings)
        self._settings_theme = settings.theme
        self._dress(self._chosen_theme or self._settings_theme)
        self.set_keymap(bound(settings.keymap))
        event.memory.on_problem(self._warn)
        self._browse.attach(event.memory, event.state)
        if event.memory.is_vault:
            from memtui.tui.upkeep import keep_vault_small

            keep_vault_small(self, event.memory)
        if not event.state.total and isinstance(self._path, Path) and not self._path.exists():
            self.open_screen(routes.Setup())

    def on_settings_reloaded(self) -> None:
        """Follow the settings: their keys, and their theme where another is chosen there now."""
        from memtui.settings.schema import app_settings

        settings = app_settings(self.context.memory.settings)
        self.set_keymap(bound(settings.keymap))
        if settings.theme != self._settings_theme:
            self._settings_theme = settings.theme
            self._dress(settings.theme)

    def on_open_demo(self) -> None:
        """End here; whoever runs the app opens the sample store."""
        self.demo_wanted = True
        self.exit()

    def _warn(self, problem: MemoryProblem) -> None:
        """Tell what failed while memory went on, from whatever thread that happens in."""
        from memtui.words.notices import problem_in_words

        said = problem_in_words(problem.kind, problem.message, problem.took)
        self.post_message(MemoryWarned(said))

    def on_memory_warned(self, event: MemoryWarned) -> None:
        """Tell in passing what failed while memory went on; it stands in the log."""
        said = visible(event.sentence, newlines=False)
        self._warned[said] = monotonic() + _WARNING_SECONDS
        self._show_warning(said, _WARNING_SECONDS)

    def clear_notifications(self) -> None:
        """Make room for what is told next; a warning stays its time, since it is told once."""
        super().clear_notifications()
        now = monotonic()
        self._warned = {said: until for said, until in self._warned.items() if until > now}
        for said, until in self._warned.items():
            self._show_warning(said, until - now)

    def _show_warning(self, said: str, seconds: float) -> None:
        self.notify(said, severity="warning", markup=False, timeout=seconds)

    def on_index_progress(self, event: IndexProgress) -> None:
        """Say how far a long first reading is."""
        self._browse.on_index_progress(event)

    def on_memory_failed(self, event: MemoryFailed) -> None:
        """Say why there is nothing to show."""
        self._browse.fail(event.error)

    def on_run_operation(self, event: RunOperation) -> None:
        """Change memory, once it is open."""
        if (operator := self._operations()) is not None:
            operator.operate(event)

    def on_preview_plan(self, event: PreviewPlan) -> None:
        """Show a plan, once memory is open."""
        if (operator := self._operations()) is not None:
            operator.preview(event)

    def on_take_in(self, event: TakeIn) -> None:
        """Take sessions in, beside whatever else is done."""
        if self._take_in is None and self._memory is not None:
            from memtui.tui.take_in import TakeInRunner  # few sessions take any in

            self._take_in = TakeInRunner(self, self._memory)
        if self._take_in is not None:
            self._take_in.begin(event.files)

    def on_stop_taking_in(self) -> None:
        """Stop with that."""
        if self._take_in is not None:
            self._take_in.stop()

    def on_edit(self, event: Edit) -> None:
        """Let the user edit an observation, once memory is open."""
        if self._memory is not None:
            self._edit_controller(self._memory).edit(event)

    def on_write_new(self, event: WriteNew) -> None:
        """Let the user write a new observation, once memory is open."""
        if self._memory is not None:
            self._edit_controller(self._memory).write_new(event)

    def _edit_controller(self, memory: MemoryPipeline) -> EditController:
        from memtui.tui.editing.controller import (  # few sessions write
            EditController,
            terminal_editor,
        )

        return EditController(self, memory, self._run_editor or terminal_editor(self))

    def action_undo(self) -> None:
        """Take back the last operation."""
        if self._is_open() and (operator := self._operations()) is not None:
            operator.undo()

    def action_redo(self) -> None:
        """Do again what the last undo took back."""
        if self._is_open() and (operator := self._operations()) is not None:
            operator.redo()

    def _operations(self) -> OperationRunner | None:
        """What changes memory, once it is open; what that needs is loaded at the first change."""
        if self._operator is None and self._memory is not None:
            from memtui.tui.operations import OperationRunner

            self._operator = OperationRunner(self, self._memory)
        return self._operator

    def close_memory(self) -> None:
        """Let go of the memory."""
        if self._memory is not None:
            self._memory.close()
            self.context = self.context._replace(opened=None)


def run(path: Location, *, place: str = "", theme: str = "") -> bool:
    """Run the app on the memory at `path` until the user quits; whether the demo is wanted next.

    `place` is the memory's name on screen.
    """
    app = MemtuiApp(path, place=place, theme=theme)
    try:
        with ended_by_signal(app):
            app.run()
    finally:
        app.close_memory()
    return app.demo_wanted
