"""Paths of moved files, as they are written in a memory."""

from __future__ import annotations

import pytest

from store.drift.verdicts import with_paths

A, B, C = "shop/a.py", "shop/b.py", "lib/c.py"


@pytest.mark.parametrize(
    ("text", "moved", "expected"),
    [
        ("See shop/a.py:12, and shop/a.py.", [(A, B)], "See shop/b.py:12, and shop/b.py."),
        ("Run ./shop/a.py", [(A, B)], "Run shop/b.py"),
        ("shop/a.py.bak, my/shop/a.py, shop/a.pyc", [(A, B)], None),
        (
            "shop/a.py was split from shop/b.py",
            [(A, B), (B, C)],
            "shop/b.py was split from lib/c.py",
        ),
        ("shop/a.py and a.py", [(A, B), ("a.py", r"x\1.py")], r"shop/b.py and x\1.py"),
        ("größe/a.py", [("größe/a.py", B)], B),
    ],
)
def test_each_path_is_written_as_it_is_now(
    text: str, moved: list[tuple[str, str]], expected: str | None
) -> None:
    assert with_paths(text, moved) == (text if expected is None else expected)
