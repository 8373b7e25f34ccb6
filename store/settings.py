"""Settings: what a user or a project may choose, each field with its meaning."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class Settings(BaseModel):
    """The settings of memtui, with their defaults."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    enabled: bool = Field(
        default=True, description="Whether memory is captured and recalled at all."
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
    context_limit: int = Field(
        default=200_000,
        ge=1_000,
        description="Tokens of the agent's context, for the budget report.",
    )
    theme: str = Field(default="memtui", description="The app's theme.")
    editor: str = Field(
        default="", description="The editor command; empty means $VISUAL or $EDITOR."
    )
