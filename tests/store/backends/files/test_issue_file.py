"""Issue files as text: laid out as AgentX does, and what does not change keeps its bytes."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.backends.files.issue_file import IssueFile, dump_issue_file, parse_issue_file
from store.errors import Unreadable
from store.records import new_record
from tests.store.factories import record

NAME = "issue-29.json"


def _values(file: IssueFile) -> list[Any]:
    return [item.value for item in file.records]


_VALUES = (
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.floats(allow_nan=False)
    | st.text(st.characters(exclude_categories=()), max_size=6)
)
_RECORDS = st.dictionaries(st.text(max_size=5), _VALUES | st.lists(_VALUES, max_size=2), max_size=4)


@given(
    st.lists(_RECORDS, min_size=1, max_size=4),
    st.sampled_from([None, 0, 1, 2, 4, "\t"]),
    st.booleans(),
)
def test_a_rewrite_keeps_the_bytes_of_every_other_record(
    records: list[dict[str, object]], indent: int | str | None, ascii_only: bool
) -> None:
    text = json.dumps(
        {"version": 1, "observations": records}, indent=indent, ensure_ascii=ascii_only
    )
    file = parse_issue_file(text.encode("utf-8", "surrogatepass"), NAME)
    kept = [item.text for item in file.records]
    file.records.append(new_record(record("new")))
    again = parse_issue_file(dump_issue_file(file), NAME)
    assert [item.text for item in again.records[:-1]] == kept
    assert again.records[-1].value == record("new")


@pytest.mark.parametrize(
    "text",
    [
        '{{"observations": [{0}],\n  "observations": [\n    {1}\n  ]\n}}',
        '{{"n": 1, "observations": [{0}],\n  "observations": [\n    {1}\n  ]\n}}',
        '{{\n  "observations": [\n    {0}\n  ],\n  "observations": [\n    {1}\n  ]\n}}',
        '{{\n  "observations": [\n    {0}\n  ], "observations": [\n    {1}\n  ]\n}}',
        '{{"n": 1,\n  "observations": [\n    {0}\n  ], "n": 2, "observations": [\n    {1}\n  ]\n}}',
    ],
)
def test_no_list_of_records_is_overlooked(text: str) -> None:
    data = text.format('{\n      "id": "a"\n    }', '{\n      "id": "a"\n    }').encode()
    parsed = parse_issue_file(data, NAME)
    assert _values(parsed) == [{"id": "a"}, {"id": "a"}]
    assert parsed.header.get("n") == json.loads(data).get("n")


@pytest.fixture(params=["as it is", "deep"])
def interpreter(request: pytest.FixtureRequest) -> Iterator[None]:
    """An interpreter that takes a thousand levels, and one that takes more, as from 3.14 on."""
    before = sys.getrecursionlimit()
    if request.param == "deep":
        sys.setrecursionlimit(30_000)
    yield
    sys.setrecursionlimit(before)


@pytest.mark.usefixtures("interpreter")
def test_what_nests_too_deep_is_said() -> None:
    deep = "[" * 5_000 + "]" * 5_000
    header = f'{{"version": {deep}, "observations": []}}'
    with pytest.raises(Unreadable, match="nests too deep"):
        parse_issue_file(header.encode(), NAME)
    fields = f'      "id": "a",\n      "deep": {deep}'
    layout = '{{\n  "version": {},\n  "observations": [\n    {{\n{}\n    }}\n  ]\n}}\n'
    with pytest.raises(Unreadable, match="nests too deep"):
        parse_issue_file(layout.format(deep, fields).encode(), NAME)


@pytest.mark.parametrize("above", ["{", '{\n  "version": 1,'])
@pytest.mark.parametrize("mistake", [",", ' "x"', ' "x": 1', " }", "\n<<<<<<< HEAD"])
def test_a_mistake_above_or_between_the_records_is_no_valid_file(above: str, mistake: str) -> None:
    records = '\n  "observations": [\n    {\n      "id": "a"\n    }%s\n  ]\n}'
    assert _values(parse_issue_file((above + records % "").encode(), NAME)) == [{"id": "a"}]
    for text in (above + mistake + records % "", above + records % mistake):
        with pytest.raises(Unreadable):
            parse_issue_file(text.encode(), NAME)
