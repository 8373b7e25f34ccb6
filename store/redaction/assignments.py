"""Secrets recognised by the name they are given: `key=value`, JSON, YAML, XML, options and
prose."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from store.platform.lazy_pattern import lazy_pattern
from store.redaction.names import Sensitivity, sensitivity
from store.redaction.span import Span
from store.redaction.values import is_random, is_reference, is_secret_value

_NAME_REACH = 60
_NAME_START = lazy_pattern(r"[\w.$-]*")
"""What a name begins with, read backwards."""


_NAME_END = lazy_pattern(r"[\w.$-]{0,60}")
_ARTICLE = r"(?:(?:the|an?|our|my|your|its|os?|as?)[ \t]+)?"


_SPOKEN = r"is|was|to|é|era|ist|est"
_PLACE = lazy_pattern(
    rf"(?:[ \t]+(?:for|of|to|on|in|da|do|de|para)[ \t]+{_ARTICLE}[\w./@-]{{1,40}}){{0,2}}"
    rf"(?=[ \t]+(?:{_SPOKEN})[ \t])"
)
_ASSIGNMENT = lazy_pattern(
    rf"""(?:\\?["'`]|\]|\))?  (?:[ \t]{{1,4}}(?:string|str))?
        (?: (?P<call> ,[ \t]?(?=["']))
          | (?P<element> >[ \t\r\n]{{0,40}})
          | [ \t]+(?P<spoken> (?:{_SPOKEN}) [ \t]+(?:now[ \t]+)?)
          | (?P<entry> [ \t]{{0,4}}\n[ \t]{{0,40}}["']?value["']?[ \t]{{0,4}}[:=][ \t]{{0,4}})
          | [ \t]{{0,8}}(?P<sign> =>|:{{0,3}}=|\?=|\|\|=?|\.=|\+=|==|:|->)[ \t]{{0,8}}
          | (?P<space> [ \t]+(?=[^\s-])) )
        (?P<quote>\\?["'`]{{1,3}}|\*\*)?""",
    re.X,
)
_WORD = lazy_pattern(r"""[^\s"'`,;<>()\[\]{}\\|]{3,400}""")


_SHELL_WORD = lazy_pattern(r"""[^\s"'`<>\\]{3,400}""")
_FIELD = lazy_pattern(r"[A-Za-z_]\w*=")


_ASSIGNS_AGAIN = lazy_pattern(r"[\w.-]{0,30}(?:key|token|secret|password|pwd)=(?!=*$)", re.I)
"""A value that is an assignment itself: its own name decides."""
_ELEMENT_TEXT = lazy_pattern(r"([^\s<>\"'`]{8,400})\s{0,40}</")


_VERB = lazy_pattern(r"pass(?:ed|es|ing)?", re.I)
"""`Pass to f` is no name. `--- PASS: TestLoad` is a test's result, written before the check's."""
_STRONG = lazy_pattern(
    r"(?=.*\d)(?=.*[A-Za-z])(?:(?=.*[A-Z])(?=.*[a-z])|(?=.*[!@#$%&*^])).{8,}", re.S
)
_RULE = {
    Sensitivity.PASSWORD: "password",
    Sensitivity.TOKEN: "token",
    Sensitivity.KEY: "key",
}


class _Name(NamedTuple):
    """A sensitive name in a text, and where it is."""

    text: str
    start: int
    end: int
    kind: Sensitivity

    @property
    def is_option(self) -> bool:
        return self.text.startswith("-")

    @property
    def is_variable(self) -> bool:
        """The name is written like an environment variable, whose values are literal."""
        return not any(map(str.islower, self.text))


def assignment_spans(text: str, hints: Iterable[tuple[int, int]]) -> Iterator[Span]:
    """Find sensitive names, at their hints, that are given a value which looks secret."""
    after = 0
    for start, end in hints:
        if start < after:
            continue
        name = _name_around(text, start, end)
        after = name.end
        if name.kind is Sensitivity.NONE:
            continue
        found = _value_of(text, name)
        if found:
            after = found[1]
            yield Span(*found, _RULE[name.kind])


def _name_around(text: str, begin: int, end: int) -> _Name:
    head = _NAME_START.match(text[max(0, begin - _NAME_REACH) : begin][::-1])
    tail = _NAME_END.match(text, end)
    start = begin - head.end() if head else begin
    name = text[start : tail.end() if tail else end].rstrip(".-")
    return _Name(name, start, max(start + len(name), end), sensitivity(name))


def _value_of(text: str, name: _Name) -> tuple[int, int] | None:
    place = _PLACE.match(text, name.end)
    assignment = _ASSIGNMENT.match(text, place.end() if place else name.end)
    if assignment is None or _is_no_name(text, name, assignment):
        return None
    if assignment.group("element") is not None:
        return _element_text(text, name, assignment)
    if assignment.group("quote"):
        return _quoted(text, name, assignment)
    if assignment.group("space") is not None and not name.is_option:
        return _following_password(text, name, assignment.end())
    return _bare(text, name, assignment)


def _is_no_name(text: str, name: _Name, assignment: re.Match[str]) -> bool:
    """The word is a verb, or a test's result: with a capital, a colon and a space."""
    if not _VERB.fullmatch(name.text):
        return False
    if assignment.group("spoken") is not None:
        return True
    return (
        assignment.group("sign") == ":"
        and name.text[0].isupper()
        and text[assignment.end() - 1].isspace()
    )


def _element_text(text: str, name: _Name, assignment: re.Match[str]) -> tuple[int, int] | None:
    if text[name.start - 1 : name.start] != "<":
        return None
    content = _ELEMENT_TEXT.match(text, assignment.end("element"))
    if content and is_secret_value(content.group(1), name.kind, quoted=True, literal=True):
        return content.span(1)
    return None


def _quoted(text: str, name: _Name, assignment: re.Match[str]) -> tuple[int, int] | None:
    start = assignment.end()
    end = text.find(assignment.group("quote"), start, start + 400)
    if end <= start or "\n" in text[start:end]:
        return None
    value = text[start:end].strip()
    spoken = assignment.group("spoken") is not None
    if assignment.group("space") is not None and not name.is_option:
        return None
    if spoken and name.kind is not Sensitivity.PASSWORD and not is_random(value, least=10):
        return None
    return (start, end) if is_secret_value(value, name.kind, quoted=True, literal=spoken) else None


def _following_password(text: str, name: _Name, start: int) -> tuple[int, int] | None:
    """A password that simply follows the word, as people note them: only if it is a strong one."""
    word = _WORD.match(text, start)
    if not word or _FIELD.match(word.group()):
        return None
    if name.kind is Sensitivity.PASSWORD and _STRONG.fullmatch(word.group()):
        value = word.group().rstrip(".,;:?)")
        if is_secret_value(value, name.kind, quoted=False, literal=True):
            return start, start + len(value)
    return None


def _bare(text: str, name: _Name, assignment: re.Match[str]) -> tuple[int, int] | None:
    shell = name.is_variable and assignment.group("sign") in {"=", ":="}
    word = (_SHELL_WORD if shell else _WORD).match(text, assignment.end())
    if word is None or _ASSIGNS_AGAIN.match(word.group()):
        return None
    value = word.group().rstrip(";," if shell else ".,;:?*)")
    if not shell and assignment.group("sign") == "=":
        value = value.partition("&")[0]
    if assignment.group("spoken") is not None and not _can_be_spoken(value, name.kind):
        return None
    literal = shell or name.is_option
    if is_secret_value(value, name.kind, quoted=False, literal=literal):
        return word.start(), word.start() + len(value)
    return None


def _can_be_spoken(value: str, kind: Sensitivity) -> bool:
    """Return whether a word after "is" can be a secret rather than the sentence's next word."""
    if value.replace("-", "").isalpha() or is_reference(value):
        return False
    return kind is Sensitivity.PASSWORD or is_random(value, least=6)
