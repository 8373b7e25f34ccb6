"""A page of what people, tools and files write around secrets, and what is left of each line.

What is drawn is made here, so that no line of this file is a secret: `{12}` stands for 12 mixed
letters and digits, `{x20}` for hexadecimal ones, `{w8}` for small letters.
"""

from __future__ import annotations

import re
from itertools import cycle, islice

from syrupy.assertion import SnapshotAssertion

from store.redaction.sanitizer import PRIVATE, clean_record, sanitize
from tests.store.whole.plain import as_text

_DRAWN = {"": "q7ZxK2mP9vR4tB8wN3cJ6hL5", "x": "9f3ac07be51d28", "w": "qzjxkvwpfhm"}
_PLACE = re.compile(r"\{([xw]?)(\d+)\}")
LINES = (
    # Names and values
    "password={4}", "password={3}", "password=12345", "--password 12345", "password=123456",
    "password: correcthorsebatter", "password: correcthorse", 'password = "correct horse 9"',
    'password = "correct horse battery"', "password=$HOME", "password=<yours>", "password=None",
    "export DB_PASSWORD={9}; run", "DB_PASS=hunter,two;", "db_pass: hunter2, and more",
    "API_KEY_OF_THE_VERY_LONG_NAMED_SERVICE_FOR_PAYMENTS_IN_EUROPE_TOKEN={24}",
    "THE_TOKEN_OF_THE_VERY_LONG_NAMED_SERVICE_FOR_PAYMENTS_IN_EUROPE_KEY={24}",
    "url?token={12}&page=2", "url?page=2&api_key={12}&x={12}", "token={8}", "token={7}",
    "token=sha256", "token: abcdefgh", "token_count=123456789012", "max_tokens: {20}",
    "secretName: {20}", "key={16}", "key={15}", "public_key={24}", "access_key = {20}",
    "cache_key=app-1-{x32}", "api_key: 9f3ac07b-e51d-289f-3ac0-7be51d289f3a",
    "licence: {20}", "salt='{16}'", "pin: 1234", "PIN=123456", "otp {6}", "mfa otp: 123456",
    "<password>{9}</password>", "password>{9}</password>", '{"password": "{5}"}',
    "{'token', '{16}'}", 'set("secret", "{20}")', "- name: API_TOKEN\n  value: {20}",
    "pass = {12}", "PASS: TestLoad", "Pass: {12}", "pass to the next", "pass_rate=0.98765",
    "passphrase => {9}", "pwd := {9}", "auth ||= '{20}'", "creds -> {20}",
    "secret.=abc{12}", "key+={20}",
    # Sentences
    "the password is {9}.", "the password was changed", "The password for the db is {9}!",
    "The password for our users is correct",
    "o token é {12}", "the pwd for staging to prod was now {9}", "the key is {20}", "key is {5}",
    "the deploy key {24} works", "use {24} as the Stripe API key", "the commit key {x40}",
    "the deploy token {x40}", "`{24}`", "`{23}`", "`msg_{24}`", "`{x40}`", "{24} is our token.",
    "password {9}", "password {w9}", "password Tr0ub4dor&3, and so on", "wifi password Summer24",
    # Headers, cookies, addresses, options
    "Authorization: Bearer {20}", "Authorization: Bearer {7}", "authorization: basic {x20}==",
    "Bearer token", "Cookie: sessionid={8}; theme={12}; track={20}", "Set-Cookie: sid={7}",
    "set-cookie: theme={19}", "Cookie: theme={20}", "postgres://joe:abc@db/x",
    "postgres://joe:ab@db/x", "postgres://joe:{9}@db.example.org", "https://{16}@host/x",
    "https://{15}@host/x", "https://{x32}@o1.ingest.example.org/2", "https://joe@host/x",
    "https://{16}:{8}@host", "redis://:{9}@host", "https://joe:p@ss@host", "https://a:****@host",
    "curl -u joe:{9} https://x", "curl --user=joe:token https://x",
    "curl -u '{20}:' https://x", "curl -u {15}: https://x", "curl -u sk_x_{9}: https://x",
    "curl -sS \\\n -u joe:{9} https://x", "curl -ujoe:{9} x", "curl -u joe https://x",
    "mysql -u root -p{9} shop", "mysql -u root -p shop", "sshpass -p {9} ssh x",
    "redis-cli -h x -a {9}", "docker login -u me -p {9}", "ldapsearch -w {9}", "openssl pass:{9}",
    "echo 'joe:{9}' | sudo chpasswd", "sqlcmd -P /etc/x", "--api-key {16}", "--token={w12}",
    # Keys and tokens by their form
    "-----BEGIN RSA PRIVATE KEY-----\n{64}\n{30}==\n-----END RSA PRIVATE KEY-----\nafter",
    "-----BEGIN PRIVATE KEY-----\n{64}\n{30}==\ncut off here",
    "-----BEGIN PUBLIC KEY-----\n{30}+{33}\n-----END PUBLIC KEY-----",
    "-----BEGIN CERTIFICATE-----",
    "eyJ{20}.eyJ{20}.{30}", "eyJ{10}.{10}", "eyJ{9}.{10}", "123456:A{30}", "12345:A{30}",
    "https://hooks.example.org/{16}/b", "https://x.org/hooks/{15}", "https://x.org/webhook/{16}",
    "acme_{20}", "acme_{19}", "toolu_{24}", "call_{24}", "chatcmpl-{24}", "sk_live_{24}", "pk.{40}",
    "{56}", "{55}", "{x64}", "sha256-{56}", "AKIA" + "QZ7XK2MP5VR4TB3W", "ghp_{36}", "ghp_{35}",
    "xoxb-123456789012-123456789012-{24}", "AIza{35}", "sk-ant-api03-{93}AA", "glpat-{20}",
    "npm_{36}", "SG.{22}.{43}", "dop_v1_{x64}", "stripe_key = rk_live_{24}",
    "algolia: {x32}", "algolia {x32}", "adobe_id={x32}", "dropbox = '{w15}'",
    "kind: Secret\ndata:\n  user: {12}\n  pass: {20}\ntype: Opaque",
    "kind: ConfigMap\ndata:\n  user: {12}\n  pem: {20}",
    # What is none
    "password reset, password_hash, password.txt, tokens: 1200, key: value, secret: true",
    "obs-engineer-29-1709035200000-a1b2c3 and 0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0",
    "commit {x40}, md5 {x32}, shop/queue.py:31, v1.2.3-rc.1, 1740250000000-AddSharesTables",
    "integrity sha512-{40}+{40}/{4}==", "serviceAPIKey, process.env.API_KEY, os.environ['TOKEN']",
    "[redacted password 1a2b] stays, password=[redacted password 1a2b]",
    # Private text
    "a <private>b</private> c", "a <private>b <private>c</private> d</private> e",
    "a <private>never closed", "a <PRIVATE x='1'>b</private > c", "a </private> b", "<privately>a",
)  # fmt: skip


