"""One opened store: what keeps it, its settings, its clock, its index and its events."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from store.activity.recorder import Recorder
from store.activity.writer import ActivityWriter
from store.backends import is_in_vault, open_backend
from store.backends.location import NO_TEAM
from store.backends.protocol import Backend
from store.backends.user_data import everywhere_folder
from store.clarifications.folder import folder_of
from store.current_index import CurrentIndex
from store.errors import Away, InvalidObservation
from store.events import EventBus
from store.model import Level, Observation
from store.redaction.personal_choice import choose_personal
from store.search.folder import default_cache
from store.settings.files import given_settings, load_settings
from store.settings.schema import Settings

if TYPE_CHECKING:
    from store.validation.prepare import Prepared

_MB = 1_000_000
Clock = Callable[[], datetime]
NewId = Callable[[str, int, datetime], str]
"""Makes an id from agent, issue and time."""


class OpenedStore:
    """The parts that every service of a memory uses. `cache` is the folder for derived data."""

    def __init__(
        self,
        location: Path | str | Backend,
        *,
        cache: Path | None = None,
        settings: Settings | None = None,
        clock: Clock | None = None,
        new_id: NewId | None = None,
    ) -> None:
        self.clock = clock or (lambda: datetime.now(UTC))
        self.backend = (
            open_backend(location, self.clock) if isinstance(location, Path | str) else location
        )
        self.location = location if isinstance(location, Path | str) else self.backend.folder
        self.path = self.backend.folder
        self.cache = cache or default_cache()
        self._given_settings = settings
        self.reload_settings()
        self.events = EventBus()
        chosen = self.settings
        log_for, log_bytes = timedelta(days=chosen.activity_days), chosen.activity_mb * _MB
        ActivityWriter(self.backend, self.events, log_for, log_bytes)
        texts_for = timedelta(days=chosen.recall_texts_days)
        self.recorder = Recorder(
            self.backend, self.events, self.clock, texts_for, chosen.recall_texts_mb * _MB
        )
        self.index = CurrentIndex(self.backend, self.cache, self.recorder)
        self._new_id = new_id

    def reload_settings(self) -> None:
        """Take the settings from their files again; those that a program gave stay."""
        given = self._given_settings
        team = self.backend.levels.get(Level.TEAM)
        shared = team.folder if team is not None and team.folder != self.path else None
        self.loaded_settings = (
            load_settings(self.path, shared=shared) if given is None else given_settings(given)
        )
        choose_personal(self.settings.redact_personal_data)
        if self.backend.levels:
            self.backend.levels.default = self._level_to_add_to()

    def _level_to_add_to(self) -> str:
        """Return the level of what is added without one: that of the settings; the team's where
        the user chose a place that is shared; else the project's own.
        """
        settings = self.settings
        chosen: str = settings.capture_level
        if chosen == "usual" and (settings.backend or settings.memory_place == "tracked"):
            chosen = Level.TEAM
        return chosen if chosen in self.backend.levels else Level.PROJECT

    @property
    def is_vault(self) -> bool:
        return is_in_vault(self.backend)

    @property
    def has_clarifications(self) -> bool:
        """There is a folder of clarifications: one look at the disk, without what reads them."""
        return folder_of(self.backend.folder).is_dir()

    @property
    def is_everywhere(self) -> bool:
        """It is no project's memory: it holds the sessions of all projects, for search."""
        return self.path == everywhere_folder()

    @property
    def adds_to_team(self) -> bool:
        """What is added without a level is the team's: all that there is, or what is shared."""
        return self.backend.levels.default in ("", Level.TEAM)

    def is_teams(self, observation: Observation) -> bool:
        """Return whether an observation is the team's alone to tidy: by hand."""
        return observation.level == Level.TEAM and not self.adds_to_team

    @property
    def settings(self) -> Settings:
        return self.loaded_settings.settings

    @property
    def stale_after(self) -> timedelta:
        """The age at which a memory that nobody needs is stale."""
        return timedelta(days=self.settings.stale_archive_after_days)

    @property
    def is_reviewed(self) -> bool:
        """What agents write waits until somebody approves it: of sessions, too, nothing else is
        injected.
        """
        return self.settings.review == "before"

    def size(self) -> int | None:
        """Bytes that memory takes on disk; None while a database is away."""
        try:
            return self.backend.size()
        except Away:
            return None

    def prepare(self, observation: Observation) -> Prepared:
        """Return an observation checked, cleaned and completed. What the settings give to the team
        stays the user's where it holds something of one person or machine. Raises
        `InvalidObservation`.
        """
        from store.validation.prepare import prepare  # reading needs no rules

        if observation.level:
            self.check_level(observation.level)
            return prepare(observation, self.clock(), self.new_id)
        level = self.backend.levels.default
        prepared = prepare(observation._replace(level=level), self.clock(), self.new_id)
        return _kept_back(prepared) if level == Level.TEAM else prepared

    def check_level(self, level: str) -> None:
        """Raise `InvalidObservation` for a level that is not open."""
        if level in self.backend.levels:
            return
        if level == Level.TEAM and self.backend.levels:
            raise InvalidObservation(*NO_TEAM)
        raise InvalidObservation(
            f"The level {level!r} is not open here.",
            f"Use one of {', '.join(Level)}, without --dir and MEMTUI_DIR.",
        )

    def new_id(self, agent: str, issue: int, when: datetime) -> str:
        """Return an id that no observation has yet."""
        from store.validation.prepare import make_id  # reading needs no rules

        return (self._new_id or make_id)(agent, issue, when)


def _kept_back(prepared: Prepared) -> Prepared:
    """Return what was prepared for the team, in the project's own level where it is not for
    others.
    """
    from store.redaction.sharing import unshared_notices  # few memories go to the team unasked

    kept = tuple(unshared_notices(prepared.observation))[:1]
    if not kept:
        return prepared
    own = prepared.observation._replace(level=Level.PROJECT)
    return replace(prepared, observation=own, notices=prepared.notices + kept)
