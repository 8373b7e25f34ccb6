"""What a client has in a session's context at its start, part by part."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from store.action import Action, ActionKind
from store.agent_context.overlaps import RECALL, Overlap, overlaps_of
from store.agents.client import Client, Home, Loading
from store.agents.context_files import ContextPart, context_parts, described_parts
from store.agents.hook_files import other_hooks
from store.model import Observation
from store.operations.instruction_lines import check_instruction_file, instruction_file
from store.operations.plan import LineChange, Plan
from store.platform.project import project_of
from store.recall.values import Recall, family_of
from store.text.display import visible
from store.text.tokens import counter_for

HOOK = "hook"
"""The category of hooks of others: what they will print is not known."""


class CountedPart(NamedTuple):
    """A part of a context, the tokens that it takes there, and those of what is not in it."""

    part: ContextPart
    tokens: int
    left_out: int


class AgentContext(NamedTuple):
    """All that a client has in the context of a session in `folder` when it starts, as far as it is
    known, and what in it repeats or contradicts other parts.
    """

    client: Client
    folder: Path
    parts: tuple[CountedPart, ...]
    overlaps: tuple[Overlap, ...]
    recall: Recall

    @property
    def tokens(self) -> int:
        """Sum of the tokens of all parts."""
        return sum(part.tokens for part in self.parts)


class AgentContexts:
    """What clients have in a session's context at its start."""

    def read(
        self, client: Client, folder: Path, home: Home, recall: Recall, *, is_hooked: bool = True
    ) -> AgentContext:
        """Read what a client has at the start of a session in a folder. Changes nothing.

        `recall` is what memory adds to it, unless it is not `is_hooked`.
        """
        folder = folder.absolute()
        parts = [
            *context_parts(client, folder, home, below=True),
            *described_parts(client, folder, home),
            *_hooks(client, folder, home),
            *_recalled(recall, is_hooked=is_hooked),
        ]
        counter = counter_for(family_of(client.name))
        counted = [
            CountedPart(part, counter.count(part.text), counter.count(part.rest)) for part in parts
        ]
        return AgentContext(client, folder, tuple(counted), overlaps_of(parts, recall), recall)

    def plan_instruction(self, context: AgentContext, memory: Observation, name: str = "") -> Plan:
        """Return a plan that writes a memory, as it may be shown, into an instruction file that a
        client reads in a project, by default the one that it has; an empty one where it reads none.

        The memory stays, but recall leaves it out for that client: its file has it. Raises
        `InvalidObservation` for a name of no such file.
        """
        if name:
            check_instruction_file(context.client, name)
        else:
            name = instruction_file(context.client, [part.part.name for part in context.parts])
        text = " ".join(visible(memory.content, newlines=False).split())
        lines = (LineChange(name, f"- {text}", memory.id),) if name else ()
        return Plan(Action(ActionKind.INSTRUCT, {"memories": 1}), lines=lines)


def _hooks(client: Client, folder: Path, home: Home) -> Iterator[ContextPart]:
    project = project_of(folder)
    root = project.root if project else folder
    for file, entry in other_hooks(client, home, root):
        place = file.relative_to(root) if file.is_relative_to(root) else file
        yield ContextPart(HOOK, f"{entry.event} in {place.as_posix()}", "", entry.line, file)


def _recalled(recall: Recall, *, is_hooked: bool) -> Iterator[ContextPart]:
    if recall.text and is_hooked:
        yield ContextPart(RECALL, "memtui", recall.text)
    elif recall.text:
        yield ContextPart(RECALL, "memtui", "", recall.text, loading=Loading.OFF)
