"""The numbers that the bench of weights changes are where it looks for them."""

from __future__ import annotations

from types import ModuleType

import pytest

from tests.bench.ablation import CONSTANTS


@pytest.mark.parametrize(("module", "name"), CONSTANTS)
def test_a_number_that_is_changed_stands_in_its_module(module: ModuleType, name: str) -> None:
    assert isinstance(getattr(module, name), int | float)
