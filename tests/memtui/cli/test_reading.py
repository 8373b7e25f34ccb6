"""`search`, `show`, `list` and `stats`: what they print, for people and for programs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.memtui.cli.conftest import ESCAPES, Run

ENTRY = {"id", "agent", "issueNumber", "category", "summary", "tokens", "timestamp"}

pytestmark = pytest.mark.usefixtures("project")


def test_search_prints_a_row_for_each_hit(memtui: Run) -> None:
    done = memtui("search", "agent:ux-designer", "lock")
    assert done.code == 0
    (row,) = done.out.splitlines()
    assert row.split()[:4] == ["aaaa02", "#29", "lesson", "ux-designer"]
    assert row.endswith("pinned · Chose option 2 for the lock.")
    assert done.err.startswith("1 memory · ") and "ux-designer" in done.err
    others = memtui("search", "lock", "-agent:ux-designer", "-nonsense").out  # no options
    assert "aaaa01" in others and "aaaa02" not in others


def test_status_is_one_line_for_a_status_line(memtui: Run) -> None:
    shown = json.loads(memtui("status", "--json").out)
    short = memtui("status", "--short")
    assert short.out == (
        f"{shown['memories']} memories · {shown['new']} new · "
        f"next {shown['client']} session {shown['nextSessionTokens']} tokens\n"
    )
    assert shown["memories"] == 6 and shown["nextSessionTokens"] > 0


@pytest.mark.usefixtures("indexed")
def test_a_finished_query_that_is_half_understood_is_told_so(memtui: Run) -> None:
    for query, said in (
        ("agent:", "6 memories · everything · newest first · `agent:` needs a value"),
        ("zebra:crossing", "`zebra:` is not a field; put words in quotes"),
        ('"lock', "has no closing quote"),
        ("in:sessions zebra", "0 messages"),
        ("in:all zebra", "0 results"),
    ):
        assert said in memtui("search", query).err
        if not query.startswith("in:"):
            assert said.split(" · ")[-1] in memtui("sessions", "search", query).err


def test_search_as_json(memtui: Run) -> None:
    done = memtui("search", "--json", "lock", "--limit", "2")
    answer = json.loads(done.out)
    assert set(answer) == {"query", "understood", "total", "tookMs", "hits"}
    assert (answer["query"], answer["total"], len(answer["hits"])) == ("lock", 4, 2)
    assert answer["tookMs"] >= 0
    assert all(set(hit) == {*ENTRY, "score", "snippet"} for hit in answer["hits"])
    assert done.err == ""
    rest = json.loads(memtui("search", "--json", "lock", "--offset", "2").out)
    assert len(rest["hits"]) == 2
    assert not {hit["id"] for hit in rest["hits"]} & {hit["id"] for hit in answer["hits"]}


def test_list_is_newest_first_and_filtered(memtui: Run) -> None:
    rows = memtui("list", "--issue", "29", "--category", "lesson,decision").out.splitlines()
    assert [row.split()[0] for row in rows] == ["aaaa06", "aaaa05", "aaaa02", "aaaa01"]
    done = memtui("list", "--agent", "engineer", "--agent", "ux-designer", "--limit", "2")
    assert len(done.out.splitlines()) == 2
    assert done.err == "2 of 6 memories\n"
    assert "done · " in memtui("list", "--tag", "ci").out


def test_show_by_the_end_of_an_id(memtui: Run) -> None:
    out = memtui("show", "aaaa06").out
    assert out.startswith("decision · engineer · #29 · ")
    assert "Chose option 6 for the lock." in out
    assert "recalled 3 times · seen 2 times" in out
    assert "rests on: message 4 of s" in out
    assert "tags: done, ci" in memtui("show", "aaaa04").out
    assert "session: s-1" in memtui("show", "aaaa05").out


def test_show_as_json_is_the_record(memtui: Run, project: Path) -> None:
    shown = json.loads(memtui("show", "aaaa03", "--json").out)
    file = json.loads((project / ".agentx/memory/issue-0.json").read_bytes())
    assert shown == file["observations"][0]
    assert ESCAPES in shown["content"]


def test_the_memory_can_be_named(
    memtui: Run, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other"
    (other / ".agentx" / "memory").mkdir(parents=True)
    memory = str(project / ".agentx" / "memory")
    monkeypatch.chdir(tmp_path)
    for arguments in (["stats", "--dir", str(project)], ["--dir", memory, "stats"]):
        assert memtui(*arguments).out.startswith("6 memories")
    monkeypatch.setenv("MEMTUI_DIR", str(project))
    assert memtui("stats").out.startswith("6 memories")
    assert memtui("stats", "--dir", str(other)).out.startswith("0 memories")


def test_what_can_t_be_read_is_told(memtui: Run, project: Path) -> None:
    (project / ".agentx/memory/issue-8.json").write_text("{")
    for command in (
        "list",
        "search lock",
        "stats",
        "export",
        "inject",
        "budget",
        "show aaaa01",
        "archive --query issue:29 --dry-run",
        "compact --all --dry-run",
        "prune --strategy oldest_first --capacity semantic=1 --dry-run",
    ):
        done = memtui(*command.split())
        assert done.code == 0
        assert done.out or "Nothing to do" in done.err
        assert "Some memories could not be read: issue-8.json" in done.err, command
        assert "`memtui doctor`" in done.err
    (project / ".agentx/memory/issue-9.json").write_text("{")
    assert "And 1 more." in memtui("list").err
