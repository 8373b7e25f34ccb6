"""A URL taken apart, and no password of it told."""

from __future__ import annotations

import re

import pytest
from psycopg.conninfo import conninfo_to_dict

from store.backends import open_backend, shown_location
from store.backends.postgres.address import address_of
from store.errors import NoMemory, StoreError, Unopened


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql://me:geheim@host/db?project=a", "postgresql://me@host/db?project=a"),
        ("postgresql://me:ge@he/im@host/db", "postgresql://me@host/db"),
        ("postgresql://host/db?password=geheim&user=me", "postgresql://host/db?user=me"),
        ("mysql://me:geheim@host/db", "mysql://me@host/db"),
        ("postgresql://host/db?sslPassword=geheim&a=b", "postgresql://host/db?a=b"),
        ("postgresql://host/db?a=b&p%61ssword=geheim", "postgresql://host/db?a=b&"),
        ("postgresql+psycopg://me:geheim@host/db", "postgresql+psycopg://me@host/db"),
        ("/work/postgresql:/me:geheim@host/db", "/work/postgresql:/me@host/db"),
        ("postgresql:///db", "postgresql:///db"),
        ("/home/me/project", "/home/me/project"),
    ],
)
def test_a_location_is_shown_without_its_password(url: str, shown: str) -> None:
    assert shown_location(url) == shown


def test_an_address_has_a_name_of_its_own_that_tells_no_password() -> None:
    address = address_of("postgresql://me:geheim@host:7/db?project=a&sslmode=require")
    assert address.identity == "postgresql://me@host:7/db?project=a"
    assert "project" not in address.url
    assert "sslmode=require" in address.url
    assert "geheim" not in repr(address) + address.shown
    same = address_of("postgresql://me@host:7/db?project=a")
    assert same.identity == address.identity
    assert address_of("postgresql://me@host:7/db").identity != address.identity


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://me:geheim@host:none/db",
        "postgresql://[x/db",
        "postgresql://me:ge@heim@host/db",
        "postgresql://me:geheim/12@host/db",
        "postgresql://me:12/geheim@host/db",
        "postgresql://me:geheim?12@host/db",
        "postgresql://me:12?geheim@host/db",
        "postgresql://me:geheim#12@host/db",
        "postgresql://me:12#geheim@host/db",
        "POSTGRESQL://me:12#geheim@host/db",
    ],
)
def test_what_is_no_url_is_said_without_its_password(url: str) -> None:
    with pytest.raises(NoMemory, match=r"postgresql://.* is not a PostgreSQL URL") as raised:
        open_backend(url)
    assert not re.search("ge|heim", raised.value.message)


def test_a_server_that_is_away_is_said_without_the_password() -> None:
    pytest.importorskip("psycopg", reason="psycopg is not installed")
    backend = open_backend("postgresql://me:geheim@127.0.0.1:1/db?options=geheim")
    with pytest.raises(Unopened) as read:
        backend.read(29)
    with pytest.raises(StoreError) as written, backend.locked():
        pass
    said = f"{read.value.message} {written.value.message}"
    assert "geheim" not in said.replace("options=geheim", "")
    assert "Connection refused" in said or "connection refused" in said
    assert not backend.is_writable()


def test_a_database_that_does_not_answer_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PGCONNECT_TIMEOUT", raising=False)
    assert conninfo_to_dict(address_of("postgresql://host/db").url)["connect_timeout"] == "5"
    chosen = address_of("postgresql://host/db?connect_timeout=30").url
    assert conninfo_to_dict(chosen)["connect_timeout"] == "30"
    monkeypatch.setenv("PGCONNECT_TIMEOUT", "60")
    assert "connect_timeout" not in address_of("postgresql://host/db").url
