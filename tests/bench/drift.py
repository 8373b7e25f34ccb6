"""Verdicts on made memories of real repositories, each right one known by construction.

    python -m tests.bench.drift CLONE…

Each clone is copied; memories of its files are made at its newest commit, half with an anchor, half
by their time alone. Then commits are made on top: files renamed, moved twice, deleted, edited near
and far from what a memory cites. More memories are spread over the last 5,000 commits, for the
times.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import NamedTuple

from store import Memory, Observation, open_memory
from store.backends.location import FOLDER
from store.drift.verdicts import drift_of
from store.model import Verdict

_COMMITS = 5_000
_AGED = 300
_DEFINES = re.compile(r"^(?:def|function|(?:pub )?(?:async )?fn|func) (\w{6,})\(", re.M)
_IDENTITY = ("-c", "user.name=bench", "-c", "user.email=bench@example.com")


class Clone:
    """A copy of a repository, to commit in."""

    def __init__(self, source: Path, folder: Path) -> None:
        self.root = folder / source.name
        subprocess.run(["git", "clone", "-q", str(source), str(self.root)], check=True)
        with (self.root / ".git/info/exclude").open("a") as excluded:
            excluded.write("\n.agentx/\n")

    def git(self, *arguments: str) -> str:
        command = ["git", "-C", str(self.root), *_IDENTITY, *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    def commit(self) -> None:
        self.git("add", "-A")
        self.git("commit", "-q", "--no-verify", "-m", "Change what memories name")


class Cited(NamedTuple):
    """A file with two names that only it defines: one to cite, one far from it."""

    path: str
    name: str
    line: int
    far: int


def _cited_files(clone: Clone) -> Iterator[Cited]:
    """Yield files that define several names, each of which no other file has."""
    texts = {}
    for path in sorted(clone.git("ls-files").splitlines()):
        if re.search(r"\.(?:py|js|rs|go)$", path) and "/" in path:
            texts[path] = (clone.root / path).read_text("utf-8", "replace")
    names = [name for text in texts.values() for name in _DEFINES.findall(text)]
    for path, text in texts.items():
        own = [match for match in _DEFINES.finditer(text) if names.count(match[1]) == 1]
        if len(own) > 1:
            first, last = (text[: match.start()].count("\n") + 1 for match in (own[0], own[-1]))
            if last - first > 12:
                yield Cited(path, own[0][1], first, last)


def _rename(clone: Clone, cited: Cited) -> None:
    clone.git("mv", cited.path, str(Path(cited.path).with_stem(f"{Path(cited.path).stem}_new")))


def _move(clone: Clone, cited: Cited) -> None:
    place = Path("moved") / cited.path
    (clone.root / place).parent.mkdir(parents=True, exist_ok=True)
    clone.git("mv", cited.path, str(place))


def _move_twice(clone: Clone, cited: Cited) -> None:
    _move(clone, cited)
    clone.commit()
    _rename(clone, cited._replace(path=f"moved/{cited.path}"))


def _delete(clone: Clone, cited: Cited) -> None:
    clone.git("rm", "-q", cited.path)


def _at(line: Callable[[Cited], int]) -> Callable[[Clone, Cited], None]:
    def insert(clone: Clone, cited: Cited) -> None:
        lines = (clone.root / cited.path).read_text("utf-8", "replace").split("\n")
        at = line(cited)
        depth = re.match(r"\s*", lines[at])
        lines.insert(at, f"{depth[0] if depth else ''}changed_by_the_bench = 1")
        (clone.root / cited.path).write_text("\n".join(lines))

    return insert


_NEAR, _FAR = _at(lambda cited: cited.line), _at(lambda cited: cited.far)
_ABOVE = _at(lambda cited: cited.line - 1)


def _nothing(clone: Clone, cited: Cited) -> None: ...


def _by_file(cited: Cited) -> str:
    return f"{cited.path} is where it is decided."


def _by_name(cited: Cited) -> str:
    return f"`{cited.name}()` in {cited.path} decides it."


def _by_lines(cited: Cited) -> str:
    return f"It is decided in {cited.path}:{cited.line}-{cited.line + 2}."


CASES: Sequence[tuple[Callable[[Clone, Cited], None], Callable[[Cited], str], Verdict]] = (
    (_rename, _by_file, Verdict.MOVED),
    (_rename, _by_name, Verdict.MOVED),
    (_move, _by_file, Verdict.MOVED),
    (_move, _by_lines, Verdict.MOVED),
    (_move_twice, _by_name, Verdict.MOVED),
    (_delete, _by_file, Verdict.GONE),
    (_delete, _by_name, Verdict.GONE),
    (_delete, _by_lines, Verdict.GONE),
    (_NEAR, _by_file, Verdict.CHANGED),
    (_NEAR, _by_name, Verdict.CHANGED),
    (_NEAR, _by_lines, Verdict.CHANGED),
    (_FAR, _by_name, Verdict.CURRENT),
    (_FAR, _by_lines, Verdict.CURRENT),
    (_ABOVE, _by_name, Verdict.CURRENT),
    (_ABOVE, _by_lines, Verdict.CURRENT),
    (_nothing, _by_file, Verdict.CURRENT),
    (_nothing, _by_name, Verdict.CURRENT),
)


def _memory(content: str, when: datetime, number: int) -> Observation:
    return Observation(
        agent="bench",
        issue_number=0,
        category="decision",
        content=content,
        id=f"obs-bench-0-{number:06d}",
        timestamp=when,
    )


def _aged(clone: Clone) -> Iterator[tuple[str, datetime]]:
    """Yield memories of files that commits changed, at the times of these commits."""
    log = clone.git("log", f"-{_COMMITS}", "--format=%x01%ct", "--name-only", "--diff-filter=AM")
    commits = [block.split() for block in log.split("\x01")[1:]]
    changed = [(paths[0], int(time)) for time, *paths in commits if paths]
    for path, time in changed[:: max(1, len(changed) // _AGED)]:
        yield f"{path} does it.", datetime.fromtimestamp(time, UTC)


def _measured(memory: Memory) -> float:
    began = perf_counter()
    memory.drift.refresh()
    return (perf_counter() - began) * 1_000


def bench(source: Path) -> tuple[int, int]:
    """Print what a repository gives; return how many verdicts are right, of how many."""
    with TemporaryDirectory() as folder:
        clone = Clone(source, Path(folder))
        cited = list(_cited_files(clone))
        made = [(*CASES[at % len(CASES)], one) for at, one in enumerate(cited[: 2 * len(CASES)])]
        cache = Path(folder) / "cache"
        with open_memory(clone.root / FOLDER, cache=cache) as memory:
            now = datetime.now(UTC)
            for number, (_, words, _, one) in enumerate(made):
                plain = _memory(words(one), now, number)
                is_anchored = number < len(CASES)
                memory.add([memory.drift.anchored(plain) if is_anchored else plain])
            for number, (words_then, when) in enumerate(_aged(clone), len(made)):
                memory.add([_memory(words_then, when, number)])
            for change, _, _, one in made:
                change(clone, one)
            clone.commit()
            memory.drift.refresh()  # indexes the names of the code
            for kept in cache.glob("*-history"), cache.glob("*-drift"):
                for path in kept:
                    path.unlink()
        with open_memory(clone.root / FOLDER, cache=cache) as memory:
            times = [_measured(memory), _measured(memory)]
        with open_memory(clone.root / FOLDER, cache=cache) as memory:
            times.append(_measured(memory))
            (clone.root / "fresh.txt").write_text("fresh\n")
            clone.commit()
            times.append(_measured(memory))
            found = memory.drift.verdicts()
            wrong = []
            for number, (_, words, verdict, one) in enumerate(made):
                drift = drift_of(found.entries[f"obs-bench-0-{number:06d}"][1])
                if drift.verdict is not verdict:
                    wrong.append(f"  {words(one)}: {drift}, not {verdict}")
        commits = min(_COMMITS, int(clone.git("rev-list", "--count", "HEAD")))
    first, again, anew, one_more = times
    print(
        f"{source.name}: {len(made) - len(wrong)} of {len(made)} right; {commits:,} commits: "
        f"first {first:.0f} ms, again {again:.0f} ms, in a new process {anew:.0f} ms, "
        f"after one more commit {one_more:.0f} ms",
        *wrong,
        sep="\n",
    )
    return len(made) - len(wrong), len(made)


def main() -> None:
    if shutil.which("git") is None or len(sys.argv) < 2:
        sys.exit("Usage: python -m tests.bench.drift CLONE…")
    results = [bench(Path(source)) for source in sys.argv[1:]]
    print(f"{sum(right for right, _ in results)} of {sum(of for _, of in results)} right")


if __name__ == "__main__":
    main()
