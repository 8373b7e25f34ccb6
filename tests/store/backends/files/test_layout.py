"""Names and places: which files are ours, and which folder is the memory."""

from __future__ import annotations

from pathlib import Path

import pytest

from store.backends.files.layout import check_movable, has_memory, is_memory, issue_of
from store.errors import InvalidObservation


@pytest.mark.parametrize(
    "name",
    ["manifest.json", ".lock", "../issue-1.json", "/etc/passwd", "quarantine/../issue-1.json",
     "activity.jsonl", "operations/a.json", "issue-1.json/x", "quarantine/a/b",
     "sessions/../x.json", ".gitignore", "issue-01.json", "recalls/a.md", "archive/../x.json.lock"],
)  # fmt: skip
def test_a_repair_moves_no_other_file(name: str) -> None:
    with pytest.raises(InvalidObservation):
        check_movable(name)


@pytest.mark.parametrize(
    ("name", "issue"),
    [
        ("issue-0.json", 0),
        ("issue-7.json", 7),
        ("issue-07.json", None),
        ("issue-00.json", None),
        ("issue-123456789.json", 123456789),
        ("issue-1234567890.json", None),
        ("issue-7.recovered.json", 7),
        ("issue-07.recovered.json", None),
        ("issue-7-archived.json", None),
        ("archive/issue-7-archived.json", 7),
        ("archive/issue-7.json", None),
        ("archive/archive/issue-7-archived.json", None),
        ("pending/issue-7.json", 7),
        ("pending/issue-7.json.lock", None),
        ("issue-7/a.json", 7),
        ("archive/issue-7/a.json", 7),
        ("issue-7/.a.json", None),
        ("issue-7/a/b.json", None),
        ("issue-7/a.json.tmp", None),
        ("issue-7/a.json\n", None),
        (f"issue-7/{'a' * 250}.json", 7),
        (f"issue-7/{'a' * 251}.json", None),
        ("Issue-7.json", None),
        ("issue-7.JSON", None),
        ("issue_7.json", None),
        ("", None),
    ],
)
def test_which_issue_a_name_is_of(name: str, issue: int | None) -> None:
    assert issue_of(name) == issue
    assert is_memory(name) is ("/a" in name and issue is not None and "issue-7-" not in name)


@pytest.mark.parametrize(
    ("names", "is_so"),
    [
        ([], False),
        (["README.md"], False),
        (["manifest.json"], False),
        (["issue-1.json"], True),
        (["archive/issue-1-archived.json"], True),
        (["archive/notes.md"], False),
        (["activity.jsonl", "README.md"], True),
        (["issue-1/a.json"], False),
        (["issue-1/a.json", "layout.json"], True),
        (["archive/issue-1/a.json", "layout.json"], True),
        (["notes/a.json", "layout.json"], False),
        ([".lock"], True),
        ([".lock", "issue-1.json.lock", ".issue-1.json.12-ab.tmp"], True),
        ([".lock", "README.md"], False),
        (["layout.json"], False),
        (["layout.json", ".lock"], False),
    ],
)
def test_what_a_memory_is_told_by(tmp_path: Path, names: list[str], is_so: bool) -> None:
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("{}")
    assert has_memory(tmp_path) is is_so
