"""Rules that may hold in every project: by their words alone."""

from __future__ import annotations

import pytest

from store.capture.general import is_for_all_projects
from store.model import FINDER
from tests.store.factories import observation


@pytest.mark.parametrize(
    ("rule", "is_general"),
    [
        ("Always write the test before the fix.", True),
        ("Never push on a Friday, don't ask.", True),
        ("From now on, answer in British English.", True),
        ("Always run the linter on src/app before you commit.", False),
        ("Never call `reset` in a test.", False),
        ("Always go through readAll.", False),
        ("Never change order_total by hand.", False),
        ("In Heron, never log the card number.", False),
        ("Always use Python 3.11.", False),
    ],
)
def test_a_rule_is_general_where_it_names_nothing_of_the_project(
    rule: str, is_general: bool
) -> None:
    found = observation(rule, category="lesson", extra={FINDER: "rules"})
    assert is_for_all_projects(found, "heron") is is_general


@pytest.mark.parametrize(
    "fields", [{"extra": {}}, {"level": "mine"}, {"level": "team"}, {"archived": True}]
)
def test_only_a_rule_of_ones_own_project_is_offered(fields: dict[str, object]) -> None:
    rule = {"category": "lesson", "extra": {FINDER: "rules"}, **fields}
    assert not is_for_all_projects(observation("Always write the test first.", **rule), "heron")
