"""The operations of a vault that are killed at each of their calls."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path

from store import Memory, open_memory
from store.backends.vault.layout import SIDE
from store.errors import StoreError
from store.operations.apply import apply_plan
from store.validation.prepare import make_id
from tests.faults import scenarios as of_files
from tests.faults.harness import Acknowledge, Scenario, Subject, View
from tests.faults.scenarios import NOW, Operation, Planner, observation
from tests.store.factories import VaultStore

FOLDER = ".memory"
MINE = "notes/daily/Mine.md"
HAND = "# Mine\n\nWritten by hand, see [[1]].\n"
"""A note that no operation here is about: it stays word for word."""
TALK = [{"role": "agent", "text": f"We decided on number {n} of them"} for n in range(23)]
FLAT = "## Decisions\n\nflat text\n"
_ENTRY = re.compile(
    r"<!-- id:(?P<key>[0-9]+) -->\n## [^\n]*\n\n(?P<said>(?:(?!<!-- id:).)*?)\n\n---\n", re.S
)


def _open(folder: Path) -> VaultStore:
    return VaultStore(folder / FOLDER, clock=lambda: NOW, new_id=make_id)


def _add(folder: Path, text: str) -> None:
    _open(folder).store([observation(text, 0)])


def _texts(vault: Path) -> dict[str, str]:
    """The files of a vault by their names, as a change that is still to be written leaves them."""
    found = (*vault.rglob("*.md"), *vault.glob(f"{SIDE}/records.json"))
    texts = {path.relative_to(vault).as_posix(): path.read_text("utf-8") for path in found}
    for path in vault.glob(f"{SIDE}/pending/vault.json"):
        for name, change in json.loads(path.read_bytes())["files"].items():
            texts.pop(name, None)
            if change["is"] is not None:
                texts[name] = change["is"]
    return texts


def _view(folder: Path) -> View:
    """The entries of each issue, as who knows no more than the format reads them."""
    vault = folder / FOLDER
    texts = _texts(vault)
    side = json.loads(texts.pop(f"{SIDE}/records.json", '{"memories": {}}'))["memories"]
    view: dict[str, list[str]] = {}
    for path, text in texts.items():
        if path in (MINE, "dev.md"):
            continue
        if rest := _ENTRY.sub("", text).strip():
            raise ValueError(f"{path} is half written: {rest!r}")
        archived = path.startswith(".vault/archive/")
        for entry in _ENTRY.finditer(text):
            fields = side.get(f"{'archive/' * archived}{entry['key']}", {})
            issue = fields.get("issueNumber", {}).get("is", 0)
            said = f"{entry['said']} [archived]" if archived else entry["said"]
            view.setdefault(f"#{issue}", []).append(said)
    view["by hand"] = [texts[MINE]]
    if talk := _talk(vault):
        view["talk"] = talk
    if flat := [it for it in (vault / "dev.md", vault / "dev.md.bak") if it.exists()]:
        view["flat"] = [f"{it.name}: {it.read_text()}" for it in flat]
    return {issue: tuple(sorted(texts)) for issue, texts in view.items()}


def _talk(vault: Path) -> list[str]:
    """The conversation, in one of its two whole states: then all of it is in the trash."""
    path = vault / "conversations" / "dev.json"
    if not (vault / "conversations").exists():
        return []
    messages = json.loads(path.read_bytes())["messages"]
    kept = [json.loads(it.read_bytes()) for it in vault.glob(f"{SIDE}/trash/*dev.json")]
    if messages != TALK and {"agentId": "dev", "messages": TALK} not in kept:
        raise ValueError("what was cut off a conversation is nowhere")
    return [f"{len(messages)} messages"]


def _in_order(folder: Path) -> None:
    side = folder / FOLDER / SIDE
    assert (side / ".gitignore").read_text(), "the vault's own folder has no .gitignore"
    assert not (side / "pending" / "vault.json").exists(), "a change is still to be written"


_STAY = (".json", ".jsonl", ".md", ".md.bak", "/archive", "/operations", "/pending", "/trash")
VAULT = Subject(
    view=_view,
    listing=lambda folder: frozenset(),
    add=_add,
    in_order=_in_order,
    errors=(StoreError,),
    may_stay=lambda name: name.endswith((*_STAY, "/engineer", "/dev", ".json.new")),
)


def _scenario(name: str, operation: Operation, first: Planner | None = None) -> Scenario:
    """An operation on a vault that holds the texts of `SOME`, and a note written by hand."""

    def prepare(folder: Path) -> None:
        (folder / FOLDER / MINE).parent.mkdir(parents=True)
        (folder / FOLDER / MINE).write_text(HAND)
        store = _open(folder)
        for text in of_files.SOME:
            issue, _, rest = text.rpartition("/")
            store.store([observation(rest, int(issue or 29))])
        if first is not None:
            apply_plan(store, first(store), of_files.BEFORE)

    def run(folder: Path, acknowledge: Acknowledge) -> None:
        operation(_open(folder), acknowledge)

    return Scenario(f"{name}, a vault", VAULT, prepare, run)


def _by_door(name: str, operation: Callable[[Memory], object], files: dict[str, str]) -> Scenario:
    """An operation of a vault alone, with a flat file and a conversation to work on."""
    inner = _scenario(name, of_files._update)

    def prepare(folder: Path) -> None:
        inner.prepare(folder)
        for path, text in files.items():
            place = folder / FOLDER / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text)

    def run(folder: Path, acknowledge: Acknowledge) -> None:
        cache = Path(os.devnull) / "cache"
        with open_memory(folder / FOLDER, cache=cache, clock=lambda: NOW) as memory:
            operation(memory)
            acknowledge()
            of_files._wholly(memory.undo())
            acknowledge()

    return Scenario(inner.name, VAULT, prepare, run)


def _compact(memory: Memory) -> None:
    of_files._wholly(memory.vault.compact(memory.vault.plan()))


def _migrate(memory: Memory) -> None:
    of_files._wholly(memory.apply(memory.exchange.plan_migration()))


_TALK = json.dumps({"agentId": "dev", "messages": TALK})
VAULTS = [
    _scenario("store a batch", of_files._store_batch),
    _scenario("archive", of_files._apply(of_files._archive)),
    _scenario("undo an archive", of_files._undo, of_files._archive),
    _by_door("compact and undo", _compact, {"conversations/dev.json": _TALK}),
]
MORE = [
    _scenario("store two", of_files._store("first", "second")),
    _scenario("edit", of_files._apply(of_files._edit)),
    _scenario("remove", of_files._remove),
    _scenario("import", of_files._apply(of_files._import)),
    _scenario("restore", of_files._apply(of_files._restore), of_files._archive),
    _scenario("exchange", of_files._apply(of_files._exchange), of_files._archive_old),
    _by_door("migrate and undo", _migrate, {"dev.md": FLAT}),
]
