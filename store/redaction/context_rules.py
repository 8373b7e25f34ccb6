"""Secrets recognised by what is around them: names, headers, options, addresses and key blocks.

Every rule looks at a bounded window after a fixed mark, so the time taken grows with the text's
length and with nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise

from store.platform.lazy_pattern import lazy_pattern
from store.redaction.assignments import assignment_spans
from store.redaction.keywords import Places
from store.redaction.name_hints import name_hints
from store.redaction.span import Span
from store.redaction.spoken import LEAST_TOKEN, spoken_spans
from store.redaction.values import is_placeholder, is_random, is_reference

_BEARER = lazy_pattern(
    r"\b(?:Bearer|Basic|Token|ApiKey|Negotiate)[ \t]{1,3}([\w.~+/=-]{8,2000})", re.I
)
_SCHEMES = ("bearer", "basic", "token", "apikey", "negotiate")
_COOKIE_HEADER = lazy_pattern(
    r"\b(?:set-)?cookie[\"']?\s{0,2}[:=]\s{0,2}[\"']?([^\n\"']{4,4000})", re.I
)
_COOKIE = lazy_pattern(r"([\w.-]{1,80})=([^\s;,\"']{6,4000})")
_SESSION_NAME = lazy_pattern(r"sess|sid\b|auth|token|jwt|remember|login|\bid\b|connect", re.I)
_URL_LOGIN = lazy_pattern(
    r"\b([a-z][a-z0-9+.-]{1,30})://([^\s/@:\"'<>`]{0,200})(?::([^\s/@\"'<>`]{1,200}(?:@[^\s/@\"'<>`]{1,60}(?=@)){0,5}))?@([\w.-]{1,200})",
    re.I,
)
_CURL_USER = lazy_pattern(
    r"""\bcurl\b(?:[^\n\\]|\\\n?){0,800}?[ \t](?:-u|--user|--proxy-user|-U)(?:=|[ \t]{0,5})
        (?P<login> (?:"[^"\n]{1,200}" | '[^'\n]{1,200}' | [^\s"':]{1,200})
                   (?: :? (?:"[^"\n]{1,200}" | '[^'\n]{1,200}' | [^\s"']{1,200}))? )""",
    re.X,
)
_EXAMPLE_PASSWORDS = frozenset({"token", "yyy", "PASSWORD", "APPID"})
_SHORT_OPTION = lazy_pattern(
    r"""\b(?: (?:mysql|mysqldump|mysqladmin|mysqlimport|mariadb)\b[^\n|;&]{0,300}?[ \t]-p(?=[^\s-])
          | (?:sshpass|docker\ login|podman\ login|mongo\w*|az\ login|helm\ registry\ login
              |ldapsearch|smbclient|sqlcmd|bcp)\b[^\n|;&]{0,300}?[ \t]-[pwP][ \t]{0,3}
          | redis-cli\b[^\n|;&]{0,300}?[ \t]-a[ \t]{1,3}
          | pass:
          | echo[ \t]+(?=["']?[\w.-]{1,40}:[^\n|]{1,200}\|[ \t]*(?:sudo[ \t]+)?chpasswd)
            ["']?[\w.-]+: )
        ["']?([^\s"']{3,200})""",
    re.X,
)
_PEM_BEGIN = lazy_pattern(r"-----BEGIN[ A-Z0-9_-]{0,60}PRIVATE KEY(?: BLOCK)?-----", re.I)
_PEM_END = lazy_pattern(r"-----END[ A-Z0-9_-]{0,60}PRIVATE KEY(?: BLOCK)?-----", re.I)
_PEM_BODY = lazy_pattern(
    r"(?:\s|\\[nr]|[A-Za-z0-9+/=]{16,}|[\w-]{2,20}: [^\n]{0,80}\n"
    r"|[A-Za-z0-9+/=]{1,64}(?=\s*$|\\n|\"))*"
)
_WEBHOOK = lazy_pattern(
    r"\b(?:web)?hooks?\.[\w.-]{1,80}/([\w/-]{16,400})|/(?:web)?hooks?/([\w/-]{16,400})"
)
_JWT = lazy_pattern(
    r"\bZXlK[\w+/=-]{20,8000}|\beyJ[\w-]{10,4000}\.[\w-]{10,8000}(?:\.[\w-]{0,4000})?"
)
_PREFIXED = lazy_pattern(
    r"(?<![\w/.+=-])(?!(?:[a-z]{1,12}_){0,2}(?:toolu|srvtoolu|call|msg|req|chatcmpl|resp|run|thread|rs|fc|item|ses|session|prt|part|evt|turn|env)[_-])(?:(?:[A-Za-z][A-Za-z0-9]{1,11}[_-]){1,3}([A-Za-z0-9]{20,200})(?![\w/])|[a-z]{2,6}\.([A-Za-z0-9_-]{40,400}))"
)
_LONG_RUN = lazy_pattern(r"[A-Za-z0-9_-]{20}")
"""What every token told by its shape holds: far cheaper to look for than the tokens."""
_BOT_TOKEN = lazy_pattern(r"(?<!\d)\d{6,12}:A[\w-]{30,50}")
_LONG_WORD = lazy_pattern(r"(?<![\w/+=.-])(?!_Z)[A-Za-z0-9_-]{56,1000}(?![\w/+=])")
_HASH_PREFIX = lazy_pattern(r"^(?:sha|md)\d", re.I)
_K8S_KIND = re.compile(r"^[ \t]*kind:[ \t]*[\"']?secret[\"']?[ \t]*$", re.I | re.M)
_K8S_DATA = re.compile(
    r"^([ \t]*)(?:string)?data:[ \t]*$(?P<deeper>(?:\n(?:\1[ \t]+[^\n]*|[ \t]*(?=\n)))*)",
    re.I | re.M,
)
_K8S_VALUE = re.compile(
    r"^[ \t]*[\w.-]+:[ \t]*(?:[|>][-+]?[ \t]*\n[ \t]*)?"
    r"[\"']?([A-Za-z0-9+/]{10,4000}={0,3})[\"']?[ \t]*$",
    re.M,
)
_DOCUMENT = lazy_pattern(r"^---[ \t]*$", re.M)
_Rules = tuple[tuple[tuple[str, ...], Callable[[str], Iterator[Span]]], ...]
"""What a text must hold, case ignored, for a rule to find anything; and the rule."""


def _schemes_with_values(text: str, words: Places) -> Iterator[re.Match[str]]:
    """Find what `_BEARER` finds in a text, where it holds a scheme's word."""
    places = sorted(place for word in _SCHEMES for place in words.get(word, ()))
    if not text.isascii():  # Case folded, its words may be at other places.
        yield from _BEARER.finditer(text) if places else ()
        return
    end = 0
    for place in places:
        if place >= end and (match := _BEARER.match(text, place)):
            end = match.end()
            yield match


def _authorization(text: str, words: Places) -> Iterator[Span]:
    for match in _schemes_with_values(text, words):
        value = match.group(1).rstrip(".")
        if not is_placeholder(value) and not is_reference(value) and is_random(value, least=8):
            yield Span(match.start(1), match.end(1), "authorization")


def _cookies(text: str) -> Iterator[Span]:
    for header in _COOKIE_HEADER.finditer(text):
        for cookie in _COOKIE.finditer(text, header.start(1), header.end(1)):
            name, value = cookie.groups()
            least = 8 if _SESSION_NAME.search(name) else 20
            if not is_placeholder(value) and is_random(value, least=least):
                yield Span(cookie.start(2), cookie.end(2), "cookie")


def _url_logins(text: str) -> Iterator[Span]:
    for match in _URL_LOGIN.finditer(text):
        _, user, password, host = match.groups()
        if password is not None:
            if len(password) >= 3 and not is_placeholder(password):
                yield Span(match.start(3), match.end(3), "url-password")
                if is_random(user, least=16):
                    yield Span(match.start(2), match.end(2), "url-password")
        elif is_random(user, least=16):
            rule = "sentry-dsn" if "sentry" in host or "ingest" in host else "url-token"
            yield Span(match.start(2), match.end(2), rule)


def _curl_logins(text: str) -> Iterator[Span]:
    for match in _CURL_USER.finditer(text):
        user, colon, password = re.sub("[\"']", "", match.group("login")).partition(":")
        is_key = not user.isalnum() or is_random(user, least=16)
        password = password or (user if is_key else "")
        example = password in _EXAMPLE_PASSWORDS or is_placeholder(password)
        if colon and password and not example:
            yield Span(match.start("login"), match.end("login"), "curl-user")


def _option_logins(text: str) -> Iterator[Span]:
    for match in _SHORT_OPTION.finditer(text):
        if not is_placeholder(match.group(1)) and not match.group(1).startswith(("-", "/")):
            yield Span(match.start(1), match.end(1), "password")


def private_key_spans(text: str) -> Iterator[Span]:
    """Private keys with all their lines, to the end of what looks like one where it is cut off.

    This rule takes linear time on a text of any length, and must see all of it.
    """
    at = 0
    is_closed = True
    while begin := _PEM_BEGIN.search(text, at):
        close = _PEM_END.search(text, begin.end()) if is_closed else None
        is_closed = close is not None
        if close:
            at = close.end()
        else:
            body = _PEM_BODY.match(text, begin.end())
            at = body.end() if body else begin.end()
        yield Span(begin.start(), at, "private-key")


def _matches(pattern: re.Pattern[str], rule: str, text: str) -> Iterator[Span]:
    return (Span(*match.span(), rule) for match in pattern.finditer(text))


def _tokens_by_shape(text: str) -> Iterator[Span]:
    for match in _PREFIXED.finditer(text):
        body = match.group(1) or match.group(2)
        if _is_mixed(body) and not _HASH_PREFIX.match(match.group()) and is_random(body, least=20):
            yield Span(match.start(), match.end(), "token")
    for match in _LONG_WORD.finditer(text):
        word = match.group()
        if _is_mixed(word) and sum(map(str.isdigit, word)) >= 4 and is_random(word):
            yield Span(match.start(), match.end(), "token")


def _is_mixed(word: str) -> bool:
    return any(map(str.isupper, word)) and any(map(str.islower, word))


def _kubernetes_secrets(text: str) -> Iterator[Span]:
    if not _K8S_KIND.search(text):
        return
    breaks = [0, *(m.end() for m in _DOCUMENT.finditer(text)), len(text)]
    for start, end in pairwise(breaks):
        if not _K8S_KIND.search(text, start, end):
            continue
        for data in _K8S_DATA.finditer(text, start, end):
            for value in _K8S_VALUE.finditer(text, *data.span("deeper")):
                yield Span(value.start(1), value.end(1), "kubernetes-secret")


def _webhooks(text: str) -> Iterator[Span]:
    for match in _WEBHOOK.finditer(text):
        group = 1 if match.group(1) else 2
        if any(is_random(part, least=10) for part in match.group(group).split("/")):
            yield Span(match.start(group), match.end(group), "webhook-url")


_LOGIN_RULES: _Rules = (
    (("://",), _url_logins),
    (("curl",), _curl_logins),
    ((" -", "\t-", "pass:", "chpasswd"), _option_logins),
)
_RULES: _Rules = (
    (("cookie",), _cookies),
    (("kind:",), _kubernetes_secrets),
    (("hook",), _webhooks),
    (("eyj", "zxlk"), partial(_matches, _JWT, "jwt")),
    ((":a",), partial(_matches, _BOT_TOKEN, "bot-token")),
)
CONTEXT_WORDS = (*_SCHEMES, *(mark for marks, _ in (*_LOGIN_RULES, *_RULES) for mark in marks))
"""Words that context rules ask for."""


def _by_words(rules: _Rules, text: str, words: Places) -> Iterator[Span]:
    for marks, rule in rules:
        if not words.keys().isdisjoint(marks):
            yield from rule(text)


def context_spans(text: str, words: Places) -> Iterator[Span]:
    """Find secrets by the text around them, private keys left to their rule.

    `words` has those of `CONTEXT_WORDS` and `HINT_WORDS` that the case folded text holds.
    """
    # No token has a space in it, and one that a sentence names has a digit.
    long_words = [word for word in text.split() if len(word) >= LEAST_TOKEN]
    yield from _by_words(_LOGIN_RULES, text, words)
    yield from _authorization(text, words)
    yield from _by_words(_RULES, text, words)
    if any(map(_LONG_RUN.search, long_words)):
        yield from _tokens_by_shape(text)
    hints = name_hints(text, words)
    yield from assignment_spans(text, hints)
    if any(any(map(str.isdigit, word)) for word in long_words):
        yield from spoken_spans(text, hints)
