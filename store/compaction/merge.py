"""Making one observation of several, within the limits and without losing a fact."""

from __future__ import annotations

import hashlib
from collections.abc import Container, Sequence
from datetime import UTC, datetime

from store.compaction.history import history_line, history_of_file, main_path
from store.compaction.model import Cluster, LeftOut, Reason
from store.compaction.statements import Dropped, Said, Telling, statement_lines, statements_by
from store.model import MAX_CONTENT, SESSION_MARK, Category, Layer, Observation, layer_of
from store.records import estimate_tokens, first_line
from store.text.facts import WORDS_KEPT, facts_of, missing_marks
from store.text.wiki_links import links_in

_RELATED_CONTENT = 1_500
_OPEN_BUNDLES = 4
JOINS = frozenset({Reason.ERROR_AND_FIX, Reason.FILE_HISTORY, Reason.RELATED})
"""Reasons to tell together what does not say the same; only the very same is then said once."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def newest_first(observations: Sequence[Observation]) -> list[Observation]:
    """The observations by falling date; those of one instant by their id."""
    return sorted(observations, key=lambda one: (_EPOCH - one.timestamp, one.id))


def merge(originals: Sequence[Observation], reason: Reason, about: str) -> list[Cluster]:
    """The clusters that `originals` become: as few as the limits of an observation allow.

    An original that fits in with no other is in no cluster.
    """
    exact = any(map(_is_merged, originals))
    bundles: list[_Bundle] = []
    for original in _in_order(originals, reason):
        if not any(bundle.take(original) for bundle in reversed(bundles[-_OPEN_BUNDLES:])):
            bundles.append(_Bundle(original, reason, exact=exact))
    return [bundle.cluster(about) for bundle in bundles if len(bundle.originals) > 1]


def merge_whole(originals: Sequence[Observation], reason: Reason, about: str) -> Cluster | None:
    """The one cluster of all `originals`, if the limits allow one."""
    first, *others = _in_order(originals, reason)
    bundle = _Bundle(first, reason, exact=any(map(_is_merged, originals)))
    if all(bundle.take(original, always=True) for original in others):
        return bundle.cluster(about)
    return None


def merged_observation(
    originals: Sequence[Observation], content: str, summary: str, category: str
) -> Observation:
    """The observation that stands for `originals`: the newest one's date, agent and session.

    Recall counts and sightings are summed, tags and unknown keys united; `sources` are the ids.
    """
    newest = newest_first(originals)[0]
    sources = tuple(original.id for original in originals)
    recalled = [one.last_recalled for one in originals if one.last_recalled]
    extra = {
        key: value for one in reversed(newest_first(originals)) for key, value in one.extra.items()
    }
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
        extra=extra,
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


def is_lasting(category: str) -> bool:
    """Observations of a category claim to be true still, rather than tell an event."""
    return layer_of(category) in (Layer.SEMANTIC, Layer.PROCEDURAL)


def _is_merged(observation: Observation) -> bool:
    """Whether it stands for others already: what these said must not wear away by and by."""
    return any(not source.startswith(SESSION_MARK) for source in observation.sources)


class _Bundle:
    """Observations being told as one, as long as they fit.

    `exact` folds a statement only into one that has all of its words.
    """

    def __init__(self, first: Observation, reason: Reason, *, exact: bool) -> None:
        self.originals = [first]
        self._reason = reason
        self._path = main_path(first.content)[1] if reason is Reason.FILE_HISTORY else ""
        share = 1.0 if reason in JOINS or exact else WORDS_KEPT
        self._telling = self._merged_text(Telling(is_lasting(first.category), share), first)

    def take(self, original: Observation, *, always: bool = False) -> bool:
        """Take an original in, if the whole still fits and (or `always`) there is a reason to."""
        telling = self._merged_text(self._telling.copy(), original)
        limit = _RELATED_CONTENT if self._reason is Reason.RELATED else MAX_CONTENT
        folds = len(telling.dropped) > len(self._telling.dropped)
        if self._reason is Reason.DUPLICATE:
            # What says the same adds nothing: whatever is left over belongs to its own memory.
            alone = self._merged_text(Telling(self._telling.lasting, self._telling.share), original)
            if len(telling.told) > max(len(self._telling.told), len(alone.told)):
                return False
        if len(self._text(telling)) > limit or not (always or folds or self._reason in JOINS):
            return False
        self.originals.append(original)
        self._telling = telling
        return True

    def cluster(self, about: str) -> Cluster:
        """The cluster of the originals taken."""
        content = self._content()
        told = {one.said.text for one in self._telling.told}
        newest = newest_first(self.originals)[0]
        same = content == newest.content
        category = newest.category
        if self._reason is Reason.ERROR_AND_FIX:
            category = Category.ERROR
        return Cluster(
            reason=self._reason,
            originals=tuple(newest_first(self.originals)),
            merged=merged_observation(
                newest_first(self.originals),
                content,
                newest.summary if same and newest.summary else first_line(content),
                category,
            ),
            about=about,
            left_out=tuple(_left_out(dropped, told, content) for dropped in self._telling.dropped),
        )

    def _merged_text(self, telling: Telling, original: Observation) -> Telling:
        for said in self._statements(original):
            telling.tell(said)
        return telling

    def _statements(self, original: Observation) -> list[Said]:
        if self._reason is Reason.FILE_HISTORY:
            return history_of_file(original)
        label = ""
        if self._reason is Reason.ERROR_AND_FIX and original.category != Category.ERROR:
            label = "Fix: "
        return statements_by(original.id, original.content, original.timestamp, label)

    def _text(self, telling: Telling) -> str:
        if self._reason is Reason.FILE_HISTORY:
            return history_line(self._path, telling.told)
        return statement_lines(telling.told)

    def _content(self) -> str:
        """The text told; the original's own, as it is written, where it says everything alone."""
        said = [one.said for one in self._telling.told]
        for original in self.originals:
            if said == self._statements(original):
                return original.content
        return self._text(self._telling)


