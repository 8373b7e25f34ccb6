"""What a check printed: whether it failed, which of its cases did, and the line that says it."""

from __future__ import annotations

import re

from store.agents.session import Step
from store.capture.candidate import shorten
from store.capture.steps.check_commands import check_in, kind_of
from store.capture.steps.tools import command_of
from store.text.regex import regex

_ESCAPES = regex(r"\x1b\[[0-9;?]*[A-Za-z]")
_REFUSED = ("The user doesn't want", "Permission to use", "claude-")
_FAILED_CASE = regex(
    r"^[ \t]*--- FAIL: (?P<go>\S+)"
    r"|^(?:FAILED|ERROR) (?P<pytest>[\w./-]+\.py(?:::\S+)?)"
    r"|^(?:FAIL|ERROR): (?P<unittest>\w+ \([\w.]+\))"
    r"|^test (?P<cargo>\S+) \.\.\. FAILED"
    r"|^[ \t]+[✕✗×] (?P<jest>\S.{2,100}?)(?: \(\d+ ?m?s\))?$"
    r"|^[ \t]*\d+ - (?P<ctest>\S+) \((?:Failed|Timeout|SEGFAULT|Subprocess aborted)\)"
    r"|^not ok \d+ -? ?(?P<tap>\S.{2,100})$",
    re.M,
)
_FAILING = regex(
    r"^[ \t]*--- FAIL|^FAIL(?:ED)?\b|^panic:|^Traceback|^(?:error|fatal)(?:\[|:)"
    r"|\b[1-9]\d* (?:failed|failing)\b"
    r"|^npm ERR!|^make(?:\[\d+\])?: \*\*\*|^not ok \d|\btest result: FAILED",
    re.M,
)
_FAILURE_LINE = regex(
    r"\b(?:error|errors|failed|failure|failures|exception|panic|fatal|undefined|cannot|can't"
    r"|unexpected|denied|refused|timed? ?out|not found|no such|invalid|missing|unable|conflict)\b"
    r"|\b\w+(?:Error|Exception)\b|^[ \t]*--- FAIL|^FAIL\b|^E\s{2,}|✗|✖|×|\bexpected\b"
    r"|\bwant\b.*\bgot\b",
    re.I,
)
_NO_FAILURE_LINE = regex(
    r"^Exit code \d+$|^\[?\w+\]? \$ |^\s*at |^\s*\^|\b0 (?:errors|failed|failures)\b|^<|Sources:"
    r"|\bERROR task failed|npm ERR! (?:code|errno)|^make: \*\*\*|^error: script .* exited"
    r"|^\((?:pass|skip|todo)\) |^(?:✓|✔|ok \d|PASS\b)|^npm (?:ERR!|error) A complete log"
    r"|\bskipp?(?:ing|ed)\b|\bPASSED\b|\b[Ww]arning:|^FAILURES?$|^=+ |^FAIL$|^FAIL\s+\S+\s+[\d.]+s$"
)


_NONE_FAILED = regex(
    r"(?<![\d.,])0 (?:tests? )?(?:fail(?:ed|ures?|ing)?|errors?)\b|\bfail(?:ed|ures?)?[:=] ?0\b",
    re.I,
)
_SOME_FAILED = regex(
    r"(?:^(?:[ \t]|Tests?\b)*|[,;|(:=][ \t]*)[1-9]\d* (?:tests? )?(?:fail(?:ed|ures?|ing)?"
    r"|errors?)\b"
    r"|(?:^|[,;|(#])[ \t]*fail(?:ed|ures?)?[:= ] ?[1-9]|^[ \t]*--- FAIL|^FAIL(?:ED)?\b|^npm ERR!"
    r"|\bexited with code [1-9]",
    re.I | re.M,
)


def is_check(step: Step) -> bool:
    """Whether a step runs a command that checks or builds something."""
    return bool(kind_of(check_in(command_of(step.call))))


def has_failed(step: Step) -> bool:
    """Whether a check failed, by its exit or, where a pipe hid that, by its output."""
    if step.result is None or step.result.text.startswith(_REFUSED):
        return step.failed
    if step.failed:
        return True
    return is_check(step) and looks_failing(step.result.text)


def looks_failing(output: str) -> bool:
    """Whether a text is the output of a check that failed.

    A runner's own tally wins over what the code under test printed: "error: ..." and 0 failed.
    """
    bare = _ESCAPES.sub("", output)
    if not _FAILING.search(bare):
        return False
    return not _NONE_FAILED.search(bare) or bool(_SOME_FAILED.search(bare))


def was_refused(step: Step) -> bool:
    """Whether the person did not let the step run."""
    return step.result is not None and step.result.text.startswith(_REFUSED)


def failed_cases(output: str) -> frozenset[str]:
    """The names of the cases that failed, as the runner writes them."""
    found = _FAILED_CASE.finditer(_ESCAPES.sub("", output))
    return frozenset(match.group(match.lastgroup or 0).strip() for match in found)


def failure_line(output: str) -> str:
    """The line of an output that says best what failed, without colours; empty if none."""
    lines = [line.strip() for line in _ESCAPES.sub("", output).splitlines()]
    lines = [line for line in lines if line and not _NO_FAILURE_LINE.search(line)]
    raised = [
        line for line in lines if re.match(r"(?:E\s+)?[\w.]+(?:Error|Exception|Warning)\b", line)
    ]
    if raised and any(line.startswith(("Traceback", "E  ")) for line in lines):
        return shorten(re.sub(r"^E\s+", "", raised[-1]), 220)
    telling = [line for line in lines if _FAILURE_LINE.search(line) and len(line) > 12]
    specific = [line for line in telling if re.search(r"[:(]", line)]
    return shorten((specific or telling or [""])[0], 220)
