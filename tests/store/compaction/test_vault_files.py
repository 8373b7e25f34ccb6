"""What a vault's compaction takes from its conversations and its other files, by rows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from store import open_memory
from store.compaction.vault import (
    PROCESSED,
    Conversation,
    digest_of,
    extracted,
    is_long,
    log_of,
    read_side_files,
    trimmed,
)
from tests.store.factories import NOW, Clock, Ids, observation

_DAY = 86_400_000
_MILLIS = round(NOW.timestamp() * 1000)


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
    "line",
    [
        "we Decided to use it",
        "they chose the queue",
        "we will use the queue",
        "a decisão é esta aqui",
        "escolhemos a fila nova",
        "optamos por uma fila",
        "adotamos uma fila nova",
        "vamos usar uma fila",
        "we went with the queue",
        "we settled on the queue",
    ],
)
def test_the_words_of_a_decision(line: str) -> None:
    tags = "compacted,auto-extract"
    assert _left(_conversation(_said(line))) == [f"decision {tags}: {line!r}"]
    inside = line.replace("we ", "x").replace("they ", "x")
    assert _left(_conversation(_said(f"{inside} and I learned it"))) != []


@pytest.mark.parametrize(
    "line",
    [
        "I Learned how it ends",
        "it is important to wait",
        "note: the gate is shut",
        "aprendemos como acaba",
        "a lição foi esta aqui",
        "a discovery of the day",
        "an insight of the day",
        "descobrimos como acaba",
        "observed that it ends",
    ],
)
def test_the_words_of_a_lesson(line: str) -> None:
    assert _left(_conversation(_said(line))) == [f"lesson compacted,auto-extract: {line!r}"]


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


def test_a_full_kind_does_not_end_the_other() -> None:
    lines = [f"decided on number {at}" for at in range(12)] + ["learned of number 1"]
    assert _left(_conversation(_said("\n".join(lines))))[-1].startswith("lesson ")


def test_what_goes_of_a_long_conversation_leaves_a_handoff(snapshot: SnapshotAssertion) -> None:
    short = _conversation(*[_said(f"decided on number {at}") for at in range(20)])
    going = [_said(f"We said {at} {'word ' * 70}") for at in range(4)]
    long = _conversation(*going, *short.messages, kept="é")
    odd = _conversation(*[7, {"role": "agent"}] * 11, "said", None)
    assert json.loads(trimmed(odd)) == {"messages": [*[7, {"role": "agent"}] * 9, "said", None]}
    silent = _conversation(*[_said("decided on one", "user") for _ in range(21)])
    assert [is_long(it) for it in (short, long, silent)] == [False, True, True]
    told = {"short": _left(short), "long": _left(long), "silent": _left(silent)}
    whole = next(it.content for it in extracted(long, NOW) if it.category == "handoff")
    lines = [f"{name}: {it}" for name, them in told.items() for it in them]
    assert "\n".join([*lines, whole]) == snapshot
    kept = json.loads(trimmed(long))
    assert kept == {"messages": short.messages, "kept": "é"}
    assert trimmed(long).startswith(b'{\n  "messages": [\n    {')
    assert b"\\u00e9" in trimmed(long)


def test_the_log_is_that_of_the_vaults_own_program() -> None:
    figures = {"checkpoints": 1, "conversations": 2, "memories": 3, "legacy": 4, "other": 5}
    told = log_of(figures, "2026-03-01T12:00:00.000Z")
    assert told == (
        b'{\n  "timestamp": "2026-03-01T12:00:00.000Z",\n  "checkpointsCleaned": 1,\n'
        b'  "conversationsTrimmed": 2,\n  "vaultEntriesMerged": 3,\n  "indexRebuilt": true,\n'
        b'  "legacyFilesCleaned": 4\n}\n'
    )
    assert json.loads(log_of({}, "x"))["legacyFilesCleaned"] == 0


def _write(folder: Path, files: dict[str, str | bytes]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())


def _saved(millis: object) -> str:
    return json.dumps({"savedAt": millis})


def test_what_stands_beside_the_memories_of_a_vault(
    tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    talk = json.dumps({"messages": []})
    _write(
        tmp_path,
        {
            ".vault/checkpoints/a-week.json": _saved(_MILLIS - 7 * _DAY),
            ".vault/checkpoints/b-week-and-more.json": _saved(_MILLIS - 7 * _DAY - 1),
            ".vault/checkpoints/c-ahead.json": _saved(_MILLIS + 90 * _DAY),
            ".vault/checkpoints/d-text.json": _saved(str(_MILLIS)),
            ".vault/checkpoints/e-list.json": "[]",
            ".vault/checkpoints/f-none.json": "{}",
            ".vault/checkpoints/g-null.json": _saved(None),
            ".vault/checkpoints/.h-hidden.json": _saved(0),
            ".vault/checkpoints/i.txt": _saved(0),
            ".vault/index.json": "{}",
            "conversations/a.json": json.dumps({"agentId": "Dev One", "messages": [7, {}]}),
            "conversations/b.json": json.dumps({"agentId": 7, "messages": []}),
            "conversations/c.json": json.dumps({"messages": {}}),
            "conversations/d.json": "[]",
            "conversations/e.json": "{",
            "dev.md": "## Notes\n\nSaid\n",
            "dev/notes.md": "# Notes\n\nSaid\n",
            "new.md": "## Notes\n\nNot said\n",
            "new/notes.md": "# Notes\n\nSaid\n",
            "alone.md": "## Notes\n\nSaid\n",
            "latin.md": b"## Notes\n\nSa\xedd\n",
            "latin/notes.md": b"# Notes\n\nSa\xedd\n",
            "tech.md.bak": "x",
            "tech.bak": "x",
            "_project.md.bak": "x",
            ".vault/processed-conversations.json": '{"conversations/a.json": 7}',
        },
    )
    (tmp_path / "linked.md").symlink_to(tmp_path / "dev.md")
    (tmp_path / "dev" / "linked.md").symlink_to(tmp_path / "dev.md")
    (tmp_path / "linked").symlink_to(tmp_path / "dev")
    (tmp_path / "toward.md").write_text("## Notes\n\nSaid\n")
    (tmp_path / "toward").symlink_to(tmp_path / "dev")
    (tmp_path / "conversations" / "f.json").symlink_to(tmp_path / "conversations" / "a.json")
    (tmp_path / "conversations" / "g.json").write_text(talk)
    found = read_side_files(tmp_path, NOW)
    lines = [
        *(f"expired {it}" for it in found.expired),
        *(f"conversation {it.path} of {it.agent}: {it.messages}" for it in found.conversations),
        *(f"legacy {it}" for it in found.legacy),
        *(f"problem {it.place}: {it.kind} {dict(it.values)}" for it in found.problems),
        f"index {found.has_index}, processed {found.processed}",
    ]
    assert "\n".join(lines) == snapshot
    data = (tmp_path / "conversations" / "g.json").read_bytes()
    assert found.conversations[-1].digest == digest_of(data)
    (tmp_path / ".obsidian").mkdir()
    assert read_side_files(tmp_path, NOW).legacy == ("tech.md.bak",)


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


def test_an_empty_vault_has_nothing_beside_its_memories(tmp_path: Path) -> None:
    found = read_side_files(tmp_path, NOW)
    assert (found.expired, found.conversations, found.legacy, found.problems) == ((), (), (), ())
    assert (found.has_index, found.processed) == (False, {})
    (tmp_path / "theirs").mkdir()
    (tmp_path / "conversations").symlink_to(tmp_path / "theirs")
    (tmp_path / "theirs" / "a.json").write_text(json.dumps({"messages": []}))
    assert read_side_files(tmp_path, NOW).conversations == ()


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


def test_a_checkpoint_that_can_not_be_read_now_stays(tmp_path: Path) -> None:
    (tmp_path / ".vault" / "checkpoints" / "dev.json").mkdir(parents=True)
    assert read_side_files(tmp_path, NOW).expired == ()
