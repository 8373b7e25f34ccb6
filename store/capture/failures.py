"""Errors: what failed, why, and what made it work. The error and its fix belong together."""

from __future__ import annotations

import re
from collections.abc import Iterator

from store.agents.session import Session, Step
from store.capture.candidate import Candidate, Passed, shorten
from store.capture.paths import project_path
from store.capture.prose import intent, sentences
from store.capture.tools import command_of, edits_of
from store.model import Category

_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_CHECK = re.compile(
    r"\b(?:tests?|lint|build|compile|check|vet|pytest|jest|vitest|tsc|mypy|ruff|eslint|cargo|make|go"
    r"|npm|pnpm|yarn|mvn|gradle|tox|nox|bundle|rspec|phpunit|dotnet|docker|terraform|deploy"
    r"|migrate|run)\b"
)
_FAILURE_LINE = re.compile(
    r"\b(?:error|errors|failed|failure|failures|exception|panic|fatal|undefined|cannot|can't"
    r"|unexpected|denied|refused|timed? ?out|not found|no such|invalid|missing|unable|conflict)\b"
    r"|\b\w+(?:Error|Exception)\b|^\s*--- FAIL|^FAIL\b|^E\s{2,}|✗|✖|×",
    re.I,
)
_FAILING = re.compile(
    r"^\s*--- FAIL|^FAIL(?:ED)?\b|^panic:|^Traceback|^error(?:\[|:)|\b[1-9]\d* failed\b",
    re.M,
)
_NO_FAILURE_LINE = re.compile(
    r"^Exit code \d+$|^\[?\w+\]? \$ |^\s*at |^\s*\^|\b0 (?:errors|failed|failures)\b|^<|Sources:"
    r"|\bERROR task failed"
    r"|npm ERR! (?:code|errno)|^make: \*\*\*|^error: script .* exited"
)
_NOT_OURS = re.compile(r"\b(?:pre-existing|not related to|unrelated to|not caused by)\b", re.I)
_ADMITS = re.compile(
    r"\b(?:fail(?:s|ed|ing|ure)?|errors?|broken?|issue|problem|wrong|doesn't|didn't|falh\w+)\b",
    re.I,
)
_ANNOUNCEMENT = re.compile(
    r"^(?:let me|let's|now|i'll|i need|i will|i see\b.{0,30}$|(?:all )?tests? pass|good|great)",
    re.I,
)
_FEEDBACK = "The user doesn't want"
_LOOKED_AHEAD = 60


def failures(session: Session, roots: tuple[str, ...] = ()) -> Iterator[Candidate | Passed]:
    """A candidate for each failure with something to learn from, the others passed.

    A command that fails again before it works is one failure.
    """
    told: set[int] = set()
    for index, step in enumerate(session.steps):
        command = command_of(step.call)
        if index in told or not command or step.call.aside or not _has_failed(step):
            continue
        line = failure_line(step.result.text if step.result else "")
        head = command_head(command)
        if not line or not head:
            continue
        tries = _tries(session, index)
        told.update(tries)
        found = _told(session, index, tries, line, roots)
        yield found or Passed(f"{head}: {line}", "an error without cause or fix")


def _has_failed(step: Step) -> bool:
    if step.result is None or step.result.text.startswith(_FEEDBACK):
        return False
    command = command_of(step.call)
    if step.result.failed:
        return bool(_CHECK.search(command))
    admitted = step.after is not None and _ADMITS.search(step.after.text[:400])
    return bool(admitted and _CHECK.search(command) and _FAILING.search(step.result.text))


def failure_line(output: str) -> str:
    """The line of a tool's output that says best what failed, without colours; empty if none."""
    lines = [line.strip() for line in _ESCAPES.sub("", output).splitlines()]
    lines = [line for line in lines if line and not _NO_FAILURE_LINE.search(line)]
    if any(line.startswith("Traceback") for line in lines):
        raised = [line for line in lines if re.match(r"[\w.]+(?:Error|Exception|Warning)\b", line)]
        if raised:
            return shorten(raised[-1], 220)
    telling = [line for line in lines if _FAILURE_LINE.search(line) and len(line) > 12]
    specific = [line for line in telling if re.search(r"[:(]", line)]
    return shorten((specific or telling or [""])[0], 220)


def command_head(command: str) -> str:
    """The part of a command that is being tried, without folder changes, pipes and redirections."""
    parts = [part for part in re.split(r"\s*(?:&&|;|\n)\s*", command) if part.strip()]
    parts = [part for part in parts if not re.match(r"(?:cd|export|source|echo|sleep|set)\b", part)]
    checks = [part for part in parts if _CHECK.search(part)] or parts
    head = re.split(r"\s+(?:\||\d?>|2>&1|<<)", checks[0])[0] if checks else ""
    return shorten(head, 100)


def _tries(session: Session, index: int) -> list[int]:
    """The steps that try the same again, up to the first that works."""
    wanted = command_head(command_of(session.steps[index].call)).split()[:3]
    tries = [index]
    for later in range(index + 1, min(len(session.steps), index + _LOOKED_AHEAD)):
        step = session.steps[later]
        command = command_of(step.call)
        if command and _is_same(wanted, command):
            tries.append(later)
            if not step.failed and not _has_failed(step):
                break
    return tries


def _is_same(wanted: list[str], command: str) -> bool:
    parts = [part.split()[:3] for part in re.split(r"\s*(?:&&|;|\||\n)\s*", command)]
    return any(part[: len(wanted)] == wanted or part[:2] == wanted[:2] for part in parts if part)


def _told(
    session: Session, index: int, tries: list[int], line: str, roots: tuple[str, ...]
) -> Candidate | None:
    step, last = session.steps[index], session.steps[tries[-1]]
    worked = len(tries) > 1 and not last.failed and not _has_failed(last)
    between = session.steps[index + 1 : tries[-1]]
    changed = _changed(between, session, roots) if worked else []
    cause = _cause(step) or next((c for s in between[:6] if (c := _cause(s))), "")
    if not (worked and changed) and (not cause or _NOT_OURS.search(cause)):
        return None
    head = command_head(command_of(step.call))
    parts = [f"`{head}` failed: {line}"]
    if cause:
        parts.append(cause)
    if worked:
        by = f"after changing {', '.join(changed[:5])}" if changed else "afterwards"
        parts.append(f"It worked {by}.")
    else:
        parts.append("It was not seen to work in this session.")
    said = step.after.text if step.after else ""
    return Candidate(
        category=Category.ERROR,
        content="\n".join(parts),
        summary=f"{head} failed: {line}" + (f" Fix: {cause}" if cause and worked else ""),
        line=last.call.line,
        at=last.call.at,
        passage=shorten(said, 400) or line,
        marks=session.marks([step, last]),
    )


def _changed(steps: tuple[Step, ...], session: Session, roots: tuple[str, ...]) -> list[str]:
    paths = (
        project_path(edit.path, session.folder, roots)
        for step in steps
        if not step.failed
        for edit in edits_of(step.call)
    )
    return list(dict.fromkeys(path for path in paths if path))


def _cause(step: Step) -> str:
    """What the agent said of the failure, without what it was about to do."""
    if step.after is None:
        return ""
    telling = [
        s for s in sentences(step.after.text) if not intent(s) and not s.endswith((":", "?"))
    ]
    telling = [s for s in telling if len(s) >= 25 and not _ANNOUNCEMENT.match(s)]
    return shorten(" ".join(telling[:2]), 320)
