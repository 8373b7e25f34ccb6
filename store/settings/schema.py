"""Settings: what a user or a project may choose, each field with its meaning."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, dataclass, field, fields
from functools import cache
from importlib import import_module
from typing import Annotated, Any, Literal, NamedTuple

_LAYERS = ("working", "episodic", "semantic", "procedural", "other")
_PLACES = ("user", "untracked", "tracked")
_LEVELS = ("usual", "project", "mine", "team")
_MOST_DAYS = 36_500
_MOST_MB = 1_000_000
_MOST_TOKENS = 10_000_000


def check_factor(name: str) -> None:
    """Raise `ValueError` where recall has no factor of this name."""
    _room("store.recall.profiles").check_factor(name)


def check_client(name: str) -> None:
    """Raise `ValueError` where no client of this name takes memories."""
    _room("store.recall.values").check_client(name)


def check_backend(url: str) -> None:
    """Raise `ValueError` where a URL names no database, or a password."""
    if url:
        _room("store.backends").check_shared(url)
    if _has_password(url):
        raise ValueError("keep passwords in ~/.pgpass or PGPASSWORD, not in settings")


def check_repository(url: str) -> None:
    """Raise `ValueError` where the address of a git repository has a password."""
    if _has_password(url):
        raise ValueError("use ssh, or keep passwords in git's credential helper, not in settings")


def _has_password(url: str) -> bool:
    return re.search(r"://[^/@]*:[^/@]+@|[?&]password=", url) is not None


def check_program(command: str) -> None:
    """Raise `ValueError` where a text is no command."""
    try:
        shlex.split(command)
    except ValueError as error:
        raise ValueError(f"not a valid command ({error})") from error


def _room(name: str) -> Any:  # noqa: ANN401 - a module
    """Return a room above the settings, which imports them itself."""
    return import_module(name)


class Accepts(NamedTuple):
    """What a value may be: of `kind`, one of `options` if there are any, from `least` to `most`;
    and `check` raises `ValueError` with what is wrong.
    """

    kind: type = str
    least: float | None = None
    most: float | None = None
    options: tuple[str, ...] = ()
    check: Callable[[str], None] | None = None

    def matches(self, value: Any) -> bool:  # noqa: ANN401 - any value of a file
        """Return whether a value is right as it is, without pydantic: see docs/decisions.md."""
        if type(value) is not self.kind and (self.kind, type(value)) != (float, int):
            return False
        if self.options and value not in self.options and self.kind is str:
            return False
        if self.least is not None and self.most is not None:
            return bool(self.least <= value <= self.most)
        try:
            if self.check is not None:
                self.check(value)
        except ValueError:
            return False
        return True

    @property
    def annotation(self) -> Any:  # noqa: ANN401 - a type
        """The same for pydantic."""
        from pydantic import AfterValidator, Field

        def checked(value: str) -> str:
            if self.check is not None:
                self.check(value)
            return value

        if self.options and self.kind is str and self.check is None:
            return Literal[self.options]
        limits = Field(ge=self.least, le=self.most)
        return Annotated[self.kind, limits, AfterValidator(checked)]

    def __str__(self) -> str:
        """The accepted values, as a person reads it."""
        if self.options:
            return " or ".join(filter(None, (", ".join(self.options[:-1]), self.options[-1])))
        if self.least is None or self.most is None:
            return "text"
        kind = "a whole number" if self.kind is int else "a number"
        return f"{kind} from {int(self.least):,} to {int(self.most):,}"


SWITCH = Accepts(bool, options=("true", "false"))


def whole(least: int, most: int) -> Accepts:
    return Accepts(int, least, most)


class SettingInfo(NamedTuple):
    """A setting: its name, meaning and default, and for a table an example.

    A table maps what `keys` accepts to what `accepts` does. What is personal a project's file can't
    set: whoever wrote it would run commands on our machine, or have conversations committed; of
    others it can't set `personal_values`. `former` is an older name, which still works. `subject`
    is a heading over those that follow each other with it.
    """

    name: str
    meaning: str
    default: object
    accepts: Accepts = SWITCH
    keys: Accepts = Accepts()
    example: Mapping[str, Any] | None = None
    is_personal: bool = False
    personal_values: tuple[str, ...] = ()
    former: str = ""
    subject: str = ""

    @property
    def is_table(self) -> bool:
        return self.example is not None

    def is_users_alone(self, value: object) -> bool:
        """Return whether only the user's own file may set a value."""
        return self.is_personal or value in self.personal_values


