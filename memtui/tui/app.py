"""The Textual app: opens memory after its first frame, shows Browse, opens the other screens."""

from __future__ import annotations

import asyncio
import gc
import os
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from threading import Thread
from time import monotonic
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from textual.binding import ActiveBinding
from textual.events import DescendantFocus
from textual.reactive import Reactive
from textual.screen import Screen
from textual.theme import Theme
from textual.widget import AwaitMount

import store
from memtui.settings.keys import ACTIONS
from memtui.settings.schema import THEMES, app_settings, key_names
from memtui.tui.browse.screen import BrowseScreen
from memtui.tui.dialogs.options import pick_option
from memtui.tui.frame import routes
from memtui.tui.frame.ask import Progress, ask, exclusive_worker
from memtui.tui.frame.keys import bindings
from memtui.tui.frame.route import (
    Context,
    Find,
    MemoryChanged,
    Open,
    ResultT,
    Route,
    screen_class,
    screen_for,
)
from memtui.tui.frame.terminal import guarded_terminal
from memtui.tui.frame.theme import MEMTUI_THEME, theme_variables
from memtui.tui.frame.toasts import toast, toast_error
from memtui.tui.frame.type_ahead import Held, TypeAhead
from memtui.tui.injection.factors import factor_variables
from memtui.tui.memory.actions import BeginLevel, Edit, EditFile, WriteNew, WriteText
from memtui.tui.palette import Command, pick_command
from memtui.words.notices import problem_in_words
from store.backends import Location, shown_location
from store.errors import StoreError
from store.text.display import visible_line

if TYPE_CHECKING:  # what a first frame does without
    from memtui.editing.editor import RunEditor
    from memtui.tui.editing.controller import EditController
    from memtui.tui.frame.indexing import IndexRunner, IndexSessions
    from memtui.tui.operations import OperationRunner, PreviewPlan, RunOperation
    from memtui.tui.setup.offer import LeaveFor
    from store import Memory
    from store.backends.placement import MemoryPlace
    from store.events import MemoryProblem
    from store.store_state import StoreState

OpenMemory: TypeAlias = "Callable[[Location], Memory]"

_GARBAGE = 5_000
"""Objects made between collections while the app runs: 100,000 as at its start held 2 MB more.

What is there by then stays, and is looked through no more: the first collection took 23 ms of the
time to the first results. It costs .7 MB of what was loaded and dropped again.
"""
_WARNING_SECONDS = 8.0
_READING = 0.5
"""Seconds that one who leaves waits for what is being read, as for a plan."""
BACK = "back"


def bound(keymap: Mapping[str, str]) -> dict[str, str]:
    """Return the keys of each binding that has the name of one of these actions."""
    return {
        binding: ",".join(key_names(keys))
        for action, keys in keymap.items()
        for binding in ACTIONS[action]
    }


def local_now() -> datetime:
    return datetime.now(UTC).astimezone()


def open_memory(path: Location) -> Memory:
    """Open a memory; what that needs is loaded now, which is after the first frame."""
    return store.open_memory(path)


