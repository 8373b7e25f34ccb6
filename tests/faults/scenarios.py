"""The operations of the real store that are killed at each of their calls.

A new operation joins by one line in `SCENARIOS`.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from memtui.cli.git.merge_file import merge_file_command
from store import Memory, Observation, open_memory
from store.action import Action
from store.agents.files import files_at
from store.backends.issue_records import check_read
from store.backends.location import FOLDER
from store.compaction.compact import plan_compaction, to_plan
from store.doctor.examine import examine
from store.doctor.findings import IndexHealth
from store.errors import NotFound, StoreError
from store.model import Layout, Location
from store.operations import changes
from store.operations.apply import Applied, apply_plan
from store.operations.layout import plan_layout
from store.operations.plan import Plan
from store.operations.undo import last_operation, undo_operation
from store.validation.prepare import Prepared, make_id, prepare
from tests.faults.harness import Acknowledge, Scenario, Subject, View
from tests.store.factories import Store, Storing

Operation = Callable[[Storing, Acknowledge], None]
Planner = Callable[[Storing], Plan]

BROKEN = b"{cut by another program"
"""What stands in a file that can't be read; it must be kept, wherever a repair puts it."""
BEFORE = datetime(2024, 2, 27, 12, tzinfo=UTC)
NOW = BEFORE + timedelta(hours=1)


def observation(text: str, issue: int = 29) -> Observation:
    """An observation whose id, content and summary follow from its text."""
    return Observation(
        agent="engineer",
        issue_number=issue,
        category="decision",
        content=text,
        summary=text,
        timestamp=BEFORE - timedelta(days=200),
        id=f"obs-engineer-{issue}-1709035200000-{text.replace(' ', '')}",
    )


def _open(folder: Path) -> Store:
    return Store(folder / FOLDER, clock=lambda: NOW, new_id=make_id)


def _settle(store: Storing) -> None:
    store.settle(())


def _add(folder: Path, text: str) -> None:
    store = _open(folder)
    store.store([observation(text)])
    _settle(store)


# What a stranger sees


def _view(folder: Path) -> View:
    memory = folder / FOLDER
    files = _files(memory)
    seen: dict[str, str] = {}
    doubled: list[tuple[str, str]] = []
    for mark in ("", "archived"):
        location = {
            name: data for name, data in files.items() if name.startswith("archive/") == bool(mark)
        }
        records = [(record["id"], _text(record, mark)) for record in _records(location)]
        ids = [identifier for identifier, _ in records]
        doubled += [pair for pair in records if ids.count(pair[0]) > 1 and pair[0] not in seen]
        for identifier, text in records:
            seen.setdefault(identifier, text)
    view: dict[str, list[str]] = {}
    for identifier, text in [*seen.items(), *doubled]:
        view.setdefault(f"#{identifier.split('-')[2]}", []).append(text)
    if kept := sorted(json.loads(it.read_bytes())["id"] for it in memory.glob("sessions/*.json")):
        view["sessions"] = kept
    broken = [path for path in memory.rglob("*") if path.is_file() and path.read_bytes() == BROKEN]
    if broken:
        view["broken files"] = ["kept"] * len(broken)
    return {issue: tuple(sorted(texts)) for issue, texts in view.items()}


def _files(memory: Path) -> dict[str, bytes]:
    """The files of records by their names, as a change that is still to be written leaves them."""
    patterns = ("issue-*.json", "archive/issue-*.json", "issue-*/*.json", "archive/issue-*/*.json")
    paths = [path for pattern in patterns for path in memory.glob(pattern)]
    files = {str(path.relative_to(memory)): path.read_bytes() for path in paths}
    for path in memory.glob("pending/issue-*.json"):
        for name, text in json.loads(path.read_bytes())["files"].items():
            files.pop(name, None)
            if text is not None:
                files[name] = text.encode()
    return {name: data for name, data in files.items() if data != BROKEN}


def _records(files: Mapping[str, bytes]) -> list[dict[str, Any]]:
    values = [json.loads(data) for _, data in sorted(files.items())]
    return [record for value in values for record in value.get("observations", [value])]


