"""What others wrote into a memory is clean wherever it comes out again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memtui.cli.main import run
from store import open_memory
from store.operations.diff import record_diffs
from store.redaction.labels import public_id
from tests.memtui.cli.conftest import Run
from tests.store.factories import record, write_issue

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
PASSWORD = "Tr0ub4dor-and-3"
PRIVATE = "the merger is called Falcon"
SECRETS = (TOKEN, PASSWORD, PRIVATE)

WAYS = [
    ("search", "deploy"),
    ("search", "runner", "--json"),
    ("search", "falcon"),
    ("search", "falcon", "--json"),
    ("list",),
    ("list", "--json"),
    ("show", "foreign-1"),
    ("show", "foreign-1", "--json"),
    ("digest", "--days", "9999"),
    ("digest", "--days", "9999", "--markdown"),
    ("digest", "--days", "9999", "--json"),
    ("stats",),
    ("stats", "--json"),
    ("inject", "--issue", "29"),
    ("inject", "--issue", "29", "--json"),
    ("inject", "--issue", "29", "--explain"),
    ("inject", "--issue", "29", "--budget", "60", "--explain"),
    ("inject", "--issue", "29", "--budget", "60", "--json"),
    ("export",),
    ("export", "--format", "markdown"),
    ("compact", "--issue", "29", "--dry-run"),
    ("compact", "--issue", "29", "--dry-run", "--json"),
    ("remove", "foreign-1", "--dry-run"),
    ("archive", "foreign-1", "--dry-run"),
]

PARTS = st.sampled_from(
    [
        f"Deploy with {TOKEN} from the runner.",
        f"password = {PASSWORD}",
        f"Ask first. <private>{PRIVATE}</private>",
        f"<private>{PRIVATE}",
        "The runner holds the lock for five seconds at most when it deploys.",
        "Chose plain files",
    ]
)
TEXTS = st.lists(PARTS, min_size=1, max_size=3).map("\n".join)
NAMES = st.sampled_from(["engineer", TOKEN, f"<private>{PRIVATE}</private>"])


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty memory that others write into."""
    place = tmp_path / "project" / ".agentx" / "memory"
    place.mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "project")
    return place


def foreign(number: int, content: str, summary: str, name: str, tag: str) -> dict[str, object]:
    return record(
        f"obs-engineer-29-1709035200000-foreign-{number}",
        agent=name,
        content=content,
        summary=summary,
        tags=[tag],
        sessionId=name,
        note=content,
    )


def test_no_secret_of_others_leaves(folder: Path, memtui: Run) -> None:
    whole = " ".join(
        (
            f"Deploy with {TOKEN} from the runner,",
            f"password = {PASSWORD}, falcon.",
            f"<private>{PRIVATE}</private>",
        )
    )
    write_issue(
        folder,
        29,
        foreign(1, whole, f"Deploy by {PASSWORD} {TOKEN}", TOKEN, TOKEN),
        foreign(2, whole + " Again.", f"Deploy <private>{PRIVATE}", "engineer", "ci"),
    )
    for way in WAYS:
        done = memtui(*way)
        assert done.code == 0, (way, done.err)
        assert not [each for each in SECRETS if each in done.out + done.err], way
        assert done.out.strip() or way[0] == "compact", way


def test_an_import_keeps_no_secret_in_ids_tags_and_sources(folder: Path, memtui: Run) -> None:
    line = record(TOKEN, agent=TOKEN, tags=[TOKEN, "ci"], sources=[f"session:{TOKEN}#4", TOKEN])
    (folder.parent.parent / "in.jsonl").write_text(json.dumps(line) + "\n")
    assert memtui("import", "in.jsonl", "--yes").code == 0
    kept = [path for path in folder.rglob("*") if path.is_file()]
    assert [path.name for path in kept if TOKEN.encode() in path.read_bytes()] == []
    assert memtui("list").out.count("Chose plain files") == 1


@given(
    rows=st.lists(st.tuples(TEXTS, TEXTS, NAMES, NAMES), min_size=1, max_size=3),
    way=st.sampled_from(WAYS),
)
@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_whatever_others_wrote_no_secret_leaves(
    rows: list[tuple[str, str, str, str]],
    way: tuple[str, ...],
    folder: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    write_issue(folder, 29, *(foreign(at + 1, *row) for at, row in enumerate(rows)))
    run(way)
    out, err = capsys.readouterr()
    assert not [each for each in SECRETS if each in out + err]


def test_what_the_app_asks_is_clean_too(folder: Path, tmp_path: Path) -> None:
    content = f"Deploy with {TOKEN}. <private>{PRIVATE}</private> password = {PASSWORD}"
    write_issue(
        folder,
        29,
        foreign(1, content, content, TOKEN, TOKEN),
        foreign(2, content + " Again.", content, TOKEN, TOKEN),
    )
    with open_memory(folder) as memory:
        found = memory.search("deploy")
        plan = memory.plan.archive([found.hits[0].entry.id])
        cluster = memory.compaction.plan(29)
        changes = memory.compaction.to_plan(cluster)
        memory.exchange.export_store(tmp_path / "copy")
        shown = [
            found,
            memory.recall.plan(None, 29, "deploy"),
            memory.get_redacted(found.hits[0].entry.id),
            list(record_diffs(plan)),
            memory.statistics(),
            memory.stats(),
            cluster.clusters,
            list(record_diffs(changes)),
        ]
        for each in shown:
            assert not [secret for secret in SECRETS if secret in repr(each)]
        written = [change.after for change in changes.changes if change.before is None]
        assert TOKEN in repr(memory.get(found.hits[0].entry.id)), "what is edited is as it stands"
        assert changes.is_empty or written
    copied = "".join(path.read_text() for path in (tmp_path / "copy").rglob("*.json"))
    assert json.loads((tmp_path / "copy" / "issue-29.json").read_text())["observations"]
    assert not [secret for secret in SECRETS if secret in copied]


def test_an_id_that_holds_a_secret_is_told_by_another_that_every_command_takes(
    folder: Path, memtui: Run
) -> None:
    secret = f"obs-engineer-29-{TOKEN}"
    path = write_issue(folder, 29, record(secret, content="The runner deploys."))
    name = public_id(secret)
    for command in (
        *(tuple(part.replace("foreign-1", name) for part in way) for way in WAYS),
        ("edit", name[-6:], "--content", "The runner deploys at night.", "--yes"),
        ("archive", name, "--yes"),
        ("restore", name, "--yes"),
        ("undo", "--yes"),
        ("redo", "--yes"),
        ("history",),
        ("layout", "--one-file-each", "--yes"),
        ("undo", "--yes"),
        ("show", secret),
        ("doctor",),
    ):
        done = memtui(*command)
        assert done.code == (command == ("doctor",)), (command, done.err)
        assert TOKEN not in done.out + done.err, command
    assert TOKEN in path.read_text()
    memtui("doctor", "--repair", "--yes")
    assert not [it for it in folder.rglob("*.json") if TOKEN in it.read_text()]
    assert memtui("show", name).code == 0
