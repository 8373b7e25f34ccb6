from __future__ import annotations

import pytest

from store.redaction.names import Sensitivity, sensitivity
from store.redaction.values import is_placeholder, is_random, is_reference, is_secret_value


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("DB_PASSWORD", Sensitivity.PASSWORD),
        ("PASS_PROD", Sensitivity.PASSWORD),
        ("db.pass", Sensitivity.PASSWORD),
        ("passArchitecture", Sensitivity.NONE),
        ("pass_through", Sensitivity.NONE),
        ("passBand", Sensitivity.NONE),
        ("PASS_MYSQL", Sensitivity.PASSWORD),
        ("pass_phrase", Sensitivity.PASSWORD),
        ("pass_api_token", Sensitivity.PASSWORD),
        ("dbpassword", Sensitivity.PASSWORD),
        ("senha", Sensitivity.PASSWORD),
        ("acmeToken", Sensitivity.TOKEN),
        ("api_key_2", Sensitivity.TOKEN),
        ("api_key_1_2", Sensitivity.TOKEN),
        ("token_count_1_2", Sensitivity.NONE),
        ("authtoken", Sensitivity.TOKEN),
        ("acmeKey", Sensitivity.KEY),
        ("acmekey", Sensitivity.KEY),
        ("tokens", Sensitivity.NONE),
        ("token_count", Sensitivity.NONE),
        ("primaryKey", Sensitivity.NONE),
        ("csrf-token", Sensitivity.NONE),
        ("password_hash", Sensitivity.NONE),
        ("author", Sensitivity.NONE),
        ("42", Sensitivity.NONE),
    ],
)
def test_what_names_say(name: str, kind: Sensitivity) -> None:
    assert sensitivity(name) is kind


@pytest.mark.parametrize(
    ("value", "quoted", "literal", "secret"),
    [
        ("hunter" + "22", False, False, True),
        ("let" + "mein", False, False, False),
        ("let" + "mein", False, True, True),
        ("let" + "mein", True, False, True),
        ("correct" + "horsebattery", False, False, True),
        ("Username", True, False, False),
        ("user_name", True, False, False),
        ("12345", False, False, False),
        ("123" + "45", False, True, True),
        ("abc", True, True, False),
        ("one two 3", True, False, True),
        ("Enter it here", True, False, False),
        ("config.password", False, False, False),
        ("/run/secrets/pw", True, True, False),
    ],
)
def test_what_a_password_looks_like(value: str, quoted: bool, literal: bool, secret: bool) -> None:
    found = is_secret_value(value, Sensitivity.PASSWORD, quoted=quoted, literal=literal)
    assert found is secret


@pytest.mark.parametrize(
    ("value", "random"),
    [
        ("a1b2" + "c3d4e5f6a7b8", True),
        ("1928445590" + "77614208", True),
        ("qzxwvkjhgf" + "dsplmnbtrc", True),
        ("aB" * 4 + "qRtYpLmN", True),
        ("getUserAccountSettings", False),
        ("--------1234----------", False),
        ("=" * 20, False),
        ("short", False),
        ("1231231231" + "231244", False),
        ("1231231231" + "241255", True),
    ],
)
def test_what_looks_random(value: str, random: bool) -> None:
    assert is_random(value) is random


@pytest.mark.parametrize("value", ["xxxxxxxx", "<token>", "${TOKEN}", "your-key", "aaaaaaaaaa"])
def test_placeholders(value: str) -> None:
    assert is_placeholder(value)


@pytest.mark.parametrize(
    "value",
    [
        "os.getcwd()",
        "a.b.c",
        "src/a/b.py",
        "v1.2.3",
        "cert.pem",
        "src/query.tsx",
        "db/3-users.sql",
        "1740250000000-AddSharesTables",
        "20260114_add_index_on_users",
    ],
)
def test_references(value: str) -> None:
    assert is_reference(value)


@pytest.mark.parametrize("value", ["20260114_xkqzw" + "_vbnptr", "1740250000000-Xkqzw" + "Vbnptr"])
def test_a_number_before_what_is_no_word_names_nothing(value: str) -> None:
    assert not is_reference(value)