def _text(record: dict[str, Any], mark: str) -> str:
    marks = [
        mark or "archived" * bool(record.get("archived")),
        *record.get("tags", ()),
        "pinned" * bool(record.get("pinned")),
    ]
    said = ", ".join(filter(None, marks))
    return f"{record['content']} [{said}]" if said else str(record["content"])


def _listing(folder: Path) -> frozenset[str]:
    manifest = folder / FOLDER / "manifest.json"
    if not manifest.exists():
        return frozenset()
    return frozenset(entry["summary"] for entry in json.loads(manifest.read_bytes())["entries"])


def _in_order(folder: Path) -> None:
    memory = folder / FOLDER
    assert (memory / ".gitignore").read_text(), "the store has no .gitignore"
    listed = [
        entry["id"] for entry in json.loads((memory / "manifest.json").read_bytes())["entries"]
    ]
    files = {name: data for name, data in _files(memory).items() if name.startswith("issue-")}
    stands = [record["id"] for record in _records(files)]
    assert sorted(listed) == sorted(stands), f"the manifest lists {listed} where {stands} stand"


def bury(folder: Path) -> None:
    """Give the markers that were left the process id of one that has ended."""
    for marker in folder.rglob("*.json.lock"):
        marker.write_bytes(marker.read_bytes().replace(b'"pid": %d' % os.getpid(), _DEAD))


def _dead_process() -> int:
    child = subprocess.Popen(["true"])
    child.wait()
    return child.pid


_DEAD = b'"pid": %d' % _dead_process()

MEMORY = Subject(
    view=_view,
    listing=_listing,
    add=_add,
    in_order=_in_order,
    errors=(StoreError,),
    may_stay=lambda name: name.endswith(
        (".json", ".jsonl", "/archive", "/operations", "/pending", "/issue-29", "/issue-30")
    ),
    bury=bury,
)

# The operations


def _scenario(
    name: str,
    operation: Operation,
    *texts: str,
    first: Planner | None = None,
    broken: Iterable[int] = (),
    layout: Layout = Layout.PER_ISSUE,
) -> Scenario:
    """An operation on a store that holds these texts: in issue 29, or in the issue before a `/`.

    A plan that is to be carried out before can be given as `first`, issues whose files are
    `broken` before it is, and how records are divided into files.
    """

    def prepare(folder: Path) -> None:
        store = _open(folder)
        if layout is not Layout.PER_ISSUE:
            store.set_layout(layout)
        for text in texts:
            issue, _, rest = text.rpartition("/")
            store.store([observation(rest, int(issue or 29))])
        for number in broken:
            (store.folder / f"issue-{number}.json").write_bytes(BROKEN)
            store.store([observation(f"after {number} broke", number)])
        if first is not None:
            apply_plan(store, first(store), BEFORE)
        if texts:
            _settle(store)

    def run(folder: Path, acknowledge: Acknowledge) -> None:
        operation(_open(folder), acknowledge)

    return Scenario(name, MEMORY, prepare, run)


def _where(store: Storing) -> changes.Where:
    return {issue: store.read(issue) for issue in sorted(store.issues())}


def _id(text: str) -> str:
    issue, _, rest = text.rpartition("/")
    return observation(rest, int(issue or 29)).id


def _store(*texts: str) -> Operation:
    def operation(store: Storing, acknowledge: Acknowledge) -> None:
        for text in texts:
            store.store([observation(text)])
            acknowledge()

    return operation


def _store_batch(store: Storing, acknowledge: Acknowledge) -> None:
    store.store([observation("one"), observation("two", 30), observation("three", 30)])
    acknowledge()


def _update(store: Storing, acknowledge: Acknowledge) -> None:
    with store.changing(29) as records:
        held = records.find(Location.ISSUE, _id("old"))
        if held is None:
            check_read(records, Location.ISSUE)
            raise NotFound("It is gone.", "")
        records.put(Location.ISSUE, {**held, "tags": ["seen"]})
    acknowledge()


def _remove(store: Storing, acknowledge: Acknowledge) -> None:
    with store.changing(29) as records:
        check_read(records, Location.ISSUE)
        records.drop(Location.ISSUE, _id("old"))
    acknowledge()