class MemtuiApp(TypeAhead):
    TITLE = "memtui"
    CSS_PATH: ClassVar[list[str]] = ["app.tcss", "browse/browse.tcss"]  # type: ignore[assignment]
    theme: Reactive[str] = Reactive(MEMTUI_THEME.name)
    BINDINGS = bindings("app")

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
        opens: Route[None] | None = None,
        can_go_back: bool = False,
    ) -> None:
        """Show the memory at `path`, called `place` on screen.

        `refresh_every` is in seconds; 0 looks at the files only when asked. Without `theme` the
        settings choose. `run_editor` replaces running an editor in the app's terminal. `opens` is
        the screen to begin with, if not Browse. `can_go_back`: `q` leads to where this memory was
        opened from.
        """
        super().__init__()
        self.context = Context(place or shown_location(path), now, refresh_every)
        self.path = path
        self._open_memory = open_memory
        self._operator: OperationRunner | None = None
        self._indexer: IndexRunner | None = None
        self._run_editor = run_editor
        self._looking = False
        self._state: StoreState | None = None
        self._warned: dict[str, float] = {}
        self._is_to_begin = False
        self._opens = opens
        self._can_go_back = can_go_back
        self.wanted_next: Location = ""
        """What is wanted next: nothing, `BACK`, the `demo`, the app `again`, since memory begins
        elsewhere, or another memory."""
        self.back_to: Route[None] | None = None
        self.register_theme(MEMTUI_THEME)
        self._chosen_theme = self._current_theme = self._settings_theme = theme
        self._apply_theme(theme)

    def get_default_screen(self) -> Screen[None]:
        return BrowseScreen(self.context)

    @property
    def _memory(self) -> Memory | None:
        return self.context.opened

    @property
    def _browse(self) -> BrowseScreen:
        return next(screen for screen in self.screen_stack if isinstance(screen, BrowseScreen))

    # Opening memory

    def on_load(self) -> None:
        self._opening = self.keys_held()

    def on_ready(self) -> None:
        gc.freeze()
        gc.set_threshold(_GARBAGE)
        self._open(self._opening)

    @exclusive_worker(group="open")
    async def _open(self, held: Held) -> None:
        with held:
            browse = self._browse
            try:
                memory, state = await ask(
                    open_as_left, self._open_memory, self.path, report_to=browse.show_progress
                )
            except StoreError as error:
                browse.fail_to_open(error)
                return
            self.context = self.context._replace(opened=memory)
            self._follow_settings(self._chosen_theme)
            memory.on_problem(self._warn_of)
            browse.attach(memory, state)
            if self.context.refresh_every:
                self.set_interval(self.context.refresh_every, self.action_look)
        if memory.is_vault:
            from memtui.tui.upkeep import keep_vault_small  # not for the first frame

            keep_vault_small(self, memory)
        self._is_to_begin = isinstance(self.path, Path) and not self.path.exists()
        if self._opens is not None:
            self.open_screen(self._opens)
        elif self._is_to_begin:
            self.open_screen(routes.Setup())

    def action_look(self) -> None:
        """Let the index catch up with the files, unless it is doing so or will."""
        busy = self._operator is not None and self._operator.is_busy
        if self._memory is not None and not self._looking and not busy and self.screen_stack:
            self._looking = True
            self._look(self._memory, self._browse)

    @exclusive_worker(group="look")
    async def _look(self, memory: Memory, browse: BrowseScreen) -> None:
        try:
            changed = await ask(memory.index.refresh, report_to=browse.show_progress)
            state = await ask(memory.state)
        except StoreError as error:
            self._state = None
            browse.failed(error)
            return
        finally:
            self._looking = False
        has_news = changed or (self._state is not None and state.proposed != self._state.proposed)
        # A change of a covered screen has the one above drawn anew.
        if changed or state != self._state or self.screen is browse:
            self._state = state
            browse.catch_up(state, changed=changed)
        if has_news:
            self.screen.post_message(MemoryChanged())

    @property
    def is_left(self) -> bool:
        """True if the user is done with memtui, and nothing is being changed."""
        changes = self._operator is not None and self._operator.is_changing
        return not (self.return_code or self.wanted_next or changes)

    def close_memory(self) -> None:
        if self._memory is not None:
            self._memory.close()
            self.context = self.context._replace(opened=None)

    def _is_open(self) -> bool:
        """True if memory is open; where it is not, a toast shows that."""
        if self._memory is None:
            toast(self, "No memory is open yet.")
        return self._memory is not None

    # Settings and theme

    def on_settings_reloaded(self) -> None:
        self._follow_settings()

    def _follow_settings(self, chosen_theme: str = "") -> None:
        """Take the settings' keys, and their theme where another is chosen there now."""
        settings = app_settings(self.context.memory.settings)
        self.set_keymap(bound(settings.keymap))
        if settings.theme != self._settings_theme:
            self._settings_theme = settings.theme
            self._apply_theme(chosen_theme or settings.theme)
        else:
            self.theme = self._current_theme  # one that was tried, which another file overrides

    def _apply_theme(self, theme: str) -> None:
        if theme in self.available_themes:
            self._current_theme = self.theme = theme

    @exclusive_worker(group="settings")
    async def _keep_theme(self, theme: str) -> None:
        from store.settings.edit import keep_setting  # not for the first frame
        from store.settings.files import user_file

        try:
            await ask(keep_setting, user_file(), "theme", theme)
        except StoreError as error:
            self._warn(error.full_message)

    def get_theme(self, theme_name: str) -> Theme | None:
        """Ours even before it can be registered, so that the sheets are read in its colours once
        instead of in two themes."""
        return MEMTUI_THEME if theme_name == MEMTUI_THEME.name else super().get_theme(theme_name)

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return theme_variables(self.current_theme) | factor_variables(self.current_theme)

    def on_descendant_focus(self, event: DescendantFocus) -> None:
        if hasattr(event.widget, "cursor_blink"):
            event.widget.cursor_blink = False

    # Warnings

    def _warn_of(self, problem: MemoryProblem) -> None:
        """Warn of what failed while memory went on, from whatever thread that happens in."""
        self.call_later(self._warn, problem_in_words(problem.kind, problem.message, problem.took))

    def _warn(self, sentence: str) -> None:
        warning = visible_line(sentence)
        self._warned[warning] = monotonic() + _WARNING_SECONDS
        self._show_warning(warning, _WARNING_SECONDS)

    def clear_notifications(self) -> None:
        """Make room for the next toast; a warning stays its time, since it comes only once."""
        super().clear_notifications()
        now = monotonic()
        self._warned = {text: until for text, until in self._warned.items() if until > now}
        for text, until in self._warned.items():
            self._show_warning(text, until - now)

    def _show_warning(self, text: str, seconds: float) -> None:
        self.notify(text, severity="warning", markup=False, timeout=seconds)

    # Changing memory

    @property
    def _operations(self) -> OperationRunner:
        """Operations on memory; their modules are loaded at the first change."""
        if self._operator is None:
            from memtui.tui.operations import OperationRunner  # not for the first frame

            self._operator = OperationRunner(self, self.context, self._place_asked)
        return self._operator

    def _place_asked(self, then: Callable[[], None]) -> None:
        """Do what memory may begin with; where it may is asked first, unless that was chosen."""
        if self._is_to_begin:
            self._ask_place(then)
        else:
            then()

    @exclusive_worker(group="place")
    async def _ask_place(self, then: Callable[[], None]) -> None:
        from memtui.tui.setup.beginning import needs_place, pick_place  # memory begins once

        def picked(place: MemoryPlace | None) -> None:
            self._begin_in(place, then)

        with self.keys_held(until_screen=True):
            if await ask(needs_place, self.context.memory):
                self.open_screen(pick_place(), picked)
            else:
                self._is_to_begin = False
                then()

    @exclusive_worker(group="place")
    async def _begin_in(self, place: MemoryPlace | None, then: Callable[[], None]) -> None:
        """Keep the place that was picked and go on, in an app on that place where it is another."""
        from memtui.tui.frame.indexing import IndexingEnded  # not for the first frame
        from memtui.tui.operations import OperationEnded
        from memtui.tui.setup.beginning import keep_place, needs_another_place
        from memtui.tui.setup.offer import LeaveFor

        memory = self.context.memory
        if place is None:
            state = await ask(memory.state)
            for screen in self.screen_stack:
                screen.post_message(OperationEnded(None, state))
                screen.post_message(IndexingEnded())
            return
        toast(self, await ask(keep_place, memory, place))
        if await ask(needs_another_place, memory):
            self.post_message(LeaveFor("again", getattr(self.screen, "route", None)))
        else:
            self._is_to_begin = False
            then()

    def on_run_operation(self, event: RunOperation) -> None:
        self._operations.operate(event)

    def on_preview_plan(self, event: PreviewPlan) -> None:
        self._operations.preview(event)

    def action_undo(self) -> None:
        if self._is_open():
            self._operations.undo()

    def action_redo(self) -> None:
        if self._is_open():
            self._operations.redo()

    def action_prune(self) -> None:
        if self._is_open():
            from memtui.tui.upkeep import make_room  # not for the first frame

            self.post_message(make_room())

    def sync(self) -> None:
        """Have the user's memories the same on all machines, after a preview."""
        if self._is_open():
            from memtui.tui.sync import sync_all  # few sessions sync

            self.post_message(sync_all())

    def key_slash(self) -> None:
        """Drop the words for a filter where there is none: here they would be commands."""
        toast(self, "Nothing to filter here.")
        self.ignore_keys_briefly()

    def action_import(self) -> None:
        from memtui.tui.operations import import_from  # not for the first frame

        def picked(path: Path | None) -> None:
            if path is not None:
                self.post_message(import_from(path))

        if self._is_open():
            self.open_screen(routes.PickSource(), picked)

    def on_edit(self, event: Edit) -> None:
        if self._memory is not None:
            self._edit_controller().edit(event)

    def on_edit_file(self, event: EditFile) -> None:
        self._edit_controller().edit_file(event)

    def on_write_text(self, event: WriteText) -> None:
        self._edit_controller().write(event)

    def on_write_new(self, event: WriteNew) -> None:
        if self._memory is not None:
            self._edit_controller().write_new(event)

    def _edit_controller(self) -> EditController:
        from memtui.tui.editing.controller import (  # few sessions write
            EditController,
            terminal_editor,
        )

        return EditController(self, self.context, self._run_editor or terminal_editor(self))

    @exclusive_worker(group="place")
    async def on_begin_level(self, event: BeginLevel) -> None:
        """Have a level begin, and open memory again, with all that there are."""
        from memtui.tui.setup.offer import LeaveFor  # not for the first frame
        from store.backends.placement import begin_level

        memory = self.context.memory
        try:
            await ask(begin_level, memory.location, memory.path, event.level)
        except StoreError as error:
            toast_error(self, error)
            return
        self.post_message(LeaveFor("again", getattr(self.screen, "route", None)))

    def on_index_sessions(self, event: IndexSessions) -> None:
        if self._indexer is None:
            from memtui.tui.frame.indexing import IndexRunner  # few sessions index any

            self._indexer = IndexRunner(self)
        if event.memory is not None and event.memory is not self._memory:
            self._indexer.begin(event.memory, event.files)
        elif self._memory is not None:
            self._place_asked(partial(self._indexer.begin, self._memory, event.files))

    def on_stop_indexing(self) -> None:
        if self._indexer is not None:
            self._indexer.stop()

    def on_leave_for(self, event: LeaveFor) -> None:
        self.wanted_next, self.back_to = event.wanted, event.back_to
        self.exit()

    def action_leave_memory(self) -> None:
        self.wanted_next = BACK
        self.exit()

    # Opening screens

    def _can_open(self, route: Route[Any]) -> bool:
        return self._memory is not None or not route.needs_memory

    def open_screen(
        self, route: Route[ResultT], then: Callable[[ResultT | None], None] | None = None
    ) -> AwaitMount:
        """Open a screen; `then` is called with what it gives when it is left."""
        return self.push_screen(screen_for(self.context, route), then)

    def on_open(self, event: Open[Any]) -> None:
        event.stop()
        if self._can_open(event.route):
            context = self.context._replace(opened=event.memory or self._memory)
            screen = screen_for(context, event.route)
            if event.replace:
                self.switch_screen(screen)
            else:
                self.push_screen(screen, event.then)

    def on_find(self, event: Find) -> None:
        browse = self._browse
        while self.screen is not browse:
            self.pop_screen()
        browse.set_query(event.query)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Return None for the key of the screen that is shown: it does nothing."""
        if action == "show" and self.screen_stack:
            # by its name, since its class may not be loaded yet
            name = getattr(routes, str(parameters[0])).screen.partition(":")[2]
            return None if type(self.screen).__name__ == name else True
        if action == "leave_memory":
            return self._can_go_back
        return super().check_action(action, parameters)

    def action_show(self, name: str) -> None:
        """Show the screen whose route has this name and needs nothing more; once."""
        route: Route[None] = getattr(routes, name)()
        if not isinstance(self.screen, screen_class(route)) and (
            self._can_open(route) or self._is_open()
        ):
            self.open_screen(route)

    def action_help(self) -> None:
        if not isinstance(self.screen, screen_class(routes.Help)):
            keys = self.screen.active_bindings.values()
            help_ = routes.Help(keys, getattr(self.screen, "MANUAL_PAGE", ""))
            self.open_screen(help_, self._run_key)

    def _run_key(self, active: ActiveBinding | None) -> None:
        """Run the action of a key where it would have been pressed."""
        if active is not None:
            self.call_later(self.run_action, active.binding.action, active.node)

    def action_command_palette(self) -> None:
        def picked(command: Command | None) -> None:
            if command is not None:
                self.call_later(command)

        if not isinstance(self.screen, screen_class(routes.Pick)):
            self.open_screen(pick_command(self, self.search_themes, self.sync), picked)

    def search_themes(self) -> None:
        """Have a theme picked; each is tried as the cursor comes to it."""

        def picked(theme: str | None) -> None:
            if theme is None:
                self.theme = self._current_theme
            else:
                self._apply_theme(theme)
                self._keep_theme(theme)

        try_out = partial(setattr, self, "theme")
        themes = pick_option("Theme", THEMES, self._current_theme, try_out=try_out)
        self.open_screen(themes, picked)


def open_as_left(
    open_memory: OpenMemory, path: Location, progress: Progress
) -> tuple[Memory, StoreState]:
    """Open memory as its index was left; a new index is made first."""
    memory = open_memory(path)
    if not memory.index.open_existing():
        memory.index.refresh(progress)
    return memory, memory.state()


def run(app: MemtuiApp, at_once: Callable[[], object] = lambda: None) -> Location:
    """Run an app in the terminal until it is left; return what is wanted next.

    `at_once` is called where it can't end well. Raises `SystemExit` where it failed.
    """
    threads = ThreadPoolExecutor()
    try:
        with guarded_terminal(app, at_once), asyncio.Runner() as runner:
            runner.get_loop().set_default_executor(threads)
            app.run(loop=runner.get_loop())
            ending = Thread(target=threads.shutdown)
            ending.start()
            ending.join(_READING if app.is_left else None)
            if ending.is_alive():
                at_once()
                os._exit(0)
    finally:
        app.close_memory()
    if app.return_code:
        raise SystemExit(app.return_code)
    return app.wanted_next
