"""The words that are kept in files, sent to programs and asked for by flags: none may change."""

from __future__ import annotations

from enum import StrEnum
from importlib import import_module

from syrupy.assertion import SnapshotAssertion

MODULES = (
    "store.action",
    "store.agents.hooks",
    "store.agents.transcript",
    "store.backends.text_kinds",
    "store.backends.vault.markdown",
    "store.clarifications.model",
    "store.clarifications.monitor",
    "store.compaction.model",
    "store.compaction.prune",
    "store.doctor.findings",
    "store.exchange.values",
    "store.merge.changes",
    "store.model",
    "store.operations.diff",
    "store.pipeline.related",
    "store.recall.block",
    "store.recall.profiles",
    "store.recall.reasons",
    "store.recall.values",
    "store.search.query",
    "store.sessions.conversation",
    "store.settings.mistakes",
    "store.statistics",
    "store.text.normalise",
    "store.text.tokens",
)


def test_words_that_others_know(snapshot: SnapshotAssertion) -> None:
    found = {
        f"{kind.__module__}.{kind.__name__}": {it.name: it.value for it in kind}
        for kind in (it for name in MODULES for it in vars(import_module(name)).values())
        if isinstance(kind, type) and issubclass(kind, StrEnum) and kind is not StrEnum
    }
    assert found == snapshot
