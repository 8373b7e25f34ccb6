"""The URL of a database, taken apart: what connects, what names the memory, what may be shown."""

from __future__ import annotations

import getpass
import os
import re
from typing import NamedTuple
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

from store.backends import shown_location
from store.errors import NoMemory

_PROJECT = "project"
_DEFAULT = "default"
_CONNECT_SECONDS = "5"
_OPTION = re.compile(r"[a-z][a-z0-9_]*", re.ASCII)
_HINT = (
    "Give postgresql://user@host/database?project=name. In a password write @ as %40, / as %2F, "
    "? as %3F and # as %23, or keep it in ~/.pgpass or PGPASSWORD."
)


class Address(NamedTuple):
    """The place of a memory in a database.

    `url` goes to the driver, with the password where it has one; `shown` and `identity` have none.
    """

    url: str
    project: str
    identity: str
    shown: str
    secret: str = ""

    def __repr__(self) -> str:
        return f"Address({self.shown!r})"


def address_of(location: str) -> Address:
    """Return the parts of `postgresql://user:password@host:port/database?project=name`.

    What the URL leaves out is taken from PostgreSQL's own variables (`PGHOST`, `PGUSER` …); the
    project is `default`. Raises `NoMemory` for what is no such URL.
    """
    shown = shown_location(location)
    try:
        parts = urlsplit(location)
        port = str(parts.port or "")
        options = dict(parse_qsl(parts.query, keep_blank_values=True))
        # What is wrong may be of the password: the driver would repeat it, and what follows an @ in
        # it would be asked for as a host.
        is_whole = "#" not in location and "@" not in parts.netloc.rpartition("@")[0] + parts.path
    except ValueError:
        is_whole = False
    if not is_whole or not all(map(_OPTION.fullmatch, options)):
        raise NoMemory(f"{shown} is not a PostgreSQL URL.", _HINT)
    project = options.pop(_PROJECT, "") or _DEFAULT
    # What is among the parameters counts too, as for the driver.
    secret = options.get("password") or unquote(parts.password or "")
    user = options.get("user") or unquote(parts.username or "") or _variable("PGUSER", _whoami())
    database = options.get("dbname") or unquote(parts.path.lstrip("/"))
    database = database or _variable("PGDATABASE", user)
    host = options.get("host") or parts.hostname or _variable("PGHOST", "local")
    port = options.get("port") or port or _variable("PGPORT", "5432")
    if "connect_timeout" not in options and not os.environ.get("PGCONNECT_TIMEOUT"):
        options["connect_timeout"] = _CONNECT_SECONDS
    options.setdefault("application_name", "memtui")
    # Not `geturl`: of a URL without a host it drops the slashes, and the driver refuses the rest.
    url = f"postgresql://{parts.netloc}{parts.path}?{urlencode(options, quote_via=quote)}"
    identity = f"postgresql://{user}@{host}:{port}/{database}?project={project}"
    return Address(url, project, identity, shown, secret)


def _variable(name: str, otherwise: str) -> str:
    return os.environ.get(name) or otherwise


def _whoami() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return str(os.geteuid())
