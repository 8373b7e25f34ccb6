"""Sensitivity of a name: a key, field or option that holds a secret."""

from __future__ import annotations

import re
from enum import Enum
from functools import lru_cache

from store.platform.lazy_pattern import lazy_pattern

_WORD = lazy_pattern(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_JOINED_END = lazy_pattern(
    r"(passw(?:or)?d|passphrase|pwd)$|(token|secret|apikey|accesskey|secretkey|authkey"
    r"|privatekey|credentials?)$",
    re.I,
)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_PASSWORDS = _words(
    "password passwd passphrase passcode pass pwd pswd pw senha userpass dbpass pgpassword"
)
_TOKENS = _words(
    "token secret apikey authkey accesskey secretkey privatekey credential credentials creds auth"
    " authorization jwt bearer signature sig pat otp totp webhook dsn sid sessid sessionid"
    " authtoken accesstoken apitoken refreshtoken clientsecret cred serviceaccountkey"
)
_STRONG_KEYS = _words(
    "api access secret private auth encryption signing master license licence service client"
    " account shared storage deploy app application subscription registration session admin"
    " integration ingest instrumentation write chave acesso"
)
_KEYS = _words("key chave salt seed license licence")
_HARMLESS_ENDS = _words(
    "id ids name names url uri urls file files filename path paths dir length len size type types"
    " kind count counts total limit limits version alias endpoint expiry expires expiration ttl age"
    " index prefix suffix format field fields label header usage budget max min store vault ring"
    " board word words code codes down up left right event events page policy manager provider"
    " class function param params location pattern regex rotation status state method mode scope"
    " scopes enabled required valid invalid error errors host port user username email level"
    " variable var ref hash checksum digest fingerprint thumbprint stone frame selector pair mesh"
    " meshing signatures material column table space algorithm alg strategy reset strength hint"
    " placeholder text message chars tab press pressed storetype source results result"
)
_HARMLESS_BEFORE = _words(
    "public pub primary foreign sort partition cache bucket schema sequence natural hot idx row map"
    " object dict json cookie i18n translation registry group lookup shortcut keyboard csrf xsrf"
    " max min total num input output prompt completion issuer turkey monkey"
)
_NO_PASSWORD = _words(
    "architecture through thru by over along around back band rate ratio fail order loop pipeline"
)
"""What behind `pass` tells that it is none: `passArchitecture`, `pass_through`, `pass_rate`."""


class Sensitivity(Enum):
    """Degrees to which a name speaks of secrets: the higher, the less its value must look it."""

    NONE = 0
    KEY = 1
    """A key of some kind: secret if its value looks random."""
    TOKEN = 2
    """A token, secret or credential: secret unless its value looks like a word or reference."""
    PASSWORD = 3
    """A password: people choose words for them, so nearly any value counts."""


@lru_cache(maxsize=1_024)
def sensitivity(name: str) -> Sensitivity:
    words = [word.lower() for word in _WORD.findall(name)]
    while words and words[-1].isdigit():
        words.pop()
    if not words:
        return Sensitivity.NONE
    last = words[-1]
    if last in _HARMLESS_ENDS or _HARMLESS_BEFORE.issuperset(words[-2:-1] or [last]):
        return Sensitivity.NONE
    if words[0] == "pass" and last in _NO_PASSWORD:
        return Sensitivity.NONE
    if _PASSWORDS & set(words):
        return Sensitivity.PASSWORD
    joined = _JOINED_END.search(last)
    if joined:
        return Sensitivity.PASSWORD if joined.group(1) else Sensitivity.TOKEN
    if last in _KEYS:
        strong = any(word in _STRONG_KEYS for word in words[:-1])
        return Sensitivity.TOKEN if strong else Sensitivity.KEY
    if _TOKENS & set(words):
        return Sensitivity.TOKEN
    if last.endswith("key") or _JOINED_END.search("".join(words)):
        return Sensitivity.KEY
    return Sensitivity.NONE
