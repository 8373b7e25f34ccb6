"""Settings: what a user or a project may choose, each field with its meaning."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

_LayerName = Literal["working", "episodic", "semantic", "procedural", "other"]
_Count = Annotated[int, Field(ge=1)]
_Weight = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class Settings(BaseModel):
    """The settings of memtui, with their defaults."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    enabled: bool = Field(
        default=True,
        description="Whether memory is captured and recalled at all; false also stops the hooks.",
    )
    max_tokens: int = Field(
        default=20_000,
        ge=0,
        description="The most tokens that an injected text may take (the budget).",
    )
    max_observations_per_capture: int = Field(
        default=50, ge=1, le=50, description="The most observations that one capture may leave."
    )
    stale_archive_after_days: int = Field(
        default=90, ge=1, description="Days after which an unrecalled observation counts as stale."
    )
    auto_archive: bool = Field(
        default=False,
        description="Whether stale observations go to the archive by themselves, after a capture.",
    )
    compaction_min_age_days: float = Field(
        default=7,
        ge=0,
        allow_inf_nan=False,
        description="Days that an observation is left alone by compaction.",
    )
    capacities: Mapping[_LayerName, _Count] = Field(
        default={},
        description="The most active observations of each layer, above which archiving is "
        "advised; a layer that is not named has no limit.",
        examples=[{"episodic": 50, "semantic": 1000}],
    )
    context_limit: int = Field(
        default=200_000,
        ge=1_000,
        description="Tokens of the agent's context, for the budget report.",
    )
    recall_weights: Mapping[str, _Weight] = Field(
        default={},
        description="What factors of recall count for, in place of the profile's own weights.",
        examples=[{"recency": 0.5, "relevance": 0.65}],
    )
    theme: str = Field(default="memtui", min_length=1, description="The app's theme.")
    keymap: Mapping[str, str] = Field(
        default={},
        description="Keys in place of the app's own: an action's name, and its keys, joined by "
        "commas.",
        examples=[{"archive": "f8,ctrl+d"}],
    )
    editor: str = Field(
        default="",
        description="The editor's command; empty means $VISUAL or $EDITOR. A project's file can't "
        "set it, since it comes with the repository and names a command to run.",
    )


NOT_FOR_PROJECTS = frozenset({"editor"})
"""Fields that a project's file can't set: whoever wrote it would run commands on our machine."""
