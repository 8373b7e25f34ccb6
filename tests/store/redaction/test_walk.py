"""Secrets in values of any shape, and in what goes out of memory."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, NamedTuple, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store import Memory, Observation
from store.redaction import outgoing
from store.redaction.labels import public_id
from store.redaction.outgoing import Outgoing
from store.redaction.sanitizer import clean_observation, clean_record, clean_value, sanitize
from store.redaction.walk import EXEMPT, texts_of
from store.sessions.model import SessionDigest
from store.text.display import visible
from tests.store.factories import make_memory, observation, record, write_issue

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
_NAMES = st.from_regex(r"[a-z]{1,8}(_[a-z]{1,5})?", fullmatch=True).filter(
    lambda name: name not in Observation._fields and name not in EXEMPT
)


def _nested(leaf: object) -> st.SearchStrategy[Any]:
    """A value that holds the leaf somewhere, as JSON may."""
    return st.recursive(
        st.just(leaf),
        lambda inner: (
            inner.map(lambda it: [it, 1])
            | inner.map(lambda it: {"note": it})
            | inner.map(lambda it: (None, it))
        ),
        max_leaves=4,
    )


@given(name=_NAMES, value=_nested(f"Deploy with {TOKEN} tonight."))
def test_a_text_field_that_somebody_adds_lets_no_secret_through(name: str, value: object) -> None:
    fields = [(field, Any) for field in (*Observation._fields, name)]
    widened = NamedTuple("Widened", fields)  # type: ignore[misc]
    held = cast(Observation, widened._make((*observation(), value)))
    cleaned, found = clean_observation(held)
    assert TOKEN not in repr(cleaned)
    assert found
    assert TOKEN in "".join(texts_of(held))


@given(name=_NAMES, value=_nested(f"Deploy with {TOKEN} tonight."))
def test_a_key_that_nobody_knows_lets_no_secret_through(name: str, value: object) -> None:
    """In a record that is valid or not, in the journal and in what is stored."""
    for held in (record("a", **{name: value}), {name: value}):
        cleaned, found = clean_record(held)
        assert TOKEN not in repr(cleaned)
        assert found
    assert TOKEN not in repr(clean_value({"changes": [{"after": {name: value}}]}))
    stored, _ = clean_observation(observation(extra={name: value}))
    assert TOKEN not in repr(stored)


def test_a_key_lets_no_secret_through_itself() -> None:
    for held in (record("a", **{TOKEN: 1}), record("a", note={TOKEN: 1}), {TOKEN: "x"}):
        cleaned, found = clean_record(held)
        assert TOKEN not in repr(cleaned)
        assert found


def test_every_text_field_of_an_observation_is_looked_at() -> None:
    texts = {name: f"Text of {name}" for name in Observation._fields}
    held = Observation(**cast("dict[str, Any]", texts))
    assert set(texts_of(held)) == {text for name, text in texts.items() if name not in EXEMPT}


def test_what_others_refer_to_stays() -> None:
    cleaned, found = clean_observation(observation(id=TOKEN, content=f"Use {TOKEN}."))
    assert cleaned.id == TOKEN
    assert TOKEN not in visible(cleaned.content)
    assert found


def test_a_mark_in_a_private_key_saves_no_line_of_it() -> None:
    lines = "\n".join("MIIEowIBAAKCAQEAx9" + letter * 46 for letter in "abcdefgh")
    begin, end = (f"-----{word} RSA PRIVATE KEY-----" for word in ("BEGIN", "END"))
    key = f"{begin}\n[redacted a 12ab]\n{lines}\n{end}"
    assert re.fullmatch(r"\[redacted private-key [0-9a-f]{4}\]", sanitize(key).text)


def test_a_mark_is_no_secret() -> None:
    for text in ("password: [redacted password 12ab]", f"token=[redacted x 12ab]{TOKEN}"):
        once = sanitize(text).text
        assert "[redacted " in once
        assert sanitize(once).text == once
        assert TOKEN not in once
    assert sanitize("password: [redacted password 12ab]").text == (
        "password: [redacted password 12ab]"
    )


@given(
    st.from_regex(r"\Aobs-[a-z0-9]{1,20}-\d{1,9}-\d{13}-[a-z0-9]{6}\Z", fullmatch=True)
    | st.from_regex(r"\A[0-9a-f-]{1,64}\Z", fullmatch=True)
    | st.from_regex(r"\A[0-7][0-9A-HJKMNP-TV-Z]{25}\Z", fullmatch=True)
)
def test_the_usual_ids_are_no_secrets(identifier: str) -> None:
    assert public_id(identifier) == identifier == sanitize(identifier).text


def test_an_id_that_holds_a_secret_has_another_name() -> None:
    name = public_id(f"obs-a-7-1-{TOKEN}")
    assert name == public_id(f"obs-a-7-1-{TOKEN}") != public_id(f"obs-b-7-1-{TOKEN}")
    assert TOKEN not in name
    assert public_id(name) == name
    assert sanitize(name).text == name


@pytest.mark.parametrize(
    "value",
    [
        {"password": "hunter2secret"},
        {"login": {"db_password": ["hunter2secret"]}},
        {"password": 'hunter2secret"s'},
    ],
)
def test_what_only_its_key_tells_for_a_secret_is_taken_out(value: dict[str, object]) -> None:
    for cleaned, found in (
        clean_record(record("a", **value)),
        clean_value({"changes": [{"after": value}]}),
        clean_observation(observation(extra=value)),
    ):
        assert "hunter2secret" not in repr(cleaned)
        assert found
    shown = Outgoing(None).clean_page([observation(extra=value)])
    assert "hunter2secret" not in repr(shown)
    assert clean_value(clean_value(value)[0])[0] == clean_value(value)[0]


def test_a_key_of_an_ordinary_value_takes_nothing_out() -> None:
    value = {"password": "", "tokenizer": "cl100k_base", "cacheKey": "home", "passed": "42 of 42"}
    assert clean_value(value) == (value, ())


class _Pair(NamedTuple):
    left: object
    right: object


@pytest.mark.parametrize("text", [TOKEN, "Plain"])
def test_what_is_cleaned_keeps_its_shape(text: str) -> None:
    mark = sanitize(text).text
    value: Any = {
        "a": [text, (text, 1), None],
        "b": {"c": 1.5, "d": True},
        text: _Pair(text, [text]),
    }
    cleaned, _ = clean_value(value)
    pair = _Pair(mark, [mark])
    assert cleaned == {"a": [mark, (mark, 1), None], "b": {"c": 1.5, "d": True}, mark: pair}
    assert [*cleaned] == ["a", "b", mark]
    assert isinstance(cleaned[mark], _Pair)
    assert isinstance(cleaned["a"][1], tuple)
    held = observation(text, tags=(text, "b"), sources=(text,), extra={"note": [text]})
    made, found = clean_observation(held)
    assert made == held._replace(
        content=mark, tags=(mark, "b"), sources=(mark,), extra={"note": [mark]}
    )
    assert bool(found) is (text == TOKEN)


def test_one_secret_has_one_mark_whatever_tells_it() -> None:
    told: dict[str, Any] = {
        "first": "password=hunt3r",
        "second": "See https://me:hunt3r@shop.example/x",
        "third": ["mysql -phunt3r shop", "password: 0ther!"],
    }
    cleaned, found = clean_value(told)
    first = cleaned["first"].removeprefix("password=")
    assert found == (first, cleaned["third"][1].removeprefix("password: "))
    assert cleaned["second"] == f"See https://me:{first}@shop.example/x"
    assert cleaned["third"][0] == f"mysql -p{first} shop"
    assert "hunt3r" not in repr(cleaned)
    again, names = clean_value(dict(reversed(told.items())))
    assert set(again) == set(cleaned)
    assert len(names) == 2


# What others wrote is cleaned on the way out, and what is clean is known the next time.


PRIVATE = "the merger is called Falcon"


def foreign(tmp_path: Path) -> Memory:
    """A memory that another program wrote, with a token and a private block in it."""
    memory = make_memory(tmp_path)
    memory.path.mkdir(parents=True)
    write_issue(
        memory.path,
        29,
        record("a", content=f"Deploy with {TOKEN} from the runner.", summary=f"Token {TOKEN}"),
        record("b", content=f"Ask first. <private>{PRIVATE}</private>", summary="Ask first"),
        record("c", content="Locks are held for five seconds at most."),
    )
    return memory


def test_a_token_and_a_private_block_of_others_are_never_injected(tmp_path: Path) -> None:
    with foreign(tmp_path) as memory:
        recall = memory.recall.plan(None, 29)
        assert len(recall.included) == 3
        for text in (
            recall.text,
            memory.recall.prompt_block(["a", "b"]),
            memory.recall.inject(recall),
        ):
            assert TOKEN not in text
            assert PRIVATE not in text
            assert "[redacted" in text
        kept = b"".join(path.read_bytes() for path in (memory.path / "recalls").iterdir())
        assert TOKEN.encode() not in kept
        assert TOKEN in memory.get("a").content


@pytest.mark.parametrize("name", ["values.py", "vendors.json"])
def test_other_rules_are_told_by_any_file_that_holds_some(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules = tmp_path / "rules"
    rules.mkdir()
    (rules / name).write_text("one")
    monkeypatch.setattr(outgoing, "__file__", str(rules / "outgoing.py"))
    first = Outgoing(tmp_path)
    first.know(texts_of(observation("Clean")))
    first.save()
    (digest,) = first._new
    (rules / "notes.txt").write_text("no rule")
    assert Outgoing(tmp_path)._is_known(digest)
    (rules / name).write_text("another")
    assert not Outgoing(tmp_path)._is_known(digest)


@pytest.fixture
def screened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was read by the rules, in order."""
    read: list[str] = []

    def clean_one(value: Observation) -> tuple[Observation, tuple[str, ...]]:
        read.append(value.content)
        return clean_observation(value)

    def clean_any(value: SessionDigest) -> tuple[SessionDigest, tuple[str, ...]]:
        read.append(repr(value))
        return clean_value(value)

    monkeypatch.setattr("store.redaction.sanitizer.clean_observation", clean_one)
    monkeypatch.setattr("store.redaction.sanitizer.clean_value", clean_any)
    return read


