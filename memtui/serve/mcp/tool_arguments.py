"""What the tools take: a model of the arguments of each."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from memtui.serve.arguments import Arguments
from store.model import MAX_CONTENT

PAGE = 8
"""Hits on a page by default: with their lines they stay inside `ANSWER_BYTES`."""
MOST_HITS, MOST_IDS, MOST_PATHS, MOST_MEMORIES = 100, 20, 20, 20
CONTEXT_TOKENS = 900
"""Tokens of a context by default; fewer where they would not stay inside `ANSWER_BYTES`."""
MOST_TOKENS = 20_000
"""The largest context (SPEC-29's budget)."""

_Text = Annotated[str, Field(min_length=1, max_length=4_000)]
_Id = Annotated[str, Field(min_length=1, max_length=300)]
_Content = Annotated[str, Field(min_length=1, max_length=MAX_CONTENT)]
_Path = Annotated[str, Field(min_length=1, max_length=400)]
_Tag = Annotated[str, Field(min_length=1, max_length=50)]
_Category = Literal[
    "decision", "key-fact", "error", "lesson", "procedure", "code-change", "handoff", "task",
    "project",
]  # fmt: skip


class Search(Arguments):
    query: _Text
    limit: int = Field(PAGE, ge=1, le=MOST_HITS, description=f"Hits per page; {PAGE} by default.")
    cursor: str = Field("", max_length=40, description="`nextCursor` of the previous page.")


class Get(Arguments):
    ids: list[_Id] = Field(min_length=1, max_length=MOST_IDS)
    all: bool = Field(False, description="All in full at once, however long.")


class Context(Arguments):
    task: _Text = Field(description="The task, in your words.")
    budget: int = Field(
        CONTEXT_TOKENS,
        ge=50,
        le=MOST_TOKENS,
        description=f"Tokens of the text; {CONTEXT_TOKENS} by default.",
    )
    agent: str = Field("", max_length=200, description="Agent whose memories to prefer.")
    issue: int = Field(0, ge=0, description="Issue to prefer.")


class ForFiles(Arguments):
    paths: list[_Path] = Field(min_length=1, max_length=MOST_PATHS)


class NewMemory(Arguments):
    """One of several memories that `memory_add` takes."""

    content: _Content
    category: _Category
    issue: int = Field(0, ge=0, description="0 or none: the whole project.")
    tags: list[_Tag] = Field([], max_length=10)


class Add(Arguments):
    content: _Content = ""
    category: _Category | None = None
    issue: int = Field(0, ge=0, description="0 or none: the whole project.")
    tags: list[_Tag] = Field([], max_length=10)
    level: Literal["", "project", "mine"] = Field(
        "", description="`mine` for what the user wants in all projects; else leave it out."
    )
    memories: list[NewMemory] = Field([], min_length=1, max_length=MOST_MEMORIES)


class Update(Arguments):
    id: _Id
    content: _Content


class Remove(Arguments):
    id: _Id


class Outcome(Arguments):
    id: _Id
    helped: bool
    note: str = Field("", max_length=500)
