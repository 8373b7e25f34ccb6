"""The line on which a setting is set, in each of the ways that TOML has to set it."""

from __future__ import annotations

import pytest

from store.settings.files import line_of, lines_of

TEXT = """\
# a comment = 1
max_tokens = 9

client_tokens.codex = 3
client_tokens . 'gemini-cli' = 4
[recall_weights] # mine
recency = 1
  "very_recent" = 2
[ deep . "er" ]
key = { inner = 1 }
[[lists]]
key = 1
[recall_weights.more]
key = 1
max_tokens = 2
"""


@pytest.mark.parametrize(
    ("names", "line"),
    [
        ("max_tokens", 2),
        ("client_tokens", 4),
        ("client_tokens.codex", 4),
        ("client_tokens.gemini-cli", 5),
        ("client_tokens.other", 4),
        ("recall_weights", 6),
        ("recall_weights.recency", 7),
        ("recall_weights.very_recent", 8),
        ("recall_weights.none", 6),
        ("deep", 9),
        ("deep.er", 9),
        ("deep.er.key", 10),
        ("deep.er.key.inner", 10),
        ("deep.other", 9),
        ("recall_weights.more", 13),
        ("recall_weights.more.key", 14),
        ("recall_weights.more.max_tokens", 15),
        ("a comment", None),
        ("key", None),
        ("nothing.at.all", None),
        ("", None),
    ],
)
def test_where_a_setting_is_set(names: str, line: int | None) -> None:
    assert line_of(lines_of(TEXT), tuple(names.split("."))) == line
