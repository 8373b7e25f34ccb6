"""E-mail addresses and telephone numbers, for those who have them redacted as well.

A missed one is found by the next reader, a wrong one costs a fact: only forms that hardly anything
else has are taken. Logins (`git@github.com:team/repo`), packages (`@scope/name@1.2.3`), versions,
dates, ids and addresses with a port are none of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from store.redaction.span import Span

_EMAIL = re.compile(
    r"""(?<![\w.+/@-]) [\w][\w.+-]{0,63} @ (?!\dx\b) (?:[^\W_][\w-]{0,62}\.){1,5}
        (?: (?!(?:js|ts)\b)[a-z]{2} | xn--[a-z0-9-]{2,30}
          | com|org|net|edu|gov|mil|info|biz|name|pro|dev|app|tech|cloud|online|site|store|email
          | world|xyz|group|company|agency|studio|design|museum|example|test|local|internal )
        (?![\w@-]) (?!\.\w) (?!:[^\s]) (?!/)""",
    re.X | re.I,
)
_LOGIN = re.compile(r"\b(?:ssh|ssh-copy-id|scp|sftp|rsync|mosh)\b[^\n]{0,80}$")
"""The command before a login that has the form of an address."""
_NO_PERSON = frozenset({"git", "hg", "svn", "noreply", "no-reply"})
_BEFORE = 100
"""Characters before an address in which the command of a login is looked for."""
_PHONE = re.compile(
    r"""(?<![\w+./-])
        (?: \+[1-9]\d{9,14}
          | \+(?=[1-9](?:[ ()-]{0,2}\d){7,14}(?!\d))\d{1,3}
            (?:[ ]?\(\d{1,4}\)|[ -]\d)?(?:[ -]\d{2,8}){1,5}
          | (?:1[ -])?\([2-9]\d\d\)[ ]?[2-9]\d\d[ -]\d{4} | (?:1-)?[2-9]\d\d-[2-9]\d\d-\d{4} )
        (?![\w-]) (?!\.\d)
      | \b(?:tel|t[eé]l[eé]?(?:phone|fono|fon)|phone|mobile|cell|handy|fax|whatsapp)
        (?:[ _]?(?:number|no|nr))? \.?["']?[ ]?[:=][ ]?["']?
        (?P<number> \(?\d(?:[ ()/.-]{0,2}\d){6,14}) (?!\w)""",
    re.X | re.I,
)
"""In the international form, in the North American one, or behind a word such as `phone:`."""


def personal_spans(text: str) -> Iterator[Span]:
    """Find the e-mail addresses and telephone numbers in a text."""
    for match in _EMAIL.finditer(text) if "@" in text else ():
        name, _, _ = match.group().partition("@")
        before = text[max(0, match.start() - _BEFORE) : match.start()]
        if name.lower() not in _NO_PERSON and not _LOGIN.search(before):
            yield Span(*match.span(), "email")
    for match in _PHONE.finditer(text):
        yield Span(*match.span("number" if match["number"] else 0), "phone")
