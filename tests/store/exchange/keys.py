"""A key that looks real and opens nothing, put together when a test runs."""

from __future__ import annotations


def made_up_key() -> str:
    """A key in the form of a well-known vendor's."""
    body = "".join(f"{chr(97 + number * 7 % 26)}{number * 3 % 10}" for number in range(18))
    return "ghp" + "_" + body
