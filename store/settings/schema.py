"""Settings: what a user or a project may choose, each field with its meaning."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, Field, dataclass, field, fields
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args, get_type_hints

if TYPE_CHECKING:
    from annotated_types import Ge, Le, Predicate

    from store.choices import check_action, check_command, check_factor, check_keys, check_theme

_LayerName = Literal["working", "episodic", "semantic", "procedural", "other"]


def _said(meaning: str, default: object = None, *, example: Mapping[str, Any] | None = None) -> Any:  # noqa: ANN401 - stands for a field of any type
    """A field with its meaning; one with an example is a table, empty by default."""
    metadata = {"meaning": meaning, "example": example}
    if example is not None:
        return field(default_factory=dict, metadata=metadata)
    return field(default=default, metadata=metadata)


@dataclass(frozen=True)
class Settings:
    """The settings of memtui, with their defaults. Values are checked where they are loaded."""

    enabled: bool = _said(
        "Whether memory is captured and recalled at all; false also stops the hooks.", True
    )
    max_tokens: Annotated[int, Ge(0), Le(10_000_000)] = _said(
        "The most tokens that an injected text may take (the budget).", 20_000
    )
    max_observations_per_capture: Annotated[int, Ge(1), Le(50)] = _said(
        "The most observations that one capture may leave.", 50
    )
    stale_archive_after_days: Annotated[int, Ge(1), Le(36_500)] = _said(
        "Days after which an unrecalled observation counts as stale.", 90
    )
    auto_archive: bool = _said(
        "Whether stale observations go to the archive by themselves, after a capture.", False
    )
    compaction_min_age_days: Annotated[float, Ge(0), Le(36_500)] = _said(
        "Days that an observation is left alone by compaction.", 7
    )
    capacities: Mapping[_LayerName, Annotated[int, Ge(1), Le(10**9)]] = _said(
        "The most active observations of each layer, above which archiving is advised; a layer "
        "that is not named has no limit.",
        example={"episodic": 50, "semantic": 1000},
    )
    recall_on_prompt: bool = _said(
        "Whether a prompt about something new is told what memory knows of it.", True
    )
    recall_before_edit: bool = _said(
        "Whether an agent is told what is known of a file before it edits it, once a session.", True
    )
    recall_after_failure: bool = _said(
        "Whether an agent whose command failed is told the fix of the same error.", True
    )
    context_limit: Annotated[int, Ge(1_000), Le(10**9)] = _said(
        "Tokens of the agent's context, for the budget report.", 200_000
    )
    recall_weights: Mapping[
        Annotated[str, Predicate(check_factor)], Annotated[float, Ge(-1e9), Le(1e9)]
    ] = _said(
        "What factors of recall count for, in place of the profile's own weights; below 0 they "
        "count against.",
        example={"recency": 0.5, "repeats": -0.6},
    )
    recall_texts_days: Annotated[int, Ge(1), Le(36_500)] = _said(
        "Days that the text of an injection is kept, to be looked at again in Activity.", 90
    )
    recall_texts_mb: Annotated[int, Ge(1), Le(1_000_000)] = _said(
        "The most megabytes that texts of injections may take; the oldest go first.", 50
    )
    activity_days: Annotated[int, Ge(1), Le(36_500)] = _said(
        "Days that an entry of the activity log is kept; how often a memory was recalled stays.",
        365,
    )
    activity_mb: Annotated[int, Ge(1), Le(1_000_000)] = _said(
        "The most megabytes that the activity log may take; the oldest entries go first.", 100
    )
    share_sessions: bool = _said(
        "Whether the digests of sessions may be committed: false keeps them out of git.", False
    )
    theme: Annotated[str, Predicate(check_theme)] = _said(
        "The app's theme: memtui, or one of Textual's, such as nord, textual-light or ansi-dark.",
        "memtui",
    )
    keymap: Mapping[
        Annotated[str, Predicate(check_action)], Annotated[str, Predicate(check_keys)]
    ] = _said(
        "Keys in place of the app's own: an action's name, and its keys, joined by commas.",
        example={"archive": "f8,ctrl+d"},
    )
    editor: Annotated[str, Predicate(check_command)] = _said(
        "The editor's command; empty means $VISUAL or $EDITOR. A project's file can't set it, "
        "since it comes with the repository and names a command to run.",
        "",
    )


NOT_FOR_PROJECTS = frozenset({"editor", "share_sessions"})
"""Fields that a project's file can't set: whoever wrote it would run commands on our
machine, or have what was said in sessions committed."""


@dataclass(frozen=True, slots=True)
class SettingInfo:
    """What is known of a setting: its name, meaning and default, and for a table an example."""

    name: str
    meaning: str
    default: object
    example: Mapping[str, Any] | None

    @property
    def is_table(self) -> bool:
        """Whether the setting is a table of values."""
        return self.example is not None


def _info(item: Field[Any]) -> SettingInfo:
    default = {} if item.default is MISSING else item.default
    return SettingInfo(item.name, item.metadata["meaning"], default, item.metadata["example"])


SETTINGS: Mapping[str, SettingInfo] = {item.name: _info(item) for item in fields(Settings)}
"""Every setting, by name, in the order of the template."""


@dataclass(frozen=True, slots=True)
class Accepts:
    """What a setting takes: one of `options`, or a number from `least` to `most`, or any text."""

    options: tuple[str, ...] = ()
    least: float | None = None
    most: float | None = None
    is_whole: bool = False


def accepted(name: str) -> Accepts:
    """What the values of a setting are held to; of a table nothing is told."""
    from annotated_types import Ge, Le

    from store.choices import THEMES

    hint = _hints()[name]
    if hint is bool:
        return Accepts(("true", "false"))
    if name == "theme":
        return Accepts(THEMES)
    held = getattr(hint, "__metadata__", ())
    least = next((each.ge for each in held if isinstance(each, Ge)), None)
    most = next((each.le for each in held if isinstance(each, Le)), None)
    return Accepts((), least, most, get_args(hint)[:1] == (int,))  # type: ignore[arg-type]


def check_setting(name: str, value: object, *, strict: bool) -> Any:  # noqa: ANN401 - of the field's type
    """The value as the field takes it. `strict` takes no text for a number.

    Raises pydantic's `ValidationError`.
    """
    from pydantic import TypeAdapter

    return TypeAdapter(_hints()[name]).validate_python(value, strict=strict)


def _hints() -> dict[str, Any]:
    """The types of the fields, with what they are held to."""
    # Imported where something was chosen: most starts find nothing to check.
    import annotated_types

    from store import choices

    named = {**vars(annotated_types), **vars(choices)}
    return get_type_hints(Settings, localns=named, include_extras=True)
