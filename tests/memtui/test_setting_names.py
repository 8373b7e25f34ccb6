from __future__ import annotations

import pytest

from memtui.settings.choices import (
    check_action,
    check_command,
    check_theme,
)
from store.text.closest_match import nearest


def test_a_name_spelt_much_alike_is_nearest() -> None:
    known = ("engineer", "Architect", "reviewer")
    assert nearest("enginer", known) == "engineer"
    assert nearest("ARCHITEKT", known) == "Architect"
    assert nearest("lock", known) is None
    assert nearest("", known) is None


def test_a_name_that_is_unknown_is_told_with_one_that_is_known() -> None:
    with pytest.raises(ValueError, match="unknown theme `norf`; did you mean `nord`"):
        check_theme("norf")
    with pytest.raises(ValueError, match="unknown theme `mine`; known: memtui, textual-dark, "):
        check_theme("mine")
    with pytest.raises(ValueError, match="unknown action `archve`; did you mean `archive`"):
        check_action("archve")
    with pytest.raises(ValueError, match="`vi 'x` is not a command: no closing quotation"):
        check_command("vi 'x")
    assert check_theme("nord") and check_action("archive") and check_command("vi -c 'set nu'")