def _drawn(match: re.Match[str]) -> str:
    return "".join(islice(cycle(_DRAWN[match[1]]), int(match[2])))


def test_a_page_of_secrets(snapshot: SnapshotAssertion) -> None:
    told = []
    for line in LINES:
        text = _PLACE.sub(_drawn, line)
        clean = sanitize(text)
        assert sanitize(clean.text).text == clean.text
        rest = clean.text if clean.text != text else "="
        told.append(f"{line!r}: {rest!r}")
    assert "\n".join(told) == snapshot


def test_a_record_with_secrets_everywhere(snapshot: SnapshotAssertion) -> None:
    secret = "".join(islice(cycle(_DRAWN[""]), 24))
    password = "password: hunter2hunter2"
    record = {
        "id": "obs-1",
        "agent": f"engineer-{secret}",
        "content": f"The deploy key {secret} works. <private>mine</private>\n{password}",
        "summary": f"It is {secret}",
        "tags": [secret, "lease"],
        "sources": [f"s1:{secret}"],
        "extra": {f"token_{secret}": [1, None, True, {"said": "hunter2hunter2"}]},
        "hunter2hunter2": 2.5,
    }
    cleaned, found = clean_record(record)
    assert secret not in str(cleaned) and "hunter2" not in str(cleaned)
    assert found[0] == PRIVATE
    assert as_text([cleaned, found]) == snapshot
