"""What it costs to import the parts, in time and memory, beside the libraries they stand on."""

from __future__ import annotations

import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from time import perf_counter

from tests.bench.measure import Series, once
from tests.bench.measure_processes import ROOT
from tests.bench.world import World

_IMPORTS = {
    "bare Python": "sys",
    "tantivy, pydantic": "tantivy, pydantic",
    "textual.app": "textual.app",
    "store": "store",
    "memtui.cli.main": "memtui.cli.main",
    "memtui.tui.app": "memtui.tui.app",
}
_PEAK = "; print(open('/proc/self/status').read().split('VmHWM:')[1].split()[0])"
"""Of the process itself: what rusage says of a child counts its parent's memory at the fork."""


@once
def importing(world: World) -> Iterator[Series]:
    """Whole processes that import and end; the memory is the most they ever held, on Linux."""
    times: defaultdict[str, list[float]] = defaultdict(list)
    peaks: defaultdict[str, list[float]] = defaultdict(list)
    for run in range(-world.warm_up(1), world.runs(15)):
        for name, modules in _IMPORTS.items():
            start = perf_counter()
            said = _python(f"import {modules}{_PEAK if sys.platform == 'linux' else ''}")
            if run >= 0:
                times[name].append((perf_counter() - start) * 1_000)
                peaks[name] += [int(kib) / 1_024 for kib in said.split()]
    for name in _IMPORTS:
        yield Series(f"import {name}", times[name])
    for name, samples in peaks.items():
        if samples:
            yield Series(f"peak memory after import {name}", samples, unit="MiB")


def _python(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True, text=True
    )
    return done.stdout
