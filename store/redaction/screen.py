"""Whether a text may hold anything that the gate takes out: told in a tenth of the gate's time.

One pass looks for the marks without one of which no rule finds anything; at each, a pattern that
lets everything through which the mark's rules might take. So `False` is certain, and where it is
`True` the rules decide.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import chain, pairwise

import ahocorasick  # type: ignore[import-not-found]

from store.redaction.vendor_rules import vendor_rules

_ALWAYS = ("<private", "chpasswd", "sourcegraph", "_mmk", "contribsys.com")
"""Marks that decide by themselves."""
_HINTS = (
    "pass", "pwd", "pswd", "senha", "secret", "token", "key", "auth", "cred", "jwt", "bearer",
    "webhook", "otp", "seed", "salt", "chave", "signature", "dsn", "licence", "license", "sessid",
    "sess_id", "sessionid", "session_id",
)  # fmt: skip
_WHOLE_HINTS = ("pw", "sig", "pin", "pat")
"""Parts of sensitive names, as `name_hints` looks for them; these only where a word ends."""
_CLOSED = r"""(?:\\?["'`]|\]|\))?(?:[ \t]{1,4}str(?:ing)?)?"""
_NAME = r"[\w.$-]*"
_PLACES = (
    r"(?:[ \t]+(?:for|of|to|on|in|da|do|de|para)[ \t]+"
    r"(?:(?:the|an?|our|my|your|its|os?|as?)[ \t]+)?[\w./@-]{1,40}){0,2}"
)
_DIGIT = (
    r"[\d\xb2\xb3\xb9\u1369-\u1371\u19da\u2070-\u2089\u2460-\u24ff\u2776-\u2792"
    r"\U00010a40-\U00010e68\U00011052-\U0001105a\U0001f100-\U0001f10a]"
)
"""What is a digit to the rules: raised, lowered and circled ones too, which `\\d` leaves out."""
_ASSIGNED = (
    rf"{_NAME}{_CLOSED}(?:"
    r"""[ \t]*(?:[:=]|[?.+]=|\|\||->)[ \t=>:|]*\S"""
    r"""|,[ \t]?["']|>|[ \t]*\n[ \t]*["']?value"""
    r"""|[ \t]+(?:\*\*|[`"']{1,3})?[^\s"'`,;<>()\[\]{}\\|]*"""
    rf"{_DIGIT})"
)
"""The rest of a name, and a value: after a sign, or a word beside it that has a digit."""
_SPOKEN = (
    rf"{_NAME}{_PLACES}{_CLOSED}[ \t]+(?:is|was|to|é|era|ist|est)[ \t]+(?:now[ \t]+)?"
    r"""(?:\\?["'`]|\*\*|\S*?(?:[^\sa-z.,;:?*)-]|[.,;:?*)]+[^\s.,;:?*)]))"""
)
"""The rest of a name, and what a sentence says it is: no word of plain letters."""
_OPTION = rf"{_NAME}{_CLOSED}[ \t]+\S"
_OPTION_BEGINS = re.compile(r"(?<![\w.$-])-[\w.$-]*\Z")
_REACH = 60
_HEADER = (
    r"(?-i:[ \t]{1,3}(?=[\w.~+/=-]{8})"
    r"(?:[\w.~+/=-]{20}|[\w.]*?(?:[\d~+/=-]|[^\x00-\x7f]|\.\.|[a-z]\.*[A-Z_])))"
)
_LOGIN = r"(?s:.){0,400}?[ \t]-[pwa]"
_NAMED = r"""[ \t\w.-]{0,40}[\s'"]{0,3}(?:[=>,:]|\|\||\?=)[=>:`'"\s]{0,8}[\w.+/=:%-]{8}"""
"""What must follow the name of a vendor; `vendor_rules` has it more exactly."""
_FORMED = r"[\w.~%/+=:-]{8}"
"""What must follow the mark of a vendor's tokens."""
_BEHIND: Mapping[str, str] = {
    "://": r"[^\s/]*@",
    "curl": r"(?s:.){0,1700}?[ \t]-(?:u|-user|-proxy-user)",
    **dict.fromkeys(("bearer", "basic", "token", "apikey", "negotiate"), _HEADER),
    **dict.fromkeys(
        ("mysql", "mariadb", "sshpass", "docker login", "podman login", "mongo", "az login",
         "helm registry login", "ldapsearch", "smbclient", "sqlcmd", "bcp", "redis-cli"),
        _LOGIN,
    ),
    "cookie": r"[\"']?\s{0,2}[:=]",
    "kind:": r"[ \t]*[\"']?secret",
    "hook": r"s?(?:\.[\w.-]{1,80})?/[\w/-]{16}",
    "private key": r"(?: block)?-----",
    "eyj": r"[\w-]{10}",
    "zxlk": r"[\w+/=-]{20}",
    ":a": r"(?<=\d\d\d\d\d\d:a)[\w-]{30}",
}  # fmt: skip
"""What must follow the marks of the other rules."""
_BROAD: Mapping[str, str] = {
    "sk": r"[0-9a-f]{32}",
    "ey": r"[a-z0-9]{17}",
    "s.": r"[a-z0-9]{24}",
    "sg.": r"[a-z0-9=_.-]{66}",
    "ops_": r"eyj",
    "ext_": r"[a-z0-9]{5,30}\.",
    "sc_": r"[a-z0-9]{5,30}\.",
    "test_": r"(?:pub_)?[a-f0-9]{31}",
    "facebook": rf"{_NAMED}|(?s:.)*\d{{15}}[|%]",
    "q~": r"(?<=\dq~)[\w.~-]{31}",
}
"""What must follow marks of vendors that stand in many a word."""
_ALIKE = (("ſ", "s"), ("ı", "i"))
"""Letters that patterns take for others without case, and that stay as they are in lower case."""
_LONG = 16
_OF_RUNS = bytes(
    ord("x" if it > 127 or chr(it).isalnum() or chr(it) in "_+/=.~-?" else " ") for it in range(256)
)
"""Each byte as an `x` where it may stand for a sign of a token: a `?` is what Latin-1 has not."""
_MOST = 8_000
"""Characters of a text that is screened: the rules read longer ones in pieces, in bounded time."""
_RUN = re.compile(rf"[\w+/=.~-]{{{_LONG},}}")
_TOLD_AFTER = re.compile(
    r"[`\"']{0,3}[ \t]+(?:as|is|for|was)[ \t]+(?:[\w.-]{1,30}[ \t]+){0,6}?"
    r"[\w-]{0,20}(?:key|token|secret|credential|passphrase)",
    re.I,
)
_PREFIXED = re.compile(r"[_-][A-Za-z0-9]{20}|\.[A-Za-z0-9_-]{40}")


def may_hold_secret(text: str) -> bool:
    """Whether the gate may take anything out of a text; `False` is certain.

    Raises `StoreError` where the rules are missing.
    """
    return len(text) > _MOST or next(_places(text), None) is not None


def suspects(several: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Those of several of which any text may hold a secret: many are read at once, and again those
    in which something was found.

    Raises `StoreError` where the rules are missing.
    """
    held: set[str] = set()
    page: dict[int, str] = {}
    end = 0
    for text in dict.fromkeys(chain.from_iterable(map(_read_once, several))):
        if len(text) > _MOST:
            held.add(text)
            continue
        if end + len(text) > _MOST:
            held |= _held(page)
            page, end = {}, 0
        page[end] = text
        end += len(text) + 1
    held |= _held(page)
    return [it for it in several if not held.isdisjoint(it)]


def _read_once(all_of: tuple[str, ...]) -> Iterator[str]:
    """Texts that belong together, without one that the text before it begins with, as a content
    does with its summary: no pattern here asks for an end, or for what does not follow, and so what
    may be taken out of the one may be taken out of the other.
    """
    return (text for before, text in pairwise(("", *all_of)) if not before.startswith(text))


def _held(page: Mapping[int, str]) -> set[str]:
    """Those of the texts of a page, by where each begins, that may hold a secret."""
    starts = [*page]
    found = {bisect_right(starts, at) - 1 for at in _places("\n".join(page.values()))}
    return {text for text in (page[starts[at]] for at in found) if may_hold_secret(text)}


def _places(text: str) -> Iterator[int]:
    """Where in a text something stands that the gate may take out: each mark, each long run. In one
    that is not as long in lower case, everywhere.
    """
    lowered = text.lower()
    if not text.isascii():
        for letter, alike in _ALIKE:
            lowered = lowered.replace(letter, alike)
    if len(lowered) != len(text):
        yield from range(len(text))
        return
    for last, (mark, patterns) in _marks().iter(lowered):
        end = last + 1
        for pattern in patterns:
            if _compiled(pattern).match(text, end):
                yield last
                break
        else:
            if mark and _is_option(text, end - len(mark), end):
                yield last
    yield from (run.start() for run in _long_runs(text) if _may_be_token(run))


def cleaned_text(text: str) -> str:
    """The text as the gate leaves it, whose rules are loaded only where they may take anything out.

    Raises `StoreError` where the rules are missing.
    """
    if not may_hold_secret(text):
        return text
    from store.redaction.sanitizer import sanitize

    return sanitize(text).text


def _is_option(text: str, start: int, end: int) -> bool:
    """Whether the name here may be an option's, which is given the next word whatever that is."""
    first = max(0, start - _REACH)
    dash = text.find("-", first, start)
    if dash < 0 or _compiled(_OPTION).match(text, end) is None:
        return False
    # A name is read no further back than that: it may begin with a dash that stands within it.
    return dash == first or _OPTION_BEGINS.search(text, dash, start) is not None


def _long_runs(text: str) -> Iterator[re.Match[str]]:
    """Where sixteen or more characters stand together of which tokens are made."""
    signs = text.encode("latin-1", "replace").translate(_OF_RUNS)
    end = 0
    while (at := signs.find(b"x" * _LONG, end)) >= 0:
        end = signs.find(b" ", at)
        end = len(text) if end < 0 else end
        yield from _RUN.finditer(text, at, end)


def _may_be_token(run: re.Match[str]) -> bool:
    """Whether a long run of letters and digits may be a token by its shape, or is called one."""
    word = run.group()
    if _TOLD_AFTER.match(run.string, run.end()) and any(map(str.isdigit, word)):
        return True
    if len(word) < 20 or word.islower() or word.isupper():
        return False
    return sum(map(str.isdigit, word)) >= 3 or _PREFIXED.search(word) is not None


@cache
def _marks() -> ahocorasick.Automaton:
    """Every mark with the patterns of which one must follow; a hint with its own text, as options
    are named by hints.
    """
    patterns: dict[str, set[str]] = {}
    for mark, pattern in chain(_marks_of_names(), _BEHIND.items(), _marks_of_vendors()):
        patterns.setdefault(mark, set()).add(pattern)
    names = {*_HINTS, *_WHOLE_HINTS}
    automaton = ahocorasick.Automaton()
    for mark, behind in patterns.items():
        automaton.add_word(mark, (mark if mark in names else "", sorted(behind)))
    automaton.make_automaton()
    return automaton


def _marks_of_names() -> Iterator[tuple[str, str]]:
    yield from ((mark, "") for mark in _ALWAYS)
    value = rf"(?:{_ASSIGNED}|{_SPOKEN})"
    yield from ((mark, value) for mark in _HINTS)
    yield from ((mark, rf"\b{value}") for mark in _WHOLE_HINTS)


def _marks_of_vendors() -> Iterator[tuple[str, str]]:
    for rule in vendor_rules():
        usual = rf"{_NAMED}|{_FORMED}" if rule.is_named else _FORMED
        for keyword in map(str.lower, rule.keywords):
            yield keyword, _BROAD.get(keyword, usual)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.I)