def setting(
    meaning: str,
    default: object = None,
    accepts: Accepts = SWITCH,
    **more: Any,  # noqa: ANN401 - the other fields of `SettingInfo`
) -> Any:  # noqa: ANN401 - a field of any type
    """Return a field with its meaning; one with an `example` is a table, empty by default.

    The first of a `subject` names it for those after it.
    """
    metadata = {"meaning": meaning, "accepts": accepts, **more}
    if "example" in more:
        return field(default_factory=dict, metadata=metadata)
    return field(default=default, metadata=metadata)


@dataclass(frozen=True)
class Settings:
    """The settings of memory, with their defaults. Values are checked where they are loaded.

    A program derives its own from it, and names that class to `extend_settings`.
    """

    enabled: bool = setting(
        "Capture and inject memories; false also turns off the hooks.", True, subject="Memory"
    )
    memory_place: Literal["user", "untracked", "tracked"] = setting(
        "Where the memory of a project begins: `user` (your data folder), `untracked` (in the "
        "project, left out by git) or `tracked` (in the project). Until you set it, it holds for "
        "hooks and servers, and what you add by a command begins in the project.",
        "user",
        Accepts(options=_PLACES),
        is_personal=True,
    )
    memory_off: str = setting(
        "Projects without memory, separated by commas: folders (`~/work/acme/**`) or remotes "
        "(`github.com/acme/*`).",
        "",
        Accepts(),
        is_personal=True,
    )
    backend: str = setting(
        "Database that keeps the memory of all your projects instead of files: "
        "postgresql://user@host/database, without a password.",
        "",
        Accepts(check=check_backend),
        is_personal=True,
    )
    redact_personal_data: bool = setting(
        "Redact e-mail addresses and telephone numbers as secrets are, when stored and when shown.",
        False,
        is_personal=True,
    )
    max_memories_per_capture: int = setting(
        "Most memories that one capture may store.",
        50,
        whole(1, 50),
        former="max_observations_per_capture",
        subject="Capture",
    )
    capture_level: Literal["usual", "project", "mine", "team"] = setting(
        "Level of what is captured, and added without a level: `project`, `team` or `mine`; "
        "`usual` is `project`, but `team` where you set `backend`, or `memory_place` to `tracked`.",
        "usual",
        Accepts(options=_LEVELS),
        personal_values=("mine", "team"),
    )
    review: Literal["after", "before"] = setting(
        "When you approve what agents write: `after` stores it at once, to be undone; `before` has "
        "it wait in the inbox, and nothing is injected that you have not approved.",
        "after",
        Accepts(options=("after", "before")),
        personal_values=("after",),
    )
    capture_program: str = setting(
        "Client (`claude-code`) or command (`ollama run …`) whose language model captures; it gets "
        "the session, without secrets. Empty uses rules.",
        "",
        Accepts(check=check_program),
        is_personal=True,
    )
    max_tokens: int = setting(
        "Budget: most tokens that an injected text may take.",
        20_000,
        whole(0, _MOST_TOKENS),
        subject="Injection",
    )
    client_tokens: Mapping[str, int] = setting(
        "Most tokens injected when a client's session starts, up to `max_tokens`; 5,000 for "
        "clients not listed.",
        accepts=whole(0, _MOST_TOKENS),
        keys=Accepts(check=check_client),
        example={"gemini-cli": 8000},
    )
    recall_at_start: bool = setting("Inject memories when a session starts.", True)
    recall_on_prompt: bool = setting("Inject memories that answer a prompt.", True)
    recall_before_edit: bool = setting(
        "Inject what is known about a file before an agent edits it, once per session.", True
    )
    recall_after_failure: bool = setting(
        "Inject the known fix when an agent's command fails with the same error.", True
    )
    recall_hint: bool = setting(
        "End the text injected at the start with the command that adds a memory.", True
    )
    recall_weights: Mapping[str, float] = setting(
        "Weights of the ranking factors, replacing the profile's; negative ones count against. "
        "Those of the levels `mine`, `project` and `team` are 1.",
        accepts=Accepts(float, -1e9, 1e9),
        keys=Accepts(check=check_factor),
        example={"recency": 0.5, "path": 0.4},
    )
    context_limit: int = setting(
        "Context size of the agent in tokens, for the budget report.",
        200_000,
        whole(1_000, 10**9),
    )
    stale_archive_after_days: int = setting(
        "Days after which a memory that was not injected is stale.",
        90,
        whole(1, _MOST_DAYS),
        subject="Compaction and pruning",
    )
    auto_archive: bool = setting("Archive stale memories automatically after a capture.", False)
    auto_prune: bool = setting(
        "Archive what is beyond `capacities` automatically after a capture or `memory.store`, the "
        "least relevant first.",
        False,
    )
    capacities: Mapping[str, int] = setting(
        "Most active memories of a layer, for pruning; layers not listed have no limit.",
        accepts=whole(1, 10**9),
        keys=Accepts(options=_LAYERS),
        example={"episodic": 50, "semantic": 1000},
    )
    auto_compact: int = setting(
        "Minutes between automatic compactions of a vault; 0 turns them off.", 0, whole(0, 100_000)
    )
    compaction_min_age_days: float = setting(
        "Days before a memory may be compacted.", 7, Accepts(float, 0, _MOST_DAYS)
    )
    keep_messages: bool = setting(
        "Keep the messages of sessions, compressed, next to their digests; agents delete their "
        "own files. Never in git.",
        False,
        is_personal=True,
        subject="Sessions",
    )
    keep_messages_mb: int = setting(
        "Most megabytes that kept messages may take; the oldest are deleted first.",
        200,
        whole(1, _MOST_MB),
    )
    sessions_everywhere: bool = setting(
        "Let `memtui sessions --everywhere` search the sessions of all projects on this machine.",
        True,
        is_personal=True,
    )
    share_sessions: bool = setting(
        "Let git track session digests; false keeps them out of git.",
        False,
        is_personal=True,
    )
    sync_remote: str = setting(
        "Git repository through which `memtui sync` has your memories the same on all machines: a "
        "path, or an ssh address.",
        "",
        Accepts(check=check_repository),
        is_personal=True,
        subject="Sync",
    )
    sync_sessions: bool = setting("Sync the digests of sessions, too.", False, is_personal=True)
    sync_identity: str = setting(
        "File with the `age` identity by which what is synced is encrypted; empty for plain files.",
        "",
        Accepts(),
        is_personal=True,
    )
    activity_days: int = setting(
        "Days to keep entries of the activity log; recall counts stay.",
        365,
        whole(1, _MOST_DAYS),
        subject="Activity",
    )
    activity_mb: int = setting(
        "Most megabytes that the activity log may take; the oldest entries are deleted first.",
        100,
        whole(1, _MOST_MB),
    )
    recall_texts_days: int = setting(
        "Days to keep injected texts, shown in Activity.", 90, whole(1, _MOST_DAYS)
    )
    recall_texts_mb: int = setting(
        "Most megabytes that injected texts may take; the oldest are deleted first.",
        50,
        whole(1, _MOST_MB),
    )


_class_name = f"{__name__}:Settings"


def extend_settings(name: str) -> None:
    """Have settings be of another class, `module:Class`, which derives from `Settings`. It is
    loaded where something was chosen.
    """
    global _class_name
    _class_name = name


def settings_class() -> type[Settings]:
    module, _, name = _class_name.partition(":")
    found: type[Settings] = getattr(import_module(module), name)
    return found


def known_settings() -> Mapping[str, SettingInfo]:
    """Return every setting, by name, in the order of the template."""
    return _known(_class_name)


@cache
def _known(_: str) -> Mapping[str, SettingInfo]:
    known: dict[str, SettingInfo] = {}
    subject = ""
    for item in fields(settings_class()):
        subject = item.metadata.get("subject", subject)
        known[item.name] = _info(item, subject)
    return known


def _info(item: Field[Any], subject: str) -> SettingInfo:
    default = {} if item.default is MISSING else item.default
    return SettingInfo(item.name, default=default, **{**item.metadata, "subject": subject})
