"""Everything that memory does to a disk, once each, on a memory in which it finds what it needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from store.agents.client import SessionFile
from store.agents.files import files_at
from store.clarifications.rules import Question
from store.evolving.interaction import Interaction
from store.model import Layout
from store.pipeline import AgentMemory, MemoryPipeline
from tests.store.factories import NOW, observation, record, write_issue

Act = Callable[[MemoryPipeline], object]
TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


class Operation(NamedTuple):
    """An operation, what is done before it, and how many days after that; `settings` hold then."""

    act: Act
    before: tuple[Act, ...] = ()
    days: float = 0
    settings: Mapping[str, Any] = MappingProxyType({})
    is_vault: bool = False
    is_new: bool = False


def _apply(how: str, *of: object, **also: object) -> Act:
    return lambda memory: memory.apply(getattr(memory, f"plan_{how}")(*of, **also))


def _do(how: str, *of: object) -> Act:
    return lambda memory: getattr(memory, how)(*of)


def _beside(memory: MemoryPipeline, name: str) -> Path:
    """A place beside the project, where no call is watched."""
    project = next(it for it in memory.path.parents if it.name == "project")
    return project.with_name(name)


def _store_and_settle(memory: MemoryPipeline) -> None:
    memory.store([NEW])
    memory.settle()


def _store_and_close(memory: MemoryPipeline) -> None:
    memory.store([NEW])
    memory.close()


# Clarifications


def _ask(asker: str = "engineer", asked: str = "architect", topic: str = "Leases") -> Act:
    question = Question(asker, asked, topic, "How long does one last?", blocking=True)
    return lambda memory: memory.clarifications.ask(29, question)


def _say(how: str, by: str = "architect") -> Act:
    return lambda memory: getattr(memory.clarifications, how)("CLR-29-001", by, "So.")


def _watch(memory: MemoryPipeline) -> object:
    return memory.clarifications.watch()


def _remember_what_was_settled(memory: MemoryPipeline) -> object:
    return memory.apply(memory.clarifications.plan_decision("CLR-29-001"))


# Sessions


def _sessions(memory: MemoryPipeline) -> list[SessionFile]:
    return list(files_at([_beside(memory, "day.jsonl")], "claude-code"))


def _capture(memory: MemoryPipeline) -> object:
    with _beside(memory, "day.jsonl").open("rb") as lines:
        return memory.capture(memory.plan_capture(lines, issue=29, environ={}))


def _capture_files(memory: MemoryPipeline) -> object:
    return memory.capture(memory.plan_captures(_sessions(memory), issue=29))


def _take_in(memory: MemoryPipeline) -> object:
    return memory.take_in(_sessions(memory))


def _keep_passage(memory: MemoryPipeline) -> object:
    passage = observation("Leases end after five seconds", session_id="s-day")
    return memory.apply(memory.plan_passage(passage))


def _checkpoint(chat: str = "s-1") -> Act:
    return lambda memory: memory.checkpoint("engineer", SAID, chat)


def _sleep(memory: MemoryPipeline) -> object:
    return memory.sleep("engineer", SAID, "Next: measure.", issue=29, chat_id="s-1")


def _inject(memory: MemoryPipeline) -> object:
    return memory.inject(memory.recall("engineer", 29, "locks"), "engineer", 29, session_id="s-1")


# Exchange and repair


def _import(memory: MemoryPipeline) -> object:
    return memory.apply(memory.plan_import(_beside(memory, "notes"), agent="engineer", issue=29))


def _copy(memory: MemoryPipeline) -> object:
    return memory.copy(memory.plan_copy(_beside(memory, "project") / "other"))


def _export(memory: MemoryPipeline) -> object:
    return memory.export_store(_beside(memory, "project") / "other")


def _forget(memory: MemoryPipeline) -> object:
    return memory.forget(memory.plan_forget(["obs-1"]))


def _repair(memory: MemoryPipeline) -> object:
    return memory.repair(memory.examine())


def _write(name: str, data: bytes) -> Act:
    """Another program writes a file of memory."""

    def write(memory: MemoryPipeline) -> object:
        place = memory.path / name
        place.parent.mkdir(exist_ok=True)
        return place.write_bytes(data)

    return write


def _break_off(memory: MemoryPipeline) -> None:
    """A merge of lines leaves both sides of an issue in its file, between git's signs."""
    place = memory.path / "issue-30.json"
    lines = place.read_text().splitlines(keepends=True)
    at = next(at for at, line in enumerate(lines) if '"summary"' in line)
    other = lines[at].replace("Locks", "All locks")
    lines[at:at] = ["<<<<<<< HEAD\n", other, "=======\n"]
    lines[at + 4 : at + 4] = [">>>>>>> feature\n"]
    place.write_text("".join(lines))


