"""The parts of a session's context in words: what they are, when they are loaded, what overlaps."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from memtui.formatting import count, plural, short_name, short_path
from store.agent_context.overlaps import RECALL, Overlap, Sentence
from store.agent_context.service import HOOK, AgentContext, CountedPart
from store.agents.client import Loading
from store.agents.context_files import AGENT, COMMAND, INSTRUCTION, MEMORY, SKILL
from store.recall.reasons import Verdict

HEADINGS: Mapping[str, str] = MappingProxyType(
    {
        INSTRUCTION: "Instruction files",
        MEMORY: "Its own memory",
        SKILL: "Skills",
        AGENT: "Sub-agents",
        COMMAND: "Commands",
        HOOK: "Hooks of others",
        RECALL: "memtui",
    }
)
"""The categories of parts, in the order in which they are shown."""
_VERDICTS = MappingProxyType(
    {
        Verdict.REPEATED: "said twice",
        Verdict.CONTRADICTED: "contradicts",
        Verdict.SUPERSEDED: "another figure",
    }
)
_LATER = MappingProxyType(
    {
        Loading.MATCHING: "for {condition}",
        Loading.DESCRIPTION: "description; the agent asks for the rest",
        Loading.ASKED: "when it is asked for",
        Loading.ALLOWED: "once you allow imports from outside this folder",
        Loading.OFF: "switched off",
    }
)


def verdict_in_words(overlap: Overlap) -> str:
    return _VERDICTS[overlap.verdict]


def remark(counted: CountedPart) -> str:
    """What is to be known of a part: who imports it, what of it is left out and why."""
    part = counted.part
    if part.category == HOOK:
        return f"adds what `{part.rest}` prints"
    if part.category == RECALL:
        return "" if part.text else "not told: no hook of memtui runs at the start"
    parts = [f"imported by {part.importer}"] if part.importer else []
    if part.problem:
        parts.append(f"not read: {part.problem}")
    elif part.is_cut:
        lines = part.rest.count("\n") + (not part.rest.endswith("\n"))
        parts.append(f"{plural(lines, 'line')} cut off, {plural(counted.left_out, 'token')}")
    elif part.loading in _LATER:
        parts.append(_LATER[part.loading].format(condition=part.condition))
    return "; ".join(parts)


def facts_of(counted: CountedPart) -> str:
    """What is to be known of a part in a line: its tokens too, where it has any."""
    tokens = plural(counted.tokens, "token") if counted.part.text else ""
    return " · ".join(filter(None, (tokens, remark(counted))))


def tokens_in_words(counted: CountedPart) -> str:
    """The tokens of a part: a dash for none, a question mark where nobody knows them."""
    if counted.part.category == HOOK:
        return "?"
    return count(counted.tokens) if counted.part.text else "–"


def source_of(counted: CountedPart) -> str:
    """Name of a part's source: for a hook its event and file, a long path without its middle."""
    part = counted.part
    return "its start hook" if part.category == RECALL else short_name(short_path(part.name))


def place_of(context: AgentContext, sentence: Sentence) -> str:
    """The place of a sentence: `CLAUDE.md:12`, or the memory that has it."""
    if sentence.memory:
        return f"memory {sentence.memory[-6:]}"
    return f"{context.parts[sentence.part].part.name}:{sentence.line}"
