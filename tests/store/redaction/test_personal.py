"""E-mail addresses and telephone numbers: what is taken for one, and where it is redacted."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from time import process_time

import pytest

from store import Memory
from store.memory import open_memory
from store.redaction import personal_choice
from store.redaction.outgoing import Outgoing
from store.redaction.personal import personal_spans
from store.redaction.personal_choice import choose_personal
from store.redaction.sanitizer import cleaned_text
from store.settings.files import LoadedSettings, MistakeKind, load_settings, user_file
from store.settings.schema import Settings
from tests.store.factories import observation, record, write_issue

FOUND = {
    "Ask bob@example.com: she knows.": ["bob@example.com"],
    "Jörg <jörg.groß@müller.de>": ["jörg.groß@müller.de"],
    "mailto:anna+tag@mail.example.co.uk?subject=x": ["anna+tag@mail.example.co.uk"],
    '{"author": "x.y@corp.io", "age": 3}': ["x.y@corp.io"],
    "a@example.org,b@example.org": ["a@example.org", "b@example.org"],
    "Ends with kim@example.net.": ["kim@example.net"],
    "Call +49 170 1234567.": ["+49 170 1234567"],
    "+1 (212) 555-0199": ["+1 (212) 555-0199"],
    "+442079460958 is the office": ["+442079460958"],
    "(212) 555-0199 or 1-212-555-0134": ["(212) 555-0199", "1-212-555-0134"],
    "+33 6 12 34 56 78, +1-212-555-0199": ["+33 6 12 34 56 78", "+1-212-555-0199"],
    "212-555-0199": ["212-555-0199"],
    'phone = "0170 1234567"': ["0170 1234567"],
    "Tel.: 030/123 45 67, Fax: 030 1234568": ["030/123 45 67", "030 1234568"],
    "téléphone: 06 12 34 56 78": ["06 12 34 56 78"],
}
KEPT = (
    "git clone git@github.com:team/repo.git",
    "git@github.com",
    "ssh -T git@github.com",
    "deploy with ssh deploy@prod.example.com -p 22",
    "rsync -a build/ www@web1.example.org:/srv/www",
    "root@server.example.com:/var/www",
    "postgresql://memtui@db.example.com/memory",
    "https://user@host.example.com/x",
    "npm i @types/node@20.1.4 @scope/pkg@1.0.0-alpha.beta",
    "react@18.2.0 lodash@4.17.21.tgz vue@next",
    "uses: actions/checkout@v4.1.0",
    "image@sha256:0123456789abcdef.example",
    "icon@2x.png and icon@2x.js",
    "systemctl status postgresql@14-main.service getty@tty1.service",
    "noreply@anthropic.com",
    "@app.route and @pytest.mark.parametrize",
    "y = x@self.weight",
    "2026-11-29T08:30:12.123456Z and 2026-11-29 08:30:12+01:00",
    "20261129083012",
    "1.22.333-4444, v200.300.4000, 1.0+20130313144700",
    "127.0.0.1:8080 and 192.168.100.200:54321",
    "obs-claude-29-1700000000000-a1b2c3",
    "obs-claude-200-300-4000",
    "123e4567-e89b-12d3-a456-426614174000",
    "order 555-123-45678, ticket JIRA-212-555-0199",
    "took 1234567890 ns, 4155550199 bytes",
    "mobile: 1280x800, phone: 3 screens of 12",
    "cell: 1234567ab",
    "+10 -3 lines, UTC+0100, +0200, +1.5, +1.23456789",
    "@@ -120,30 +120,34 @@",
    "call 911 or room 4711",
    "https://example.com/212-555-0199/x",
)


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    yield
    choose_personal(False)


def found(text: str) -> list[str]:
    return [text[span.start : span.end] for span in personal_spans(text)]


@pytest.mark.parametrize(("text", "personal"), FOUND.items())
def test_personal_data_is_found(text: str, personal: list[str]) -> None:
    assert found(text) == personal


@pytest.mark.parametrize("text", KEPT)
def test_what_only_looks_like_it_stays(text: str) -> None:
    assert found(text) == []
    choose_personal(True)
    assert cleaned_text(text) == text


@pytest.mark.parametrize("text", FOUND)
def test_it_is_redacted_only_where_chosen(text: str) -> None:
    assert cleaned_text(text) == text
    choose_personal(True)
    once = cleaned_text(text)
    assert not any(personal in once for personal in FOUND[text])
    assert cleaned_text(once) == once


@pytest.mark.parametrize("part", ["a.", "a@b.", "1-", "+1 23 ", "tel: 1 ", "ssh a@b.io "])
def test_the_time_taken_grows_with_the_length_alone(part: str) -> None:
    started = process_time()
    found(part * 10_000)
    assert process_time() - started < 3, "where it grew with the square, much longer"


def opened(folder: Path, *, is_redacted: bool) -> Memory:
    return open_memory(folder, settings=Settings(redact_personal_data=is_redacted))


def test_it_is_redacted_on_the_way_in(tmp_path: Path) -> None:
    with opened(tmp_path / "memory", is_redacted=True) as memory:
        one = observation(content="Ask bob@example.com, +49 170 1234567.")
        (identifier,) = memory.add([one]).ids
    with opened(tmp_path / "memory", is_redacted=False) as memory:
        content = memory.get(identifier).content
        assert content.startswith("Ask [redacted email ")
        assert "[redacted phone " in content


def test_it_is_redacted_on_the_way_out(tmp_path: Path) -> None:
    folder = tmp_path / "memory"
    folder.mkdir()
    write_issue(folder, 1, record("a", content="Ask bob@example.com.", summary="Who to ask"))
    with opened(folder, is_redacted=False) as memory:
        assert "bob@example.com" in memory.recall.plan(None, 1).text
    with opened(folder, is_redacted=True) as memory:
        assert "bob@" not in memory.recall.plan(None, 1).text
        assert "bob@" not in repr(memory.search("ask").hits)
        assert "bob@" not in memory.get_redacted("a").content
        assert "bob@" in memory.get("a").content, "what is stored is not changed"


def test_what_was_clean_before_the_choice_is_looked_at_again(tmp_path: Path) -> None:
    page = observation("Ask bob@example.com.")
    first = Outgoing(tmp_path)
    assert first.clean(page) is page
    first.save()
    choose_personal(True)
    for gate in (first, Outgoing(tmp_path)):
        assert "bob@" not in gate.clean(page).content


@pytest.mark.parametrize(("text", "is_redacted"), [("true", True), ("false", False), ("", False)])
def test_the_user_s_file_counts_where_no_memory_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, is_redacted: bool
) -> None:
    monkeypatch.setattr(personal_choice, "_chosen", None)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    user_file().parent.mkdir(parents=True)
    user_file().write_text(f"redact_personal_data = {text}\n" if text else "")
    assert personal_choice.is_personal_redacted() is is_redacted


def settings_of(tmp_path: Path, *, user: str, project: str) -> LoadedSettings:
    (tmp_path / "settings.toml").write_text(user)
    (tmp_path / "memtui.toml").write_text(project)
    return load_settings(tmp_path / "memory", {}, tmp_path / "settings.toml")


def test_only_the_user_chooses(tmp_path: Path) -> None:
    loaded = settings_of(
        tmp_path, user="redact_personal_data = true", project="redact_personal_data = false"
    )
    assert loaded.settings.redact_personal_data
    assert [mistake.kind for mistake in loaded.mistakes] == [MistakeKind.USER_ONLY]
