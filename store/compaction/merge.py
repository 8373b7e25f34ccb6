"""Making one observation of several."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import UTC, datetime

from store.compaction.cover import Item, restatement
from store.compaction.model import Cluster, LeftOut, Reason
from store.model import MAX_CONTENT, Category, Observation
from store.records import base36, estimate_tokens, first_line
from store.text.facts import facts_of, missing_marks
from store.text.wiki_links import links_in

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def newest_first(observations: Sequence[Observation]) -> list[Observation]:
    """Return the observations by falling date; those of one instant by their id."""
    return sorted(observations, key=lambda one: (_EPOCH - one.timestamp, one.id))


def latest_handoffs(observations: Sequence[Observation]) -> frozenset[str]:
    """Return the ids of the last handoff of each agent in each issue. Expects the newest first."""
    latest: dict[tuple[str, int], str] = {}
    for one in observations:
        if one.category == Category.HANDOFF:
            latest.setdefault((one.agent, one.issue_number), one.id)
    return frozenset(latest.values())


def merge(base: Observation, originals: Sequence[Observation]) -> Cluster:
    """Return the cluster that `originals` become, with the text of `base`, which covers them."""
    summary = base.summary or first_line(base.content)
    ordered = newest_first(originals)
    merged = merged_observation(ordered, base.content, summary, base.category)
    left_out = _left_out(merged, ordered)
    is_superseded = any(left.superseded for left in left_out)
    return Cluster(
        reason=Reason.SUPERSEDED if is_superseded else Reason.DUPLICATE,
        originals=tuple(ordered),
        merged=merged,
        left_out=left_out,
    )


def _left_out(merged: Observation, originals: Sequence[Observation]) -> tuple[LeftOut, ...]:
    """Return the statements that the merged text has in other words, or that gave way to it."""
    base = Item(merged)
    held = facts_of(merged.content)
    left_out: list[LeftOut] = []
    for original in originals:
        for statement in Item(original).statements:
            instead = restatement(base, statement)
            if instead and instead.text == statement.text:
                continue
            words = statement.facts.words
            closest = max(base.statements, key=lambda one: len(one.facts.words & words))
            missing = missing_marks(held, statement.facts) | (words - held.words)
            left_out.append(
                LeftOut(
                    observation_id=original.id,
                    statement=statement.text,
                    instead=(instead or closest).text,
                    superseded=instead is None,
                    missing=tuple(sorted(missing)),
                )
            )
    return tuple(left_out)


def merged_observation(
    originals: Sequence[Observation], content: str, summary: str, category: str
) -> Observation:
    """Return the observation that replaces `originals` (newest first), with the newest one's date,
    agent and session.

    Recall counts and sightings are summed, tags and unknown keys united; `sources` are the ids.
    """
    newest = originals[0]
    sources = tuple(original.id for original in originals)
    recalled = [one.last_recalled for one in originals if one.last_recalled]
    content = _with_links(content, originals)
    return newest._replace(
        id=_merged_id(newest, sources),
        category=category,
        content=content,
        summary=summary,
        tokens=estimate_tokens(content),
        recall_count=sum(original.recall_count for original in originals),
        relevance_score=max(original.relevance_score for original in originals),
        tags=tuple(dict.fromkeys(tag for original in originals for tag in original.tags)),
        last_recalled=max(recalled, default=None),
        sources=sources,
        seen_count=sum(original.seen_count for original in originals),
        extra={key: value for one in reversed(originals) for key, value in one.extra.items()},
    )


def _with_links(content: str, originals: Sequence[Observation]) -> str:
    """The content with a line of the links that only what it leaves out has, as many as fit."""
    kept = set(links_in(content))
    links = dict.fromkeys(link for one in originals for link in links_in(one.content))
    line = ""
    for link in (link for link in links if link not in kept):
        longer = f"{line}, [[{link}]]" if line else f"\n\nSee [[{link}]]"
        if len(content) + len(longer) > MAX_CONTENT:
            break
        line = longer
    return content + line


def _merged_id(newest: Observation, sources: Sequence[str]) -> str:
    """Return an id in the store's form; its last letters are a hash of the sources, so that the
    same observations always merge into the same one.
    """
    agent = "".join(
        letter for letter in newest.agent.lower() if letter.isascii() and letter.isalnum()
    )
    milliseconds = (newest.timestamp - _EPOCH) // (datetime.resolution * 1_000)
    digest = hashlib.sha256("\n".join(sorted(sources)).encode("utf-8", "surrogatepass")).digest()
    letters = base36(int.from_bytes(digest), 6)
    return f"obs-{agent[:20]}-{newest.issue_number}-{max(milliseconds, 0)}-{letters}"
