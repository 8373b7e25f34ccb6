"""What a vault's compaction takes from its conversations and its other files, by rows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from store import open_memory
from store.compaction.vault import PROCESSED, Conversation, digest_of, extracted, read_side_files
from tests.store.factories import NOW, Clock, Ids, observation


def _conversation(*messages: Any, **more: Any) -> Conversation:  # noqa: ANN401
    return Conversation("conversations/dev.json", "dev", {"messages": [*messages], **more}, "d")


def _said(text: str, role: str = "agent", **more: Any) -> dict[str, Any]:  # noqa: ANN401
    return {"role": role, "text": text, **more}


def _left(conversation: Conversation) -> list[str]:
    found = []
    for it in extracted(conversation, NOW):
        assert (it.agent, it.issue_number, it.timestamp) == ("dev", 0, NOW)
        told = it.content if len(it.content) < 80 else f"{it.content[:40]}.. {len(it.content)}"
        found.append(f"{it.category} {','.join(it.tags)}: {told!r}")
    return found


@pytest.mark.parametrize(
    ("message", "number"),
    [
        (_said("decided: sixteen"), 1),
        (_said("decided: fifteen"[:15]), 0),
        (_said("  decided: sixteen  "), 1),
        (_said("undecided what is taken"), 0),
        (_said("decided on the one", "Assistant"), 1),
        (_said("decided on the one", "ai"), 1),
        (_said("decided on the one", "MODEL"), 1),
        (_said("decided on the one", "bot"), 1),
        (_said("decided on the one", "user"), 0),
        (_said("decided on the one", ""), 0),
        ({"role": "agent", "content": "decided on the one"}, 1),
        ({"role": "agent", "text": 7, "content": "decided on the one"}, 0),
        ({"role": "agent"}, 0),
        ({"text": "decided on the one"}, 0),
        ("decided on the one", 0),
        (_said("decided on the one", internal=True), 0),
        (_said("decided on the one", internal=1), 1),
        (_said("decided on the one\ndecided on the one"), 1),
        (_said(f"decided {'x' * 300}\ndecided {'x' * 301}"), 1),
        (_said("\n".join(f"decided on number {at}" for at in range(12))), 10),
        (
            _said(
                f"decided {'x' * 300}\n" * 3 + "\n".join(f"decided on {at:07}" for at in range(9))
            ),
            10,
        ),
        (
            _said(
                "\n".join(f"decided {'x' * 300}{at}" for at in range(3))
                + "".join(f"\ndecided on {at:07}" for at in range(9))
            ),
            10,
        ),
        (_said("\n".join(f"learned of number {at}" for at in range(11))), 10),
    ],
)
def test_which_lines_of_a_conversation_are_kept(message: object, number: int) -> None:
    assert len(_left(_conversation(message))) == number


def _write(folder: Path, files: dict[str, str | bytes]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())


@pytest.mark.parametrize(
    ("flat", "goes"),
    [
        ("## Notes\n\nSaid\n", True),
        ("## Notes\n\nSaid\n\n## Lessons\n\nLearned\n", True),
        ("## Notes\n\nSaid\n\n## Lessons\n\nLearned more\n", False),
        ("## Notes\n\nSaid more\n\n## Lessons\n\nLearned\n", False),
        ("## Notes\n\nAlone\n", False),
    ],
)
def test_a_flat_file_goes_once_each_of_its_sections_is_an_entry(
    tmp_path: Path, flat: str, goes: bool
) -> None:
    said = {"dev/notes.md": "# Notes\n\nSaid\n", "dev/lessons.md": "# Lessons\n\nLearned\n"}
    _write(tmp_path, {"dev.md": flat, **said, "dev/more.txt": "Alone", "qa/notes.md": "Alone"})
    assert read_side_files(tmp_path, NOW).legacy == ("dev.md",) * goes


def test_what_was_looked_at_stays_known_and_what_changed_meanwhile_stays_whole(
    tmp_path: Path,
) -> None:
    messages = [_said(f"decided on number {at}") for at in range(22)]
    files: dict[str, str | bytes] = {
        f"conversations/{name}.json": json.dumps({"agentId": name, "messages": messages})
        for name in ("cut", "grown")
    }
    folder = tmp_path / ".memory"
    _write(folder, {**files, ".vault/processed-conversations.json": '{"gone.json": "x"}'})
    memory = open_memory(f"vault://{folder}", cache=tmp_path / "c", clock=Clock(), new_id=Ids())
    memory.store([observation("decided on number 0", agent="cut", issue_number=0)])
    plan = memory.vault.plan()
    assert plan.action.figures["conversations"] == 2
    grown = json.dumps(
        {"agentId": "grown", "messages": [*messages, _said("learned more")]}
    ).encode()
    (folder / "conversations/grown.json").write_bytes(grown)
    left = [dict(it.values) for it in memory.vault.compact(plan).left]
    assert left == [{"text": "conversations/grown.json has changed since; it was left unchanged."}]
    assert (folder / "conversations/grown.json").read_bytes() == grown
    cut = (folder / "conversations/cut.json").read_bytes()
    assert json.loads(cut)["messages"] == messages[2:]
    assert json.loads((folder / PROCESSED).read_bytes()) == {
        "conversations/cut.json": digest_of(cut),
        "gone.json": "x",
    }
    later = memory.vault.plan()
    assert [it.target for it in later.moves if it.target[:4] == "conv"] == [
        "conversations/grown.json"
    ]
    assert later.action.figures == {**plan.action.figures, "conversations": 1, "extracted": 2}
