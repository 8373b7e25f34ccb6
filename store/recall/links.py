"""How candidates hang together: messages and the memories captured from them, statements and those
that amend them. Pure.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from store.model import SESSION_MARK, Layer, Observation, layer_of
from store.recall.values import Candidate, Kind
from store.text.amendment import is_amendment, sameness
from store.text.content_words import content_words, covered

_COVERED = 0.7
"""The share of a message's content words that a memory must have to stand for it."""
_LEADING = 20
"""How many of the most relevant are looked at for what amends them."""


def on_one_scale(candidates: Sequence[Candidate]) -> list[Candidate]:
    """The candidates with each signal from 0 to 1, 1 being the best of all kinds."""
    best: dict[str, float] = defaultdict(float)
    for candidate in candidates:
        for name, value in candidate.signals.items():
            if value > best[name]:
                best[name] = value
    most = {name: value or 1 for name, value in best.items()}
    return [
        _scaled(candidate, most) if candidate.signals else candidate for candidate in candidates
    ]


def _scaled(candidate: Candidate, most: Mapping[str, float]) -> Candidate:
    """A candidate with each signal as a share of the most that any has; made anew, which takes a
    third of the time that replacing a field does.
    """
    signals = {name: value / most[name] for name, value in candidate.signals.items()}
    return candidate._replace(signals=signals)


def with_captured(candidates: Sequence[Candidate]) -> list[Candidate]:
    """The candidates, a memory as relevant as the messages that it was captured from, and such a
    message with the memory that says the same.
    """
    messages = {
        it.observation.id: at for at, it in enumerate(candidates) if it.kind is Kind.MESSAGE
    }
    linked = list(candidates)
    for at, it in enumerate(candidates) if messages else ():
        if it.kind is not Kind.MEMORY:
            continue
        for source in messages_of(it.observation):
            if (place := messages.get(source)) is None:
                continue
            message = linked[place]
            linked[at] = _as_relevant(linked[at], message)
            said = content_words(message.observation.content)
            if covered(said, content_words(it.observation.content)) >= _COVERED:
                linked[place] = message._replace(kept_as=it.observation.id)
    return linked


def with_amendments(candidates: Sequence[Candidate]) -> list[Candidate]:
    """The candidates, those that another one amends with its id; that one is as relevant as they.

    One amends another that it names among its sources, and a message that such a memory came from;
    one that says that it changes something amends the earlier ones of the most relevant that speak
    of the same matter, in another session.
    """
    ids = {it.observation.id: at for at, it in enumerate(candidates)}
    linked = list(candidates)
    for at, it in enumerate(candidates):
        newer = it.observation
        for source in newer.sources:
            if (place := ids.get(source)) is None or source == newer.id:
                continue
            for message in (source, *messages_of(candidates[place].observation)):
                _link(linked, ids.get(message), at)
    stating = [at for at, it in enumerate(candidates) if _is_statement(it)]
    leading = sorted(stating, key=lambda at: -candidates[at].signals.get("relevance", 0.0))[
        :_LEADING
    ]
    for at in stating:
        newer = candidates[at].observation
        if is_amendment(newer.content):
            for place in leading:
                if _is_amendment(newer, candidates[place].observation):
                    _link(linked, place, at)
    return linked


def messages_of(observation: Observation) -> list[str]:
    """The ids of the messages that a memory was captured from."""
    return [
        source.removeprefix(SESSION_MARK)
        for source in observation.sources
        if source.startswith(SESSION_MARK)
    ]


def _link(linked: list[Candidate], place: int | None, newer: int) -> None:
    """Note what amends a candidate, the first that was found; that one is as relevant."""
    if place is not None and not linked[place].amended_by:
        linked[place] = linked[place]._replace(amended_by=linked[newer].observation.id)
        linked[newer] = _as_relevant(linked[newer], linked[place])


def _as_relevant(candidate: Candidate, message: Candidate) -> Candidate:
    """A memory with the signals of a message, where these are greater."""
    signals = dict(candidate.signals)
    for name, value in message.signals.items():
        signals[name] = max(value, signals.get(name, 0.0))
    return candidate._replace(signals=signals)


def _is_statement(candidate: Candidate) -> bool:
    """The candidate states something that holds until it is changed."""
    if candidate.kind is Kind.MEMORY:
        return layer_of(candidate.observation.category) in (Layer.SEMANTIC, Layer.PROCEDURAL)
    return candidate.kind is Kind.MESSAGE


def _is_amendment(newer: Observation, older: Observation) -> bool:
    """A statement that says it changes something speaks of what an older one does."""
    if newer.timestamp <= older.timestamp or newer.session_id == older.session_id:
        return False
    return sameness(newer.content, older.content.partition("\n")[0]) > 0
