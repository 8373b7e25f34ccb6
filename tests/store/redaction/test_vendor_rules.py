"""A rule of a vendor: what of all that looks like a token is one, and when it is asked."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from store.redaction.vendor_rules import VendorRule

PLAIN, RANDOM, OTHER, EXAMPLE = "aaaaaaaa", "k3j9xq2m", "p7vl5nr8", "example7"


def _rule(name: str = "shop", **given: object) -> VendorRule:
    fields: dict[str, object] = {
        "source": r"sh_(?P<secret>[a-z0-9]{8})",
        "keywords": ("sh_",),
        "least_entropy": 2.0,
        "unless": "example",
        **given,
    }
    return VendorRule(name, **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("written", "found"),
    [
        ((RANDOM, OTHER), (RANDOM, OTHER)),
        ((PLAIN, RANDOM), (RANDOM,)),
        ((EXAMPLE, RANDOM, PLAIN, OTHER, EXAMPLE), (RANDOM, OTHER)),
        ((PLAIN, EXAMPLE), ()),
        ((), ()),
    ],
)
def test_what_is_no_secret_hides_none_that_stands_behind_it(
    written: Sequence[str], found: Sequence[str]
) -> None:
    text = " ".join(f"sh_{it}" for it in written)
    spans = list(_rule().spans(text))
    assert tuple(text[it.start : it.end] for it in spans) == found
    assert {it.rule for it in spans} <= {"shop"}


def test_without_exceptions_and_without_a_least_entropy_all_are_found() -> None:
    text = " ".join(f"sh_{it}" for it in (PLAIN, EXAMPLE, RANDOM))
    assert len(list(_rule(unless="").spans(text))) == 2
    assert len(list(_rule(least_entropy=0.0).spans(text))) == 2
    assert len(list(_rule(least_entropy=0.0, unless="").spans(text))) == 3
