"""Settings: what a user or a project may choose, each field with its meaning."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from store.extension import named

if TYPE_CHECKING:
    from annotated_types import Ge, Le, Predicate


_LayerName = Literal["working", "episodic", "semantic", "procedural", "other"]


RENAMED_SETTINGS = MappingProxyType({"max_observations_per_capture": "max_memories_per_capture"})
"""What settings were called before; files and the environment may still say so."""


def check_factor(name: str) -> bool:
    """That recall has a factor of this name. Raises `ValueError`."""
    # Asked by name: recall stands above the settings.
    return bool(named("store.recall.profiles:check_factor")(name))


def check_client(name: str) -> bool:
    """That a client of this name can be told something. Raises `ValueError`."""
    return bool(named("store.recall.values:check_client")(name))


def check_backend(url: str) -> bool:
    """That a URL names a database and no password. Raises `ValueError`."""
    if url:
        named("store.backends:check_shared")(url)  # by name: what keeps memory stands above
    if re.search(r"://[^/@]*:[^/@]+@|[?&]password=", url):
        raise ValueError("keep passwords in ~/.pgpass or PGPASSWORD, not in settings")
    return True


def check_program(command: str) -> bool:
    """That a text is a command. Raises `ValueError`."""
    import shlex

    try:
        shlex.split(command)
    except ValueError as error:
        raise ValueError(f"not a valid command ({error})") from error
    return True


def setting(
    meaning: str,
    default: object = None,
    *,
    example: Mapping[str, Any] | None = None,
    options: tuple[str, ...] = (),
    is_personal: bool = False,
) -> Any:  # noqa: ANN401 - stands for a field of any type
    """A field with its meaning; one with an example is a table, empty by default.

    `options` are all it takes; what is personal a project's file can't set.
    """
    metadata = {
        "meaning": meaning,
        "example": example,
        "options": options,
        "is_personal": is_personal,
    }
    if example is not None:
        return field(default_factory=dict, metadata=metadata)
    return field(default=default, metadata=metadata)


@dataclass(frozen=True)
class Settings:
    """The settings of memory, with their defaults. Values are checked where they are loaded.

    A program derives its own from it, and names that class to `store.extension`.
    """

    CHECKS: ClassVar[Mapping[str, str]] = {}
    """What annotations hold values to, by name: loaded where something was chosen."""

    enabled: bool = setting("Capture and inject memories; false also turns off the hooks.", True)
    max_tokens: Annotated[int, Ge(0), Le(10_000_000)] = setting(
        "Budget: most tokens that an injected text may take.", 20_000
    )
    client_tokens: Mapping[
        Annotated[str, Predicate(check_client)], Annotated[int, Ge(0), Le(10_000_000)]
    ] = setting(
        "Most tokens injected when a client's session starts, up to `max_tokens`; 5,000 for "
        "clients not listed.",
        example={"gemini-cli": 8000},
    )
    max_memories_per_capture: Annotated[int, Ge(1), Le(50)] = setting(
        "Most memories that one capture may store.", 50
    )
    capture_program: Annotated[str, Predicate(check_program)] = setting(
        "Command that captures with a language model, such as `claude -p`; it gets the session, "
        "without secrets. Empty uses rules.",
        "",
        is_personal=True,
    )
    memory_place: Literal["user", "untracked", "tracked"] = setting(
        "Where the memory of a project begins: `user` (your data folder), `untracked` (in the "
        "project, left out by git) or `tracked` (in the project). Until you set it, it holds for "
        "hooks and servers, and what you add by a command begins in the project.",
        "user",
        options=("user", "untracked", "tracked"),
        is_personal=True,
    )
    stale_archive_after_days: Annotated[int, Ge(1), Le(36_500)] = setting(
        "Days after which a memory that was not injected is stale.", 90
    )
    auto_archive: bool = setting("Archive stale memories automatically after a capture.", False)
    auto_prune: bool = setting(
        "Archive what is beyond `capacities` automatically after a capture, the least relevant "
        "first.",
        False,
    )
    auto_compact: Annotated[int, Ge(0), Le(100_000)] = setting(
        "Minutes between automatic compactions of a vault; 0 turns them off.", 0
    )
    compaction_min_age_days: Annotated[float, Ge(0), Le(36_500)] = setting(
        "Days before a memory may be compacted.", 7
    )
    capacities: Mapping[_LayerName, Annotated[int, Ge(1), Le(10**9)]] = setting(
        "Most active memories of a layer, for pruning; layers not listed have no limit.",
        example={"episodic": 50, "semantic": 1000},
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
    context_limit: Annotated[int, Ge(1_000), Le(10**9)] = setting(
        "Context size of the agent in tokens, for the budget report.", 200_000
    )
    recall_weights: Mapping[
        Annotated[str, Predicate(check_factor)], Annotated[float, Ge(-1e9), Le(1e9)]
    ] = setting(
        "Weights of the ranking factors, replacing the profile's; negative ones count against.",
        example={"recency": 0.5, "doubt": -0.6},
    )
    recall_texts_days: Annotated[int, Ge(1), Le(36_500)] = setting(
        "Days to keep injected texts, shown in Activity.", 90
    )
    recall_texts_mb: Annotated[int, Ge(1), Le(1_000_000)] = setting(
        "Most megabytes that injected texts may take; the oldest are deleted first.", 50
    )
    activity_days: Annotated[int, Ge(1), Le(36_500)] = setting(
        "Days to keep entries of the activity log; recall counts stay.",
        365,
    )
    activity_mb: Annotated[int, Ge(1), Le(1_000_000)] = setting(
        "Most megabytes that the activity log may take; the oldest entries are deleted first.", 100
    )
    keep_messages: bool = setting(
        "Keep the messages of sessions, compressed, next to their digests; agents delete their "
        "own files. Never in git.",
        False,
        is_personal=True,
    )
    keep_messages_mb: Annotated[int, Ge(1), Le(1_000_000)] = setting(
        "Most megabytes that kept messages may take; the oldest are deleted first.", 200
    )
    backend: Annotated[str, Predicate(check_backend)] = setting(
        "Database that keeps the memory of all your projects instead of files: "
        "postgresql://user@host/database, without a password.",
        "",
        is_personal=True,
    )
    share_sessions: bool = setting(
        "Let git track session digests; false keeps them out of git.",
        False,
        is_personal=True,
    )