def _in_order(originals: Sequence[Observation], reason: Reason) -> list[Observation]:
    """Newest first, since later statements take the place of earlier; errors before fixes."""
    ordered = newest_first(originals)
    if reason is Reason.ERROR_AND_FIX:
        ordered.sort(key=lambda one: one.category != Category.ERROR)
    return ordered


def _left_out(dropped: Dropped, told: Container[str], content: str) -> LeftOut:
    said = dropped.said.text
    return LeftOut(
        observation_id=dropped.said.by,
        statement=said,
        instead=dropped.instead.text,
        superseded=dropped.superseded,
        missing=() if said in told else missing_from(content, said),
    )


def missing_from(content: str, said: str) -> tuple[str, ...]:
    """The words and marks of a statement that a text lacks."""
    held, fact = facts_of(content), facts_of(said)
    return tuple(sorted(missing_marks(held, fact) | (fact.words - held.words)))


def _merged_id(newest: Observation, sources: Sequence[str]) -> str:
    """An id in the store's form; its last letters are a hash of the sources, so that the same
    observations always merge into the same one.
    """
    agent = "".join(
        letter for letter in newest.agent.lower() if letter.isascii() and letter.isalnum()
    )
    milliseconds = (newest.timestamp - _EPOCH) // (datetime.resolution * 1_000)
    digest = hashlib.sha256("\n".join(sorted(sources)).encode("utf-8", "surrogatepass")).digest()
    number = int.from_bytes(digest)
    letters = ""
    for _ in range(6):
        number, place = divmod(number, 36)
        letters += "0123456789abcdefghijklmnopqrstuvwxyz"[place]
    return f"obs-{agent[:20]}-{newest.issue_number}-{max(milliseconds, 0)}-{letters}"
