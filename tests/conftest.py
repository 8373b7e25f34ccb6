"""What all tests share: a home of their own and snapshots that hold still."""

from __future__ import annotations

import gc
import os
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.amber import AmberSnapshotExtension
from syrupy.location import PyTestLocation

TESTS = Path(__file__).parent
SNAPSHOTS = TESTS.parent / "snapshots"
IN_MEMORY = "/dev/shm"

# Bytecode makes each of the many processes that the tests start several times quicker.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
# Aider writes its times as the machine's clock shows them.
os.environ["TZ"] = "UTC"
time.tzset()

# The same examples each time, however slow the machine; `--hypothesis-profile default` looks for
# others.
settings.register_profile(
    "deterministic",
    derandomize=True,
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("deterministic")


class _Texts(AmberSnapshotExtension):
    """Keeps the texts of a test module in `snapshots/texts/<folder>/`: an update of the flows would
    take texts of a module that is called as one of theirs for left over.
    """

    @classmethod
    def dirname(cls, *, test_location: PyTestLocation) -> str:
        return str(SNAPSHOTS / "texts" / Path(test_location.filepath).parent.relative_to(TESTS))


@pytest.fixture
def snapshot(snapshot: SnapshotAssertion) -> SnapshotAssertion:
    """What a test compares a text with."""
    return snapshot.use_extension(_Texts)


def pytest_configure() -> None:
    """Prepare the workers, and all that tests start."""
    _keep_memory()
    _write_into_memory()


def _keep_memory() -> None:
    """Have glibc keep what is freed: each commit of an index takes and frees 8 MB in a thread of
    its own, page by page. Measured, in turn: 7.2 and 7.6 s of 291 tests instead of 8.2 and 9.0.
    """
    os.environ.setdefault("MALLOC_ARENA_MAX", "1")
    for limit in ("MALLOC_TRIM_THRESHOLD_", "MALLOC_MMAP_THRESHOLD_"):
        os.environ.setdefault(limit, str(10**9))


def _write_into_memory() -> None:
    """Put what tests write into memory, where the machine has a disk there with room for it: some
    300 MB, of which a run that passed leaves nothing. Measured: 164 s instead of 179.
    """
    if "PYTEST_DEBUG_TEMPROOT" in os.environ or not os.access(IN_MEMORY, os.W_OK):
        return
    disk = os.statvfs(IN_MEMORY)
    if disk.f_bavail * disk.f_frsize > 2**30 and not disk.f_flag & os.ST_NOEXEC:
        os.environ["PYTEST_DEBUG_TEMPROOT"] = IN_MEMORY


def pytest_collection(session: pytest.Session) -> None:
    """Of several workers, each loads its share of all tests first: what pytest makes of a test
    module is made once then, in a fresh checkout too, and not by every worker.
    """
    number = os.environ.get("PYTEST_XDIST_WORKER", "")[2:]
    if not number or session.config.args_source is not pytest.Config.ArgsSource.TESTPATHS:
        return
    workers = int(os.environ["PYTEST_XDIST_WORKER_COUNT"])
    for path in sorted(TESTS.rglob("test_*.py"))[int(number) :: workers]:
        with suppress(Exception, pytest.skip.Exception):  # collecting it tells
            import_module(".".join(path.relative_to(TESTS.parent).with_suffix("").parts))


def pytest_collection_finish() -> None:
    """Look through what is here to stay no more: it is most of what the collector would walk."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(200_000, 50, 100)


def pytest_sessionfinish() -> None:
    """Look once through what is left; pytest would five times."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """With `-n auto`, half as many again as there are processors: a flow waits for threads.

    Each more takes 6 s of processor time to collect the tests. Measured with 2 processors: 2
    workers 174 s, 3 166 s.
    """
    return (os.cpu_count() or 1) * 3 // 2


@pytest.fixture(scope="session")
def empty_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
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


@pytest.fixture(scope="session", autouse=True)
def _no_wait_for_the_disk() -> Iterator[None]:
    """A sync sees that its handle is open, and waits for no disk: no test could tell. Commands in
    processes of their own sync in earnest.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", os.fstat)
        yield


@pytest.fixture(scope="session")
def _folders_made() -> Counter[str]:
    """How many folders were made for tests of a name."""
    return Counter()


@pytest.fixture(scope="session")
def tmp_path_factory(
    tmp_path_factory: pytest.TempPathFactory, _folders_made: Counter[str]
) -> Iterator[pytest.TempPathFactory]:
    """Pytest's, which would look at the folders of all tests before for a free name."""
    base = tmp_path_factory.getbasetemp()

    def mktemp(name: str, numbered: bool = True) -> Path:
        path = base / (f"{name}{_folders_made[name]}" if numbered else name)
        _folders_made[name] += 1
        path.mkdir(mode=0o700)
        return path

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tmp_path_factory, "mktemp", mktemp)
        yield tmp_path_factory


@pytest.fixture
def tmp_path(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of the test's own."""
    return tmp_path_factory.mktemp(re.sub(r"\W", "_", request.node.name)[:30])


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
