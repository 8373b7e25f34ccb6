"""Words of the trade: what is short for what, what means the same, what carries no meaning."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

ABBREVIATIONS: Mapping[str, str] = MappingProxyType(
    {
        "admin": "administrator",
        "app": "application",
        "apps": "applications",
        "arg": "argument",
        "args": "arguments",
        "async": "asynchronous",
        "auth": "authentication",
        "cmd": "command",
        "conf": "configuration",
        "config": "configuration",
        "configs": "configurations",
        "ctx": "context",
        "db": "database",
        "dbs": "databases",
        "dep": "dependency",
        "deps": "dependencies",
        "dev": "development",
        "dir": "directory",
        "dirs": "directories",
        "doc": "documentation",
        "docs": "documentation",
        "env": "environment",
        "err": "error",
        "exec": "execute",
        "fn": "function",
        "func": "function",
        "funcs": "functions",
        "impl": "implementation",
        "info": "information",
        "init": "initialise",
        "lib": "library",
        "libs": "libraries",
        "max": "maximum",
        "mem": "memory",
        "min": "minimum",
        "msg": "message",
        "msgs": "messages",
        "param": "parameter",
        "params": "parameters",
        "perf": "performance",
        "perms": "permissions",
        "pkg": "package",
        "prod": "production",
        "prev": "previous",
        "ref": "reference",
        "refs": "references",
        "repo": "repository",
        "repos": "repositories",
        "req": "request",
        "reqs": "requests",
        "resp": "response",
        "spec": "specification",
        "specs": "specifications",
        "sync": "synchronous",
        "temp": "temporary",
        "tmp": "temporary",
        "var": "variable",
        "vars": "variables",
    }
)
"""Short spellings of one word."""

SYNONYMS: tuple[tuple[str, ...], ...] = (
    ("not", "never", "no", "without", "cannot", "avoid", "neither", "nor"),
    ("fix", "repair", "resolve", "mend", "correct", "solve"),
    ("remove", "delete", "drop", "erase"),
    ("add", "introduce", "insert"),
    ("change", "modify", "update", "edit", "alter", "adjust"),
    ("create", "make", "generate"),
    ("use", "utilise", "utilize", "employ"),
    ("choose", "chose", "chosen", "pick", "select", "decide", "decision"),
    ("show", "display", "print"),
    ("start", "launch", "begin", "began"),
    ("stop", "halt", "end"),
    ("run", "ran", "execute"),
    ("must", "need", "require", "should"),
    ("error", "failure", "fault"),
    ("fail", "failed", "break", "broke", "broken"),
    ("keep", "kept", "retain", "preserve"),
    ("move", "relocate"),
    ("rename", "renamed"),
    ("check", "verify", "validate", "ensure"),
    ("big", "large", "huge"),
    ("small", "little", "tiny"),
    ("fast", "quick", "rapid"),
    ("folder", "directory"),
    ("write", "wrote", "written"),
    ("find", "found"),
    ("get", "got", "fetch", "retrieve"),
    ("let", "allow", "permit"),
    ("store", "save", "persist"),
    ("cause", "reason"),
    ("wrong", "incorrect", "invalid"),
    ("because", "since"),
)
"""Groups of words that say the same in notes about software; the first stands for its group."""

NUMBER_WORDS: Mapping[str, str] = MappingProxyType(
    {
        word: str(number)
        for number, word in enumerate(
            ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"), start=2
        )
    }
)
"""Numbers written as words; `one` is left out, since it is mostly a pronoun."""

UNITS: Mapping[str, str] = MappingProxyType(
    {
        spelling: unit
        for unit, spellings in {
            "%": ("%", "percent"),
            "ms": ("ms", "millisecond", "milliseconds"),
            "s": ("s", "sec", "secs", "second", "seconds"),
            "min": ("min", "mins", "minute", "minutes"),
            "h": ("h", "hr", "hrs", "hour", "hours"),
            "d": ("d", "day", "days"),
            "b": ("byte", "bytes"),
            "kb": ("kb", "kib"),
            "mb": ("mb", "mib"),
            "gb": ("gb", "gib"),
        }.items()
        for spelling in spellings
    }
)
"""Spellings of units that belong to the number before them."""

_STOP_WORDS = """
a about above again all also am an and any are as at be because been being below between both but
by can could did do does doing down during each few for from further had has have having he her
here hers him his how i if in into is it its itself just me more most my myself of on once or other
our ours out over own same she should so some such than that the their theirs them then there these
they this those through to too under until up very was we were what when where which while who whom
why will with would you your yours it's that's i'm i've i'd i'll we're we've you're they're let's s
t since
"""
_CONTRASTS = """
not before after only always first last optional off enable disable increase decrease raise lower
true false allow deny forbid pass fail maximum minimum read write client server success open close
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())
"""English words that carry no content of their own. Negations are not among them."""
CONTRASTS = frozenset(_CONTRASTS.split())
"""Words that turn a statement into another one: texts that differ in them never fold."""
