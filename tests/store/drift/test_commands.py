"""Commands and configuration keys that memories cite, against what the project defines."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from store.drift.commands import KINDS, cited_in
from store.model import Verdict
from tests.store.drift.made import Made

FILES = {
    "package.json": ('{"scripts": {"lint": "eslint ."}}', "lint", '{"scripts": {}}'),
    "Makefile": (".PHONY: check\nCC := gcc\ncheck: build\n\techo\n", "check", "build:\n"),
    "justfile": ("set shell := ['sh']\nship target='all':\n  echo\n", "ship", "build:\n"),
    "tox.ini": ("[tox]\n[testenv:types]\n", "types", "[tox]\n"),
    "pyproject.toml": ('[project.scripts]\nserve = "a:b"\n', "serve", "[project]\n"),
    "mise.toml": ('[tasks.docs]\nrun = "x"\n', "docs", "[tasks]\n"),
    "tools.mk": ("check: build\n\techo\n", "check", "build:\n"),
}
RUN = {
    "package.json": "pnpm run lint",
    "Makefile": "make -j4 V=1 check",
    "justfile": "just ship",
    "tox.ini": "tox -e types",
    "pyproject.toml": "uv run serve",
    "mise.toml": "mise run docs",
    "tools.mk": "make check",
}


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
@pytest.mark.parametrize("file", FILES)
def test_a_command_is_gone_once_nothing_defines_it(file: str, tmp_path: Path) -> None:
    before, name, after = FILES[file]
    made = Made(tmp_path)
    made.write(f"web/{file}", before)
    made.commit()
    with made.open() as memory:
        memory.add([made.memory(f"Before a release: `cd web && {RUN[file]}`, then wait.")])
        memory.add([made.memory("Never `make coffee` or `npm run nothing` here.")])
        verdicts = [drift.verdict for drift in made.verdicts(memory).values()]
        assert verdicts == [Verdict.CURRENT, Verdict.UNKNOWN]
        made.write(f"web/{file}", after)
        made.commit()
        drift, other = made.verdicts(memory).values()
        assert (drift.verdict, drift.gone) == (Verdict.GONE, (RUN[file],))
        assert other.verdict is Verdict.UNKNOWN, "it was never there"
        made.write(f"other/{file}", before)
        made.commit()
        assert next(iter(made.verdicts(memory).values())).verdict is Verdict.CURRENT
        assert name in next(kind for kind in KINDS if kind.has(file)).defined_in(before)


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_a_key_is_gone_once_the_file_has_it_no_more(tmp_path: Path) -> None:
    made = Made(tmp_path)
    made.write("pyproject.toml", "[tool.ruff]\nline-length = 100\n")
    made.commit()
    with made.open() as memory:
        memory.add([made.memory("Lines are long: `tool.ruff.line-length` is 100.")])
        assert made.verdict(memory).verdict is Verdict.CURRENT
        made.write("pyproject.toml", "[tool.ruff]\n")
        made.commit()
        assert made.verdict(memory).gone == ("tool.ruff.line-length",)


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_a_task_of_its_own_file_is_defined_by_it(tmp_path: Path) -> None:
    made = Made(tmp_path)
    made.write("mise.toml", '[tasks.lint]\nrun = "x"\n')
    made.commit()
    with made.open() as memory:
        memory.add([made.memory("First `mise run lint`, then `mise run lint:go`.")])
        made.write("mise.toml", "[tools]\n")
        made.write("mise-tasks/lint/_default", "#!/bin/sh\n")
        made.write("mise-tasks/lint/go.sh", "#!/bin/sh\n")
        made.commit()
        assert made.verdict(memory).verdict is Verdict.CURRENT
        made.git("rm", "-qr", "mise-tasks")
        made.commit()
        assert made.verdict(memory).gone == ("mise run lint",), "the other came later"


def test_what_is_no_command_is_passed_over() -> None:
    assert cited_in("make check, `make`, `npm`, `[project`, `x = make y`, `echo make it`") == ()
    assert [one.name for one in cited_in("`yarn test --watch` and `[tool.mypy]`")] == [
        "test",
        "tool.mypy",
    ]
    for kind in KINDS:
        assert kind.defined_in("{[\0") == frozenset()
        assert kind.defined_in("[" * 100_000) == frozenset()
        assert kind.defined_in(f"a{'.a' * 2_000} = 1") == frozenset(), "it would take too long"
