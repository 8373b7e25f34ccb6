"""A conversation of a vault's own program: what that program would keep of it is found."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

import pytest

from store import Memory, open_memory
from tests.store.backends.vault.vaults import make_vault
from tests.store.factories import NOW, Clock

SAVED = NOW - timedelta(hours=2)
TALK = [
    {"role": "user", "text": "We decided nothing, said the user"},
    {"role": "agent", "text": "We decided to use SSE.\nPlain line, of no kind."},
    {"role": "agent", "text": "Important: switch buffering off.\nDecidimos usar PostgreSQL."},
    {"role": "user", "text": "e depois?"},
    {"role": "agent", "text": "Aprendemos que o pool precisa de 20.\nWe went with Stripe."},
    {"role": "agent", "text": "We settled on what nobody is told.", "internal": True},
    {"role": "agent", "text": "Note: hooks are sent twice.\nObservamos lentidão no build."},
]
FOUND = {
    ("decision", "We decided to use SSE."),
    ("decision", "Decidimos usar PostgreSQL."),
    ("decision", "We went with Stripe."),
    ("lesson", "Important: switch buffering off."),
    ("lesson", "Aprendemos que o pool precisa de 20."),
    ("lesson", "Note: hooks are sent twice."),
    ("lesson", "Observamos lentidão no build."),
}


def _captured(memory: Memory, conversation: object) -> list[tuple[str, str, tuple[str, ...]]]:
    lines = [json.dumps(conversation).encode()]
    plan = memory.capture.plan(lines, session_id="dev")
    memory.capture.apply(plan)
    kept = [captured.observation for captured in plan.kept]
    return [(memory.category, memory.content, memory.tags) for memory in kept]


def _saved(messages: object) -> dict[str, object]:
    return {"agentId": "dev", "savedAt": SAVED.isoformat(), "messages": messages}


@pytest.mark.parametrize("place", ["memory", ".memory"])
def test_an_import_finds_what_compaction_of_the_vault_does(tmp_path: Path, place: str) -> None:
    with open_memory(tmp_path / place, cache=tmp_path / "cache", clock=Clock()) as memory:
        found = _captured(memory, _saved(TALK))
    kept = {(category, content) for category, content, tags in found if "auto-extract" in tags}
    assert kept == FOUND
    folder = make_vault(
        tmp_path / "other" / ".memory",
        {"_project.md": "# Shop\n", "conversations/dev.json": json.dumps(_saved(TALK))},
    )
    with open_memory(folder, cache=tmp_path / "cache", clock=Clock()) as vault:
        extracted = [change.after or {} for change in vault.vault.plan().changes]
    assert {(str(item["category"]), item["content"]) for item in extracted} == FOUND


def test_of_another_conversation_no_line_is_taken_for_a_decision(tmp_path: Path) -> None:
    with open_memory(tmp_path / "memory", cache=tmp_path / "cache", clock=Clock()) as memory:
        assert not _captured(memory, {"messages": TALK})
