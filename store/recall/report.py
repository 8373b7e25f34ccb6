"""The context budget report (SPEC-29): what fills an agent's context, and memory's part in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from store.recall.values import Recall

CATEGORIES = ("instruction", "skill", "agent-def", "template", "memory", "conversation")
MEMORY = "memory"
_STATUS = ((90, "CRITICAL"), (75, "WARNING"), (50, "OK"), (0, "GOOD"))
_MOST_ITEMS = 15


@dataclass(frozen=True, slots=True)
class ContextItem:
    """Something that takes room in an agent's context; `category` is one of `CATEGORIES`."""

    category: str
    name: str
    tokens: int


def memory_items(recall: Recall) -> list[ContextItem]:
    """The recalled memory as items of the context: one a category, and what packages them."""
    items = [
        ContextItem(MEMORY, f"recalled {category}", tokens)
        for category, tokens in recall.tokens_by_category.items()
    ]
    packaging = recall.tokens - sum(item.tokens for item in items)
    if packaging > 0:
        items.append(ContextItem(MEMORY, "headings, fence and index", packaging))
    return items


def budget_report(recall: Recall, context_limit: int, others: Sequence[ContextItem] = ()) -> str:
    """Return the report as Markdown: the total, a status, a table by category, and the largest
    items.

    `context_limit` is the size of the agent's context in tokens; `others` are what fills it beside
    the recalled memory.
    """
    items = [*others, *memory_items(recall)]
    total = sum(item.tokens for item in items)
    percent = round(100 * total / context_limit) if context_limit else 0
    by_category = Counter[str]()
    counts = Counter[str]()
    for item in items:
        by_category[item.category] += item.tokens
        counts[item.category] += 1
    unknown = sorted(by_category.keys() - set(CATEGORIES))
    lines = [
        "## Context Budget Report",
        "",
        f"Total: ~{total:,} / {context_limit:,} tokens ({percent}%)",
        f"Status: {status_of(percent)}",
        "",
        "| Category | Tokens | Items |",
        "| --- | ---: | ---: |",
        *(
            f"| {category} | {by_category[category]:,} | {counts[category]} |"
            for category in (*CATEGORIES, *unknown)
        ),
        "",
        "### Memory",
        "",
        *_memory_lines(recall),
    ]
    largest = sorted(items, key=lambda item: (-item.tokens, item.name))[:_MOST_ITEMS]
    if largest:
        lines += ["", "### Items", ""]
        lines += [f"- {item.name} ({item.category}): {item.tokens:,}" for item in largest]
    return "\n".join(lines) + "\n"


def status_of(percent: int) -> str:
    """Fullness of a context, in a word."""
    return next(word for least, word in _STATUS if percent >= least)


def _memory_lines(recall: Recall) -> list[str]:
    share = round(100 * recall.tokens / recall.limits.tokens) if recall.limits.tokens else 0
    lines = [
        f"Recalled: {len(recall.included)} of {len(recall.candidates)} candidates",
        f"Tokens: {recall.tokens:,} / {recall.limits.tokens:,} ({share}%), "
        f"{recall.counter or 'not counted'}",
    ]
    if recall.limits.length is not None:
        used = recall.limits.measure(recall.text)
        lines.append(f"{recall.limits.unit.title()}: {used:,} / {recall.limits.length:,}")
    return lines