def _settle_it(store: Storing, acknowledge: Acknowledge) -> None:
    _settle(store)
    acknowledge()


def _apply(planner: Planner) -> Operation:
    def operation(store: Storing, acknowledge: Acknowledge) -> None:
        plan = planner(store)
        try:
            _wholly(apply_plan(store, plan, NOW))
        except StoreError as error:
            _check_error(store, plan, error)
            raise
        acknowledge()

    return operation


def _check_error(store: Storing, plan: Plan, error: StoreError) -> None:
    """What changed in spite of an error can be undone, and the error does not deny it."""
    in_issue = {it.id for it in plan.changes if it.location is Location.ISSUE}
    shown = [it for it in plan.changes if it.location is Location.ISSUE or it.id not in in_issue]
    where = {issue: store.read(issue) for issue in {it.issue for it in shown}}
    if any(where[it.issue].find(it.location, it.id) != it.before for it in shown):
        try:
            kept = last_operation(store).plan.changes
        except StoreError:
            kept = ()
        assert {it.id for it in kept} == {it.id for it in plan.changes}, "no undo for what changed"
        assert "Nothing was done" not in error.message


def _undo(store: Storing, acknowledge: Acknowledge) -> None:
    _wholly(undo_operation(store, None, NOW))
    acknowledge()


def _wholly(applied: Applied) -> None:
    """Take a part that was left, and named, for the error it reports."""
    if applied.left:
        raise StoreError(str(applied.left[0]))


def _edit(store: Storing) -> Plan:
    return changes.plan_edit(_where(store), [_id("old"), _id("30/other")], {"tags": ("seen",)})


def _import(store: Storing) -> Plan:
    new = [observation("one"), observation("two", 30), observation("three", 31)]
    return changes.plan_add(new, _prepared, "import")


def _archive(store: Storing) -> Plan:
    return changes.plan_archive(_where(store), [_id("old"), _id("30/other")])


def _restore(store: Storing) -> Plan:
    return changes.plan_restore(_where(store), [_id("old"), _id("30/other")])


def _archive_old(store: Storing) -> Plan:
    return changes.plan_archive(_where(store), [_id("old")])


def _exchange(store: Storing) -> Plan:
    """Archive two and restore one of the same issue, in one plan."""
    archive = changes.plan_archive(_where(store), [_id("older"), _id("oldest")])
    restore = changes.plan_restore(_where(store), [_id("old")])
    return Plan(Action("exchange"), archive.changes + restore.changes)


def _remove_two(store: Storing) -> Plan:
    return changes.plan_remove(_where(store), [_id("old"), _id("30/other")])


def _repair(store: Storing) -> Plan:
    return examine(store, NOW, IndexHealth(0, 0)).plan


def _compact(store: Storing) -> Plan:
    where = _where(store)
    facts = [item for records in where.values() for item in records.observations()]
    compaction = plan_compaction(facts, now=NOW)
    if not compaction.clusters:
        raise StoreError("There is nothing to compact.")
    return to_plan(compaction, where)


def _prepared(item: Observation) -> Prepared:
    return prepare(item, NOW, make_id)


ALIKE = (
    "The lock on manifest.json times out after 5 retries",
    "The lock on manifest.json times out after 5 retries.",
)
SOME = ("old", "older", "oldest", "30/other")

SCENARIOS = [
    _scenario("store the first", _store("first")),
    _scenario("store two", _store("first", "second"), *SOME),
    _scenario("store a batch", _store_batch, *SOME),
    _scenario("update", _update, *SOME),
    _scenario("remove", _remove, *SOME),
    _scenario("settle", _settle_it, *SOME, first=_import),
    _scenario("edit", _apply(_edit), *SOME),
    _scenario("import", _apply(_import), *SOME),
    _scenario("remove by plan", _apply(_remove_two), *SOME),
    _scenario("archive", _apply(_archive), *SOME),
    _scenario("restore", _apply(_restore), *SOME, first=_archive),
    _scenario("exchange", _apply(_exchange), *SOME, first=_archive_old),
    _scenario("compact", _apply(_compact), *ALIKE, *SOME),
    _scenario("repair", _apply(_repair), *SOME, broken=[30]),
    _scenario("undo a compaction", _undo, *ALIKE, *SOME, first=_compact),
    _scenario("undo a repair", _undo, *SOME, first=_repair, broken=[30]),
    _scenario("undo an edit", _undo, *SOME, first=_edit),
    _scenario("undo an import", _undo, *SOME, first=_import),
    _scenario("undo an archive", _undo, *SOME, first=_archive),
]


