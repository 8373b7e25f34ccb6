"""What a program printed: whether it failed, and the line with what went wrong."""

from __future__ import annotations

import re

from store.platform.lazy_pattern import lazy_pattern
from store.text.shortening import shorten

_ESCAPES = lazy_pattern(r"\x1b\[[0-9;?]*[A-Za-z]")
_FAILING = lazy_pattern(
    r"^[ \t]*--- FAIL|^FAIL(?:ED)?\b|^panic:|^Traceback|^(?:error|fatal)(?:\[|:)"
    r"|\b[1-9]\d* (?:failed|failing)\b"
    r"|^npm ERR!|^make(?:\[\d+\])?: \*\*\*|^not ok \d|\btest result: FAILED",
    re.M,
)
_NONE_FAILED = lazy_pattern(
    r"(?<![\d.,])0 (?:tests? )?(?:fail(?:ed|ures?|ing)?|errors?)\b|\bfail(?:ed|ures?)?[:=] ?0\b",
    re.I,
)
_SOME_FAILED = lazy_pattern(
    r"(?:^(?:[ \t]|Tests?\b)*|[,;|(:=][ \t]*)[1-9]\d* (?:tests? )?(?:fail(?:ed|ures?|ing)?"
    r"|errors?)\b"
    r"|(?:^|[,;|(#])[ \t]*fail(?:ed|ures?)?[:= ] ?[1-9]|^[ \t]*--- FAIL|^FAIL(?:ED)?\b|^npm ERR!"
    r"|\bexited with code [1-9]",
    re.I | re.M,
)
_SAYS_FAILURE = lazy_pattern(
    r"\b(?:errors?|fail(?:s|ed|ing|ures?)?|exception|panic|fatal|undefined|cannot|can't"
    r"|unexpected|denied|refused|timed? ?out|not found|no such|invalid|missing|unable|conflict)\b"
    r"|\b\w+(?:Error|Exception)\b|^[ \t]*--- FAIL|^E\s{2,}|✗|✖|×|\bexpected\b"
    r"|\bwant\b.*\bgot\b",
    re.I,
)
_SAYS_NO_CAUSE = lazy_pattern(
    r"^Exit code \d+$|^\[?\w+\]? \$ |^\s*at |^\s*\^|\b0 (?:errors|failed|failures)\b|^<|Sources:"
    r"|\bERROR task failed|npm ERR! (?:code|errno)|^make: \*\*\*|^error: script .* exited"
    r"|^\((?:pass|skip|todo)\) |^(?:✓|✔|ok \d|PASS\b)|^npm (?:ERR!|error) A complete log"
    r"|\bskipp?(?:ing|ed)\b|\bPASSED\b|\b[Ww]arning:|^FAILURES?$|^=+ |^FAIL$|^FAIL\s+\S+\s+[\d.]+s$"
)
_RAISED = lazy_pattern(r"(?:E\s+)?[\w.]+(?:Error|Exception|Warning)\b")
_PLACE_OR_CAUSE = lazy_pattern(r"[:(]")
_WIDTH = 220
"""Characters of a line that are kept."""


def is_failing_output(output: str) -> bool:
    """Return whether a text is the output of a check that failed.

    A runner's own tally wins over what the code under test printed: "error: ..." and 0 failed.
    """
    bare = _ESCAPES.sub("", output)
    if not _FAILING.search(bare):
        return False
    return not _NONE_FAILED.search(bare) or bool(_SOME_FAILED.search(bare))


def has_failure_words(line: str) -> bool:
    return _SAYS_FAILURE.search(line) is not None


def failure_line(output: str) -> str:
    """Return the line of an output that shows best what failed, without colours; empty if none."""
    lines = [line.strip() for line in _ESCAPES.sub("", output).splitlines()]
    lines = [line for line in lines if line and not _SAYS_NO_CAUSE.search(line)]
    raised = [line for line in lines if _RAISED.match(line)]
    if raised and any(line.startswith(("Traceback", "E  ")) for line in lines):
        return shorten(re.sub(r"^E\s+", "", raised[-1]), _WIDTH)
    failing = [line for line in lines if has_failure_words(line) and len(line) > 12]
    specific = [line for line in failing if _PLACE_OR_CAUSE.search(line)]
    return shorten((specific or failing or [""])[0], _WIDTH)
