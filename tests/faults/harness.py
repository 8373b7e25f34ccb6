"""Kill an operation at each of its file-system calls and look at what it leaves behind.

A scenario is a folder made ready and an operation on it. It is run once unharmed, to learn its
calls and what each answer promised. Then it is run again for every call and every way of failing;
each time the folder is looked at as another process would see it:

- what was acknowledged is there, what was not is there wholly or not at all, issue by issue;
- the listing may lag behind, but promises nothing that no record ever held;
- an operation that lives to report an error reports a calm one and leaves nothing lying about;
- the next operation works, and leaves the folder in order.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path
from unittest import mock

from tests.faults.disk import SimulatedDisk
from tests.faults.modes import Call, Fault, Forbidden, Killed, Mode

View = Mapping[str, tuple[str, ...]]
"""What each issue shows: its observations as sorted texts, one that stands twice given twice.

A text may end in ` [...]` for what else is said of the observation.
"""

Acknowledge = Callable[[], None]

NEXT = "the next operation"
"""The start of the texts that the harness itself adds."""


@dataclass(frozen=True, slots=True)
class Subject:
    """A store under test, by what the harness needs of it. Each takes the scenario's folder.

    `view` and `listing` read as a stranger would and raise ValueError at a file half written;
    `add` stores one text as a new process would; `in_order` raises AssertionError where derived
    files are out of step at rest; `errors` are the calm ones; `may_stay` tells the names of files
    that an operation may leave new, whatever happened; `bury` makes the files look as if the
    process that left them were dead, since the one that was killed here lives on.
    """

    view: Callable[[Path], View]
    listing: Callable[[Path], frozenset[str]]
    add: Callable[[Path, str], None]
    in_order: Callable[[Path], None]
    errors: tuple[type[Exception], ...]
    may_stay: Callable[[str], bool]
    bury: Callable[[Path], None] = lambda folder: None


@dataclass(frozen=True, slots=True)
class Scenario:
    """An operation under test: `run` calls `acknowledge` after each answer it gets."""

    name: str
    subject: Subject
    prepare: Callable[[Path], None]
    run: Callable[[Path, Acknowledge], None]


@dataclass(frozen=True, slots=True)
class Failure:
    """What went wrong, after which call failed in which way."""

    scenario: str
    mode: Mode
    call: Call | None
    point: int
    what: str

    def __str__(self) -> str:
        where = f"at call {self.point}, {self.call}" if self.call else "after the answer"
        return f"{self.scenario}: {self.mode} {where}: {self.what}"


@dataclass(slots=True)
class Report:
    """The calls of the unharmed run, how often it was run again, and the failures found."""

    calls: list[Call]
    runs: int = 0
    failures: list[Failure] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Rehearsal:
    """What the unharmed run taught: its calls, what stood after each answer, and the names."""

    calls: list[Call]
    states: list[View]
    names: frozenset[str]
    calls_of_next: int


def explore(
    scenario: Scenario, base: Path, sample: int | None = None, modes: Iterable[Mode] = Mode
) -> Report:
    """Break the scenario in each mode at every call, or at `sample` calls spread over each mode.

    `base` is an empty folder to work in. No run waits for the real disk: what is synced is only
    noted, by the simulated one.
    """
    with mock.patch.object(os, "fsync", lambda descriptor: None):
        return _explore(scenario, base, sample, modes)


def _explore(scenario: Scenario, base: Path, sample: int | None, modes: Iterable[Mode]) -> Report:
    template = base / "template"
    template.mkdir()
    scenario.prepare(template)
    rehearsal = _rehearse(scenario, template, base / "rehearsal")
    report = Report(rehearsal.calls)
    for mode in modes:
        for number, fault in enumerate(_faults(rehearsal, mode, sample)):
            report.runs += 1
            folder = base / f"{mode.name.lower()}-{number}"
            shutil.copytree(template, folder, symlinks=True)
            struck: Call | None = None
            try:
                struck = _attempt(scenario, folder, fault, rehearsal)
            except AssertionError as error:
                what = str(error)
                call = rehearsal.calls[fault.point] if fault.point < len(rehearsal.calls) else None
                report.failures.append(
                    Failure(scenario.name, mode, struck or call, fault.point, what)
                )
            shutil.rmtree(folder)
    return report


def _rehearse(scenario: Scenario, template: Path, folder: Path) -> _Rehearsal:
    """Run the scenario unharmed."""
    subject = scenario.subject
    shutil.copytree(template, folder, symlinks=True)
    states = [subject.view(folder)]
    disk = SimulatedDisk(folder)

    def acknowledge() -> None:
        with disk.paused():
            states.append(subject.view(folder))

    with disk.mounted():
        scenario.run(folder, acknowledge)
    assert len(states) > 1, f"{scenario.name} acknowledges nothing"
    assert subject.view(folder) == states[-1], f"{scenario.name} changes something after its answer"
    names = _names(folder)
    recovery = SimulatedDisk(folder)
    with recovery.mounted():
        subject.add(folder, NEXT)
    subject.in_order(folder)
    shutil.rmtree(folder)
    return _Rehearsal(disk.calls, states, names, len(recovery.calls))


def _faults(rehearsal: _Rehearsal, mode: Mode, sample: int | None) -> list[Fault]:
    """Where to strike in this mode: the calls it applies to and, where it kills, the end."""
    points = [n for n, call in enumerate(rehearsal.calls) if mode.applies_to(call.kind)]
    if mode.ends_the_process and mode is not Mode.TORN_WRITE:
        points.append(len(rehearsal.calls))
    return [Fault(point, mode) for point in _spread(points, sample)]


def _spread(points: Sequence[int], sample: int | None) -> Sequence[int]:
    if sample is None or len(points) <= sample:
        return points
    if sample == 1:
        return [points[len(points) // 2]]
    step = (len(points) - 1) / (sample - 1)
    return [points[round(step * n)] for n in range(sample)]


def _attempt(scenario: Scenario, folder: Path, fault: Fault, rehearsal: _Rehearsal) -> Call | None:
    """Run the scenario with one fault; returns the call it struck, raises AssertionError."""
    subject, mode = scenario.subject, fault.mode
    names = _names(folder)
    disk = SimulatedDisk(folder, fault)
    answers = 0
    ended = error = False

    def acknowledge() -> None:
        nonlocal answers
        answers += 1

    try:
        with disk.mounted():
            scenario.run(folder, acknowledge)
            ended = True
    except Killed:
        pass
    except subject.errors:
        error = True
    except Forbidden:
        raise
    except Exception as unexpected:
        raise AssertionError(f"raises {type(unexpected).__name__}: {unexpected}") from unexpected
    if ended:
        assert answers == len(rehearsal.states) - 1, "answered fewer times than unharmed"
    if not mode.ends_the_process:
        assert not disk.dead
        assert not disk.left_open, f"leaves {disk.left_open[0]} open"
        assert not (error and mode is Mode.SHORT_WRITE), "a short write is not continued"
        if not _excuses_what_is_left(disk.struck):
            left = _left_behind(folder, names | rehearsal.names, subject.may_stay)
            assert not left, f"leaves {left[0]} behind"
    else:
        subject.bury(folder)
    if mode in (Mode.DATA_LOST, Mode.NAMES_LOST):
        disk.cut_power(mode)
    elif mode is Mode.IO_ERROR:
        # Whatever was answered in spite of the error must be as durable as any other answer.
        disk.cut_power(Mode.NAMES_LOST)
    elif mode is Mode.KILLED_TWICE:
        _die_in_recovery(scenario, folder, fault, rehearsal)
    elif mode is Mode.KILLED_THEN_CUT:
        _recover_then_cut_power(scenario, disk)
    with _a_minute_later() if mode.cuts_power else nullcontext():
        _inspect(subject, folder, rehearsal.states, answers, strict=not mode.cuts_power)
    return disk.struck


def _die_in_recovery(scenario: Scenario, folder: Path, fault: Fault, rehearsal: _Rehearsal) -> None:
    """Kill the operation after the crash too, each time at another call of it."""
    point = fault.point * 7 % max(1, rehearsal.calls_of_next)
    disk = SimulatedDisk(folder, Fault(point, Mode.KILLED))
    with suppress(Killed), disk.mounted():
        _add(scenario.subject, folder, f"{NEXT}, killed")
    scenario.subject.bury(folder)


def _recover_then_cut_power(scenario: Scenario, disk: SimulatedDisk) -> None:
    """Let an operation build on what the dead one left unsynced, answer, and lose power then."""
    subject, folder = scenario.subject, disk.root
    recovery = SimulatedDisk(folder, after=disk)
    with recovery.mounted():
        _add(subject, folder, f"{NEXT}, cut")
    recovery.cut_power(Mode.NAMES_LOST)
    texts = list(_texts(_look(subject, folder)))
    assert texts.count(f"{NEXT}, cut") == 1, "the power cut takes what was added after the kill"


def _inspect(
    subject: Subject, folder: Path, states: Sequence[View], answers: int, *, strict: bool
) -> None:
    """Look at the folder as the next process would, then be that process.

    Not `strict`, a listing may be unreadable: derived files are not synced.
    """
    seen = _look(subject, folder)
    before, after = states[answers], states[min(answers + 1, len(states) - 1)]
    for issue in sorted(seen.keys() | before.keys() | after.keys()):
        stands = tuple(text for text in seen.get(issue, ()) if not text.startswith(NEXT))
        allowed = {before.get(issue, ()), after.get(issue, ())}
        assert stands in allowed, f"{issue} shows {stands} instead of one of {sorted(allowed)}"
    once = [seen, *states[: answers + 1]]
    known = {text.partition(" [")[0] for view in once for text in _texts(view)}
    try:
        phantoms = subject.listing(folder) - known
        assert not phantoms, f"the listing promises {sorted(phantoms)}, which no record held"
    except ValueError as error:
        assert not strict, f"half a listing is visible: {error}"
    _add(subject, folder, NEXT)
    now = _look(subject, folder)
    assert sorted(_texts(now)) == sorted([*_texts(seen), NEXT]), (
        f"the next operation turns {dict(seen)} into {dict(now)}"
    )
    try:
        subject.in_order(folder)
    except Exception as unexpected:
        raise AssertionError(
            f"not in order after the next operation: {unexpected!r}"
        ) from unexpected


def _add(subject: Subject, folder: Path, text: str) -> None:
    try:
        subject.add(folder, text)
    except Exception as unexpected:
        raise AssertionError(f"then {text} raises {unexpected!r}") from unexpected


def _look(subject: Subject, folder: Path) -> View:
    try:
        return subject.view(folder)
    except ValueError as error:
        raise AssertionError(f"half a file is visible: {error}") from error


def _texts(view: View) -> Iterator[str]:
    for texts in view.values():
        yield from texts


def _a_minute_later() -> AbstractContextManager[object]:
    """The time after a power cut: a machine takes a while to start again."""
    now = time.time
    return mock.patch.object(time, "time", lambda: now() + 60)


def _names(folder: Path) -> frozenset[str]:
    above = len(f"{folder}{os.sep}")
    return frozenset(
        os.path.join(place, name)[above:]  # noqa: PTH118 - a path each takes longer than the rest
        for place, folders, files in os.walk(folder)
        for name in (*folders, *files)
    )


def _excuses_what_is_left(struck: Call | None) -> bool:
    """Whether a file may stay: its removal failed, or reading whose it is, or what the log's folder
    holds: then that is made, to look into it under its lock.
    """
    return struck is not None and (
        struck.name in ("unlink", "remove", "rmdir")
        or (struck.name == "listdir" and struck.path.endswith("/activity"))
        or (struck.name == "open" and struck.path.endswith(".lock"))
    )


def _left_behind(
    folder: Path, expected: frozenset[str], may_stay: Callable[[str], bool]
) -> list[str]:
    return sorted(name for name in _names(folder) - expected if not may_stay(name))
