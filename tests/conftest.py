"""What all tests share: a home of their own and snapshots that hold still."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
import pytest_textual_snapshot  # type: ignore[import-untyped]
from hypothesis import HealthCheck, settings
from syrupy.location import PyTestLocation

SNAPSHOTS = Path(__file__).parent.parent / "snapshots"

# The same examples each time, however slow the machine; `--hypothesis-profile default` looks for
# others.
settings.register_profile(
    "deterministic",
    derandomize=True,
    max_examples=50,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("deterministic")


class _Pictures(pytest_textual_snapshot.SVGImageExtension):  # type: ignore[misc]
    """Keeps the pictures of a test module in `snapshots/<test module>/`."""

    @classmethod
    def dirname(cls, *, test_location: PyTestLocation) -> str:
        return str(SNAPSHOTS / Path(test_location.filepath).stem)


pytest_textual_snapshot.SVGImageExtension = _Pictures


def pytest_collection_finish() -> None:
    """Look through what is here to stay no more: it is most of what the collector would walk."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)


def pytest_sessionfinish() -> None:
    """Look once through what is left; pytest would five times."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """With `-n auto`, twice as many as there are processors: a flow waits for threads.

    Each more takes 6 s of processor time to collect the tests.
    """
    return (os.cpu_count() or 1) * 2


@pytest.fixture(scope="session")
def empty_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home folder with nothing in it."""
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="session", autouse=True)
def _own_home(empty_home: Path) -> Iterator[None]:
    """No test and no shared store sees the home or the variables of whoever runs it."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"):
            patch.setenv(name, str(empty_home))
        for name in ("NO_COLOR", "MEMTUI_DIR", "EDITOR", "VISUAL", "COLORTERM", "FORCE_COLOR"):
            patch.delenv(name, raising=False)
        yield


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The URL of a PostgreSQL database, started for the first test that asks; else it skips."""
    from tests.postgres import server

    with server() as url:
        yield url


@pytest.fixture
def still(monkeypatch: pytest.MonkeyPatch) -> None:
    """An app whose pictures don't move: no animation."""
    from textual import constants

    monkeypatch.setattr(constants, "TEXTUAL_ANIMATIONS", "none")