def test_what_pages_showed_is_known_the_next_time(tmp_path: Path, screened: list[str]) -> None:
    page = [observation(f"Locks are held for {number} seconds") for number in range(9)]
    first = Outgoing(tmp_path)
    first.clean_page(page[:5])
    first.clean_page(page[5:])
    first.save()
    screened.clear()
    assert Outgoing(tmp_path).clean_page(page) == page
    assert not screened


def test_what_passed_once_passes_as_it_was_alone() -> None:
    outgoing = Outgoing(None)
    clean = observation("Locks are held for 5 seconds")
    for _ in range(2):
        assert outgoing.clean_page([clean]) == [clean]
    for changed in (
        clean._replace(content=f"Deploy with {TOKEN}"),
        clean._replace(tags=(TOKEN,)),
        clean._replace(extra={"note": [TOKEN]}),
    ):
        for _ in range(2):
            assert TOKEN not in repr(outgoing.clean_page([clean, changed]))


def test_two_that_begin_alike_are_each_cleaned_by_all_of_their_texts() -> None:
    alike = [
        observation("Deploy it", summary="Deploy it", tags=(tag,), extra={"note": note})
        for tag, note in (("a", ""), (TOKEN, ""), ("a", TOKEN), ("a", f"x{TOKEN[:-1]}Z"))
    ]
    outgoing = Outgoing(None)
    for order in (alike, alike[::-1]):
        shown = [outgoing.clean(it) for it in order]
        assert TOKEN not in repr(shown)
        assert len(set(map(repr, shown))) == 4
    assert outgoing.clean(alike[0]) is alike[0]
