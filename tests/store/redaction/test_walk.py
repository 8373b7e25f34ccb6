"""No text of a record is passed over: what is not looked at is exempt by its name."""

from __future__ import annotations

import re
from typing import Any, NamedTuple, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.model import Observation
from store.redaction.labels import public_id, shown_name
from store.redaction.outgoing import Outgoing
from store.redaction.sanitizer import clean_observation, clean_record, clean_value, sanitize
from store.redaction.walk import EXEMPT, texts_of
from store.text.display import visible
from tests.store.factories import observation, record

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


def test_a_key_below_a_known_field_is_looked_at_too() -> None:
    held = observation(extra={"note": {TOKEN: 1}})
    assert TOKEN in set(texts_of(held))
    assert TOKEN not in str(clean_observation(held)[0])
    assert TOKEN not in Outgoing(None).clean(held).extra["note"]


def test_a_name_is_shown_without_a_secret() -> None:
    assert shown_name(TOKEN).startswith("[redacted ")
    assert shown_name("engineer") == "engineer"
    assert shown_name("<private>a") == ""


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
