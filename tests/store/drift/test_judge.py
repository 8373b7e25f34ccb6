"""The verdict on a memory, by histories made for it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from store import open_memory
from store.backends.location import LEVELS
from store.drift import repository, service
from store.drift.judge import Judged, judged
from store.drift.verdicts import Drift
from store.model import Level, Observation, Verdict
from tests.store.drift.made import QUEUE, Made

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
PATH = "shop/queue.py"
FILE = f"{PATH} holds the queue."
NAME = "In shop/queue.py, `drain_all()` empties the queue."
LINES = "See shop/queue.py:10-13 for how it is emptied."
Change = Callable[[Made], object]


def nothing(made: Made) -> None: ...


def edited_far(made: Made) -> None:
    made.edit("shop/queue.py", "import time\n", "import time\nimport sys\nimport os\n")
    made.edit("shop/queue.py", "PAUSE = 3", "PAUSE = 4")
    made.commit()


def edited_near(made: Made) -> None:
    made.edit("shop/queue.py", "queue.pop()", "queue.popleft()")
    made.commit()


def placed_elsewhere(made: Made) -> None:
    head, _, rest = QUEUE.partition("def drain_all")
    body, _, tail = rest.partition("\n\n\nclass")
    made.write("shop/queue.py", f"def drain_all{body}\n\n\n{head}class{tail}")
    made.commit()


def renamed(made: Made) -> None:
    made.git("mv", "shop/queue.py", "shop/lines.py")
    made.commit()


def renamed_twice(made: Made) -> None:
    renamed(made)
    (made.root / "lib").mkdir()
    made.git("mv", "shop/lines.py", "lib/lines.py")
    made.edit("lib/lines.py", "PAUSE = 3", "PAUSE = 4")
    made.commit()


def renamed_and_made_anew(made: Made) -> None:
    renamed(made)
    made.write("shop/queue.py", "from shop.lines import *\n")
    made.commit()


def deleted(made: Made) -> None:
    made.git("rm", "-q", "shop/queue.py")
    made.commit()


def deleted_and_back(made: Made) -> None:
    deleted(made)
    made.write("shop/queue.py", QUEUE)
    made.commit()


def moved_and_deleted(made: Made) -> None:
    renamed(made)
    made.git("rm", "-q", "shop/lines.py")
    made.commit()


def other_edited(made: Made) -> None:
    made.edit("shop/other.py", "return 3", "return 33")
    made.commit()


def renamed_on_a_branch(made: Made) -> None:
    made.git("checkout", "-q", "-b", "topic")
    renamed(made)
    made.git("checkout", "-q", "main")
    other_edited(made)
    made.git("merge", "-q", "--no-ff", "-m", "Merge topic", "topic")


def squashed(made: Made) -> None:
    made.git("checkout", "-q", "-b", "topic")
    edited_near(made)
    made.git("checkout", "-q", "main")
    made.git("merge", "-q", "--squash", "topic")
    made.commit()


MOVED = (("shop/queue.py", "shop/lines.py"),)
CASES = [
    (nothing, FILE, Verdict.CURRENT),
    (nothing, NAME, Verdict.CURRENT),
    (nothing, "Nothing is cited here.", Verdict.UNKNOWN),
    (nothing, "See other/place.py.", Verdict.UNKNOWN),
    (other_edited, FILE, Verdict.CURRENT),
    (edited_far, FILE, Verdict.CHANGED),
    (edited_far, NAME, Verdict.CURRENT),
    (edited_far, LINES, Verdict.CURRENT),
    (edited_near, FILE, Verdict.CHANGED),
    (edited_near, NAME, Verdict.CHANGED),
    (edited_near, LINES, Verdict.CHANGED),
    (placed_elsewhere, NAME, Verdict.CURRENT),
    (placed_elsewhere, LINES, Verdict.CURRENT),
    (renamed, FILE, Verdict.MOVED),
    (renamed, "queue.py holds the queue.", Verdict.MOVED),
    (renamed_twice, NAME, Verdict.MOVED),
    (edited_near, "Lint: `ruff check shop/queue.py` in the root.", Verdict.CURRENT),
    (edited_near, "`ruff check shop/queue.py` finds shop/queue.py wanting.", Verdict.CHANGED),
    (renamed, "Lint: `ruff check shop/queue.py` in the root.", Verdict.MOVED),
    (edited_near, "Ran `ruff …\nFiles: shop/queue.py, and `shop`.", Verdict.CHANGED),
    (renamed_and_made_anew, FILE, Verdict.MOVED),
    (renamed_on_a_branch, FILE, Verdict.MOVED),
    (deleted, FILE, Verdict.GONE),
    (deleted, "Removed shop/queue.py, which nobody used.", Verdict.UNKNOWN),
    (renamed, "Files: shop/queue.py (removed), shop/other.py.", Verdict.CURRENT),
    (deleted, "Files: shop/lines.py (removed), shop/queue.py.", Verdict.GONE),
    (moved_and_deleted, FILE, Verdict.GONE),
    (deleted_and_back, FILE, Verdict.CURRENT),
    (squashed, NAME, Verdict.CHANGED),
]


@pytest.mark.parametrize("is_anchored", [True, False], ids=["anchored", "by time"])
@pytest.mark.parametrize(
    ("change", "content", "verdict"),
    CASES,
    ids=[f"{change.__name__}-{content[:9]}" for change, content, _ in CASES],
)
def test_the_verdict_follows_what_became_of_the_code(
    change: Change, content: str, verdict: Verdict, *, is_anchored: bool, tmp_path: Path
) -> None:
    made = Made(tmp_path)
    with made.open() as memory:
        stored = made.memory(content)
        memory.add([memory.drift.anchored(stored) if is_anchored else stored])
        assert made.verdict(memory).verdict in (Verdict.CURRENT, Verdict.UNKNOWN)
        change(made)
        if is_anchored and "Removed" in content:
            verdict = Verdict.GONE  # it was there when the memory was made
        assert made.verdict(memory).verdict is verdict


def test_a_verdict_names_the_files_and_the_first_commit(tmp_path: Path) -> None:
    made = Made(tmp_path)
    with made.open() as memory:
        memory.add([made.memory(f"{FILE} shop/other.py is beside it.")])
        made.edit("shop/other.py", "return 3", "return 33")
        first = made.commit()
        edited_near(made)
        drift = made.verdict(memory)
        assert drift.changed == ("shop/queue.py", "shop/other.py")
        assert drift.commit == first
        made.git("mv", "shop/queue.py", "shop/lines.py")
        moved = made.commit()
        drift = made.verdict(memory)
        assert (drift.verdict, drift.moved, drift.commit) == (Verdict.MOVED, MOVED, moved)


def test_a_sessions_own_change_is_no_drift_once_it_is_committed(tmp_path: Path) -> None:
    made = Made(tmp_path)
    with made.open() as memory:
        made.edit("shop/queue.py", "queue.pop()", "queue.popleft()")
        made.write("shop/new.py", "def fresh(): ...\n")
        texts = (NAME, "shop/new.py is new.", "shop/queue.py: popped from the left")
        made_now = [made.memory(text) for text in texts[:2]]
        memory.add([memory.drift.anchored(item) for item in made_now])
        memory.add([made.memory(texts[2], category="code-change")])
        for _ in range(2):
            verdicts = made.verdicts(memory)
            assert {drift.verdict for drift in verdicts.values()} == {Verdict.CURRENT}, verdicts
            made.commit()
        made.edit("shop/queue.py", "queue.popleft()", "queue.clear()")
        made.commit()
        assert [drift.verdict for drift in made.verdicts(memory).values()] == [
            Verdict.CHANGED,
            Verdict.CURRENT,
            Verdict.CHANGED,
        ]


def test_a_shallow_clone_says_only_what_it_knows(tmp_path: Path) -> None:
    made = Made(tmp_path)
    with made.open() as memory:
        memory.add([made.memory(FILE), memory.drift.anchored(made.memory(NAME))])
        edited_near(made)
        other_edited(made)
        made.git("clone", "-q", "--depth", "1", f"file://{made.root}", str(tmp_path / "clone"))
        shutil.copytree(made.root / ".agentx", tmp_path / "clone" / ".agentx")
    clone = Made.__new__(Made)
    clone.root, clone.cache = tmp_path / "clone", tmp_path / "other"
    with clone.open() as memory:
        assert [drift.verdict for drift in clone.verdicts(memory).values()] == [
            Verdict.UNKNOWN,
            Verdict.CHANGED,
        ]


def test_files_of_a_submodule_that_is_not_there_are_unknown(tmp_path: Path) -> None:
    library = Made(tmp_path / "library")
    made = Made(tmp_path)
    allowed = ("-c", "protocol.file.allow=always")
    made.git(*allowed, "submodule", "add", "-q", str(library.root), "lib")
    made.commit()
    with made.open() as memory:
        memory.add([memory.drift.anchored(made.memory("lib/shop/queue.py is of the library."))])
        assert made.verdict(memory).verdict is Verdict.CURRENT
        made.git("submodule", "deinit", "-q", "-f", "lib")
        assert made.verdict(memory).verdict is Verdict.UNKNOWN


def test_without_git_all_is_unknown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = Made(tmp_path)
    with made.open() as memory:
        memory.add([made.memory(FILE), memory.drift.anchored(made.memory(NAME))])
        deleted(made)
        monkeypatch.setenv("PATH", str(tmp_path))
        assert {drift.verdict for drift in made.verdicts(memory).values()} == {Verdict.UNKNOWN}
    shutil.rmtree(made.root / ".git")
    with made.open() as memory:
        assert {drift.verdict for drift in made.verdicts(memory).values()} == {Verdict.UNKNOWN}


def test_only_what_is_new_is_worked_out_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = Made(tmp_path)
    with made.open() as memory:
        memory.add([made.memory(FILE)])
        assert memory.drift.refresh()
        assert not memory.drift.refresh()
        edited_far(made)
        assert memory.drift.refresh()
        head = made.git("rev-parse", "HEAD").said
        made.git("reset", "-q", "--hard", "HEAD~1")
        assert memory.drift.refresh()
        assert made.verdict(memory).verdict is Verdict.CURRENT
        made.git("reset", "-q", "--hard", head.strip())
        assert memory.drift.refresh()
    monkeypatch.setenv("PATH", str(tmp_path))
    with made.open() as memory:
        assert not memory.drift.refresh(), "git is not asked"
        (found,) = memory.by_issue(29)
        assert memory.drift.verdicts().of(found).verdict is Verdict.CHANGED
        assert memory.drift.verdicts().of(found._replace(content="Other words.")) == Drift()


def test_a_commit_has_only_what_it_touches_judged_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, asked = Made(tmp_path), list[list[str]]()

    def recorded(memories: Iterable[Observation], *more: Any) -> dict[str, Judged]:  # noqa: ANN401
        given = list(memories)
        asked.append(sorted(one.content for one in given))
        return judged(given, *more)

    monkeypatch.setattr("store.drift.service.judged", recorded)
    queue, other = "The queue is in shop/queue.py.", "`step_3()` of other.py returns three."
    coming, nothing = "shop/gate.py is to come.", "Carts are kept for one day."
    changes: list[tuple[Change, list[str]]] = [
        (edited_far, [queue, coming]),
        (lambda made: made.write("lib/other.py", "one = 1\n"), [other, coming]),
        (lambda made: made.write("shop/gate.py", "two = 2\n"), [coming]),
        (lambda made: made.edit("shop/other.py", "def step_3(", "def three("), [other]),
    ]
    with made.open() as memory:
        memory.add([made.memory(text) for text in (queue, other, coming, nothing)])
        for change, again in changes:
            memory.drift.refresh()
            asked.clear()
            change(made)
            made.commit()
            memory.drift.refresh()
            assert asked == [sorted(again)]
        assert made.verdicts(memory)[other[:20]].gone == ("step_3",)


def test_what_comes_back_by_another_name_in_a_later_commit_is_found(tmp_path: Path) -> None:
    made = Made(tmp_path)
    with made.open() as memory:
        memory.add([made.memory("The queue is in shop/queue.py.")])
        made.git("rm", "-q", "shop/queue.py")
        made.commit()
        assert made.verdict(memory).verdict is Verdict.GONE
        made.write("lib/lines.py", QUEUE)
        made.commit()
        assert made.verdict(memory).moved == (("shop/queue.py", "lib/lines.py"),)


@pytest.mark.parametrize(
    ("kind", "before", "after"),
    [("drift", b'["changed",[]', b'["changed",5'), ("commits", b"\1", b"\1 ")],
)
def test_what_is_damaged_in_the_cache_is_worked_out_again(
    tmp_path: Path, kind: str, before: bytes, after: bytes
) -> None:
    made = Made(tmp_path)
    with made.open() as memory:
        memory.add([made.memory(FILE)])
        edited_far(made)
        memory.drift.refresh()
    for file in made.cache.glob("*-drift") if kind == "commits" else ():
        file.unlink()
    (kept,) = made.cache.glob(f"*-{kind}")
    kept.write_bytes(kept.read_bytes().replace(before, after))
    with made.open() as memory:
        assert made.verdict(memory).verdict is Verdict.CHANGED


def test_verdicts_are_told_where_no_cache_can_be_written(tmp_path: Path) -> None:
    made = Made(tmp_path)
    with made.open() as memory:
        memory.add([made.memory(FILE)])
    edited_far(made)
    made.cache = tmp_path / "none"
    made.cache.write_text("A file.")
    with made.open() as memory:
        assert made.verdict(memory).verdict is Verdict.CHANGED


def test_names_that_the_tree_no_longer_has_are_gone(tmp_path: Path) -> None:
    made = Made(tmp_path)
    with made.open() as memory:
        memory.add([made.memory(text) for text in (
            "Call `drain_all()` before `Closed`.",
            "Call `drain_all()` and `step_2()`.",
            "Removed `drain_all()`: it never ended.",
        )])  # fmt: skip
        assert {drift.gone for drift in made.verdicts(memory).values()} == {()}
        made.edit("shop/queue.py", "drain_all", "drain")
        os.utime(made.root / "shop/queue.py", ns=(2**62, 2**62))
        first, second, third = made.verdicts(memory).values()
        assert (first.verdict, first.gone, first.share) == (Verdict.GONE, ("drain_all",), 1.0)
        assert (second.verdict, second.share) == (Verdict.CHANGED, 0.5)
        assert (third.verdict, third.gone) == (Verdict.UNKNOWN, ())


def test_a_name_that_prose_alone_still_has_is_gone(tmp_path: Path) -> None:
    made = Made(tmp_path)
    made.write("CHANGES.md", "- `drain_all` empties a queue.\n- `shop_bell` is the doorbell.\n")
    made.commit()
    with made.open() as memory:
        memory.add(
            [made.memory(f"{NAME} CHANGES.md says so."), made.memory("It is a `shop_bell`.")]
        )
        made.edit("shop/queue.py", "drain_all", "drain")
        made.write("CHANGES.md", "- Removed `drain_all`.\n- `shop_bell` is the doorbell.\n")
        made.commit()
        first, second = made.verdicts(memory).values()
        assert (first.verdict, first.gone) == (Verdict.CHANGED, ("drain_all",))
        assert second.verdict is Verdict.UNKNOWN, "no code ever had it"


def test_hostile_anchors_and_paths_are_passed_over(tmp_path: Path) -> None:
    made = Made(tmp_path)
    (tmp_path / "secret.py").write_text("x")
    with made.open() as memory:
        memory.add([
            made.memory("../secret.py and /etc/passwd.d/a/b.conf", extra={"commit": "$(x)"}),
            made.memory(FILE, extra={"anchor": {"shop/queue.py": [3], "": {}}, "commit": 7}),
            made.memory("shop/other.py.", extra={"anchor": ["x"], "commit": "-n\n"}),
            *(
                made.memory(f"{FILE} {lines[:1]}", extra={"anchor": {PATH: ["x", f"{lines} x"]}})
                for lines in ("²", "9" * 5_000)
            ),
        ])  # fmt: skip
        memory.drift.refresh()
        found = memory.drift.verdicts()
        assert [found.of(one).verdict for one in memory.by_issue(29)] == [
            Verdict.UNKNOWN,
            Verdict.CURRENT,
            Verdict.CURRENT,
            Verdict.CHANGED,
            Verdict.CHANGED,
        ]


def test_memories_are_searched_and_counted_by_verdict(tmp_path: Path) -> None:
    made = Made(tmp_path)
    made.write("shop/gate.py", "def gate(): ...\n")
    made.commit()
    texts = (FILE, "shop/other.py holds steps.", "shop/gate.py lets one in.", "Nothing is cited.")
    with made.open() as memory:
        memory.add([made.memory(text) for text in texts])
        assert memory.search("drift:unknown").total == 4, "nothing was compared yet"
        made.git("rm", "-q", "shop/gate.py")
        renamed(made)
        memory.drift.refresh()

        def found(query: str) -> list[str]:
            hits = memory.search(query).hits
            return sorted(hit.entry.content for hit in hits)

        assert found("drift:gone") == [texts[2]]
        assert found("is:drifted") == sorted([texts[0], texts[2]])
        assert found("drift:moved,gone -drift:gone") == [texts[0]]
        assert found("drift:unknown") == [texts[3]]
        assert found("drift:current holds") == [texts[1]]
        counts = {"gone": 1, "moved": 1, "current": 1, "unknown": 1}
        assert memory.search("").facets.counts["drift"] == counts
        assert memory.search("drift:gone").facets.counts["drift"] == counts
        assert memory.parse_query("drift:fresh").unfinished


def test_a_memory_that_is_edited_tells_of_the_code_of_then(tmp_path: Path) -> None:
    made = Made(tmp_path)
    with made.open() as memory:
        memory.add([memory.drift.anchored(made.memory(FILE))])
        edited_near(made)
        assert made.verdict(memory).verdict is Verdict.CHANGED
        (stored,) = memory.by_issue(29)
        memory.apply(memory.plan.edit(stored.id, {"content": f"{FILE} It pops left."}))
        assert made.verdict(memory).verdict is Verdict.CURRENT


def test_of_a_long_history_the_newest_commits_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = Made(tmp_path)
    with made.open() as memory:
        memory.add([made.memory(FILE), memory.drift.anchored(made.memory(NAME))])
        edited_near(made)
        other_edited(made)
        monkeypatch.setattr(repository, "_LONGEST", ((1, 10.0),))
        assert [drift.verdict for drift in made.verdicts(memory).values()] == [
            Verdict.UNKNOWN,
            Verdict.CHANGED,
        ]


def test_memories_of_all_projects_are_not_compared_with_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    made = Made(tmp_path)
    monkeypatch.chdir(made.root)
    with open_memory(f"{LEVELS}{made.root}", cache=made.cache) as memory:
        for level in (Level.MINE, Level.PROJECT):
            stored = made.memory(f"{FILE} It is {level}'s.", level=level)
            memory.add([memory.drift.anchored(stored)])
        edited_near(made)
        memory.drift.refresh()
        found = memory.drift.verdicts()
        verdicts = {one.level: found.of(one).verdict for one in memory.by_issue(29)}
    assert verdicts == {Level.MINE: Verdict.UNKNOWN, Level.PROJECT: Verdict.CHANGED}


def test_a_comparison_that_took_long_waits_before_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = Made(tmp_path)
    with made.open() as memory:
        assert memory.drift.is_due(changed=False), "it never compared"
        memory.drift.refresh()
        assert not memory.drift.is_due(changed=False)
        assert memory.drift.is_due(changed=True)
        monkeypatch.setattr(service, "_LONG", -1.0)
        monkeypatch.setattr(service, "_REST", 1_000_000)
        memory.drift.refresh()
        assert not memory.drift.is_due(changed=True)
        monkeypatch.setattr(service, "monotonic", lambda: 1e12)
        assert memory.drift.is_due(changed=False), "it is remembered"