def _write_secrets(memory: MemoryPipeline) -> None:
    """Another program writes secrets into an issue, and beside the record."""
    write_issue(memory.path, 31, record("s-1", content=f"Deploy with {TOKEN}.", issueNumber=31))
    _write("sessions/s1.json", f'{{"decided": ["Deploy with {TOKEN}."]}}'.encode())(memory)


def _agent(act: Callable[[AgentMemory], object]) -> Act:
    return lambda memory: act(AgentMemory(memory, "engineer"))


SAID = ({"role": "user", "text": "Mend the lease"}, {"role": "agent", "text": "Done."})
TURN = Interaction("i-1", "Why is it red?", NOW, "T 1", "The lease.", ("read",), "Green.", True)
NEW = observation("Leases end after five seconds", tags=("lease",))
ELSEWHERE = observation("Readers need no lock", issue_number=31)
SAME = observation("Chose plain files for the record")
PINNED = {"pinned": True}
_PIN = _apply("edit", ["obs-1", "obs-3"], PINNED)
_ARCHIVE = _apply("archive", ["obs-1", "obs-3"])
_FULL = {"auto_archive": True, "auto_prune": True, "capacities": {"semantic": 2}}

RECORDS: dict[str, Operation] = {
    "store": Operation(_do("store", [NEW])),
    "store what is known": Operation(_do("store", [SAME])),
    "store in two issues": Operation(_do("store", [NEW, ELSEWHERE])),
    "add by a plan": Operation(_apply("add", [NEW])),
    "edit": Operation(_PIN),
    "edit what was recalled": Operation(_PIN, (_inject,)),
    "edit two months later": Operation(_PIN, (_ARCHIVE, _do("undo")), days=60),
    "tag": Operation(_apply("tag", ["obs-1", "obs-2"], ["disk"])),
    "archive": Operation(_ARCHIVE),
    "restore": Operation(_apply("restore", ["obs-1"]), (_ARCHIVE,)),
    "remove": Operation(_apply("remove", ["obs-1"])),
    "forget": Operation(_forget, (_PIN, _inject, _checkpoint())),
    "undo": Operation(_do("undo"), (_PIN,)),
    "redo": Operation(_do("redo"), (_ARCHIVE, _do("undo"))),
    "compact": Operation(_do("compact", 29), days=60),
    "prune": Operation(_apply("prune", "oldest_first", {"semantic": 1})),
    "layout": Operation(_apply("layout", Layout.EACH)),
    "undo a layout": Operation(_do("undo"), (_apply("layout", Layout.EACH),)),
    "store and settle": Operation(_store_and_settle),
    "store and close": Operation(_store_and_close),
    "begin": Operation(_do("store", [NEW]), is_new=True),
}
"""What is done to records; the last in a project without memory."""
EACH: dict[str, Operation] = {
    f"{name}, a file each": each._replace(before=(_apply("layout", Layout.EACH), *each.before))
    for name, each in RECORDS.items()
    if name in ("store", "edit", "archive", "restore", "remove", "undo", "compact")
}
"""The same where each memory has a file of its own."""
BESIDE: dict[str, Operation] = {
    "capture": Operation(_capture),
    "capture again": Operation(_capture, (_capture,)),
    "capture files": Operation(_capture_files),
    "capture and make room": Operation(_capture, days=100, settings=_FULL),
    "undo a capture": Operation(_do("undo"), (_capture,)),
    "take in": Operation(_take_in),
    "take in and keep messages": Operation(_take_in, settings={"keep_messages": True}),
    "take in again": Operation(_take_in, (_take_in,)),
    "undo taking in": Operation(_do("undo"), (_take_in,), settings={"keep_messages": True}),
    "redo taking in": Operation(_do("redo"), (_take_in, _do("undo"))),
    "keep a passage": Operation(_keep_passage, (_take_in,)),
    "checkpoint": Operation(_checkpoint()),
    "checkpoint again": Operation(_checkpoint(), (_checkpoint(),)),
    "recover": Operation(_do("recover", "engineer"), (_checkpoint(),)),
    "recover what expired": Operation(_do("recover"), (_checkpoint(), _checkpoint("s-2")), days=8),
    "recover what is damaged": Operation(
        _do("recover"), (_checkpoint(), _write("checkpoints/x.json", b"{"))
    ),
    "sleep": Operation(_sleep),
    "ask": Operation(_ask()),
    "ask again": Operation(_ask(), (_ask(), _say("answer"))),
    "answer": Operation(_say("answer"), (_ask(),)),
    "resolve": Operation(_say("resolve", "engineer"), (_ask(), _say("answer"))),
    "escalate": Operation(_say("escalate"), (_ask(),)),
    "abandon": Operation(_say("abandon", "engineer"), (_ask(),)),
    "watch": Operation(_watch, (_ask(),), days=1),
    "undo an answer": Operation(_do("undo"), (_ask(), _say("answer"))),
    "remember an answer": Operation(
        _remember_what_was_settled, (_ask(), _say("answer"), _say("resolve", "engineer"))
    ),
    "forget what was asked": Operation(_forget, (_ask(topic="Chose plain files for the record"),)),
    "inject": Operation(_inject),
    "inject again": Operation(_inject, (_inject,)),
    "record accesses": Operation(_do("record_accesses", "engineer", ["obs-1"], "Told.", 2)),
    "record a failure": Operation(_do("record_failure", "hook stop", "Too late.")),
    "add an interaction": Operation(_agent(lambda it: it.add_interaction(TURN))),
    "update a memory": Operation(_agent(lambda it: it.update_memory("obs-1", PINNED))),
    "delete a memory": Operation(_agent(lambda it: it.delete_memory("obs-1"))),
    "prune an agent": Operation(
        _agent(lambda it: it.prune_memories("least_relevant")),
        settings={"capacities": {"semantic": 1}},
    ),
    "import": Operation(_import),
    "copy": Operation(_copy, (_PIN, _inject)),
    "copy again": Operation(_copy, (_copy, _do("store", [NEW]))),
    "export": Operation(_export),
    "repair a broken file": Operation(_repair, (_write("issue-30.json", b"{cut"),)),
    "repair a conflict": Operation(_repair, (_break_off,)),
    "repair secrets": Operation(_repair, (_write_secrets,)),
    "repair what a crash left": Operation(
        _repair,
        (
            _write(".issue-29.json.1-00000000.tmp", b"half"),
            _write("issue-29.json.lock", b'{"agent": "engineer", "created": 0}'),
            _write("manifest.json", b"{"),
        ),
    ),
    "undo a repair": Operation(_do("undo"), (_write("issue-30.json", b"{cut"), _repair)),
}
"""What is done beside the records: sessions, clarifications, recalls, other places, repairs."""
VAULT: dict[str, Operation] = {
    f"{name}, in a vault": each._replace(is_vault=True)
    for name, each in {**RECORDS, **BESIDE}.items()
    if name
    in (
        "store",
        "store in two issues",
        "edit",
        "archive",
        "restore",
        "remove",
        "undo",
        "forget",
        "capture",
        "ask",
        "checkpoint",
        "inject",
    )
} | {
    "migrate a vault": Operation(_apply("migration"), is_vault=True),
    "compact a vault": Operation(
        lambda it: it.compact_vault(it.plan_vault_compaction()), days=60, is_vault=True
    ),
}
"""The most important of these in a vault of Markdown, and its own compaction."""
OPERATIONS = {**RECORDS, **EACH, **BESIDE, **VAULT}

EVERY = frozenset(
    {
        "store",
        "archive",
        "undo",
        "layout",
        "ask",
        "checkpoint",
        "inject",
        "store, a file each",
        "store, in a vault",
    }
)
"""Those of which each call is to fail; of the others, those that an operation has of its own."""
ALIKE = frozenset(
    {
        "tag",
        "add by a plan",
        "compact, a file each",
        "remove, a file each",
        "remove, in a vault",
        "ask, in a vault",
        "checkpoint, in a vault",
        "resolve",
        "escalate",
        "abandon",
        "inject again",
        "update a memory",
        "delete a memory",
        "redo taking in",
    }
)
"""Those that fail as another one does."""
