"""Names that are nearly known."""

from __future__ import annotations

import pytest

from store.text.closest_match import check_name


def test_who_misspells_a_name_is_told_the_nearest_or_what_to_do() -> None:
    for known in ("agent", "Agent"):
        check_name(known, "field", ["issue", known], "See the manual.")
    with pytest.raises(ValueError, match=r"^unknown field `agnet`; did you mean `agent`\?$"):
        check_name("agnet", "field", ["agent"], "See the manual.")
    with pytest.raises(ValueError, match=r"^unknown field `lock`; See the manual\.$"):
        check_name("lock", "field", ["agent"], "See the manual.")
    with pytest.raises(ValueError, match=r"^unknown field `agent`; did you mean `Agent`\?$"):
        check_name("agent", "field", ["Issue", "Agent"], "See the manual.")