# A file for each memory


def _each(store: Storing) -> Plan:
    return plan_layout(store, Layout.EACH)


def _per_issue(store: Storing) -> Plan:
    return plan_layout(store, Layout.PER_ISSUE)


def _scenario_of_files(name: str, operation: Operation, first: Planner | None = None) -> Scenario:
    return _scenario(f"{name}, a file each", operation, *SOME, first=first, layout=Layout.EACH)


EACH = [
    _scenario("change to a file each", _apply(_each), *SOME, first=_archive_old),
    _scenario_of_files("exchange", _apply(_exchange), _archive_old),
]
MORE = [
    _scenario_of_files("change to a file per issue", _apply(_per_issue), _archive_old),
    _scenario_of_files("store a batch", _store_batch),
    _scenario("undo a change to a file each", _undo, *SOME, first=_each),
    _scenario_of_files("store two", _store("first", "second")),
    _scenario_of_files("update", _update),
    _scenario_of_files("remove", _remove),
    _scenario_of_files("archive", _apply(_archive)),
    _scenario_of_files("undo an archive", _undo, _archive),
    _scenario_of_files("undo an import", _undo, _import),
]


# git's merge driver, which git calls on files beside the memory; git itself syncs none


def _versions(folder: Path) -> None:
    """The issue's file in three versions: ours in the memory, the others beside it."""
    store = _open(folder)
    path = store.folder / "issue-29.json"
    store.store([observation(text) for text in SOME[:2]])
    versions = {"base": path.read_bytes()}
    store.store([observation("theirs")])
    versions["theirs"] = path.read_bytes()
    path.write_bytes(versions["base"])
    store.store([observation("ours")])
    for name, data in versions.items():
        (folder / name).write_bytes(data)
    _settle(store)


def _merge(folder: Path, acknowledge: Acknowledge) -> None:
    ours = folder / FOLDER / "issue-29.json"
    merge = merge_file_command.callback
    assert merge is not None
    if merge(folder / "base", ours, folder / "theirs", ours.name, stdout=False) != 0:
        raise StoreError("git merges the lines.")
    acknowledge()


DRIVER = Scenario("merge driver", MEMORY, _versions, _merge)


# The same through the one door, with its index


def _through_the_door(name: str, operation: Callable[[Memory, Acknowledge], None]) -> Scenario:
    def run(folder: Path, acknowledge: Acknowledge) -> None:
        no_cache = Path(os.devnull) / "cache"
        with open_memory(folder / FOLDER, cache=no_cache, clock=lambda: NOW) as memory:
            operation(memory, acknowledge)

    inner = _scenario(name, _update, *SOME)
    return Scenario(f"{name}, through the door", MEMORY, inner.prepare, run)


def _store_by_door(memory: Memory, acknowledge: Acknowledge) -> None:
    memory.store([observation("one"), observation("two", 30)])
    acknowledge()


def _archive_and_undo_by_door(memory: Memory, acknowledge: Acknowledge) -> None:
    _wholly(memory.apply(memory.plan.archive([_id("old"), _id("30/other")])))
    acknowledge()
    _wholly(memory.undo())
    acknowledge()


def _take_in_and_undo(memory: Memory, acknowledge: Acknowledge) -> None:
    path = memory.path.parent.parent.parent / "session.jsonl"
    said = {"role": "user", "content": "Make the lock wait."}
    line = {"type": "user", "sessionId": "s-1", "message": said}
    path.write_text(json.dumps(line))
    done = memory.session_indexing.index(list(files_at([path], "claude-code")))
    if done.taken:
        acknowledge()
    _wholly(memory.undo())
    acknowledge()


DOOR = [
    _through_the_door("store", _store_by_door),
    _through_the_door("archive and undo", _archive_and_undo_by_door),
    _through_the_door("take a session in and undo", _take_in_and_undo),
]
