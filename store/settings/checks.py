"""Whether values are what the settings take, by the types of their fields."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, get_args, get_origin

from store.extension import named, settings_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from store.settings.schema import Settings


_OURS = "value_error"
"""The type of what our own checks find."""


class Ge(NamedTuple):
    """The least that a number may be; named as in annotations, of which it takes the place."""

    ge: float


class Le(NamedTuple):
    """The most that a number may be."""

    le: float


class Predicate(NamedTuple):
    """A check of a program's own, which raises `ValueError` with what is wrong."""

    func: Callable[[Any], bool]


class Problem(NamedTuple):
    """What is wrong in a value: the key of a table where it is, if it is in one, and why, as the
    end of a sentence.
    """

    where: tuple[str, ...]
    why: str
    is_ours: bool
    """Whether a check of our own found it, which says what was meant."""


class WrongValue(ValueError):
    """A value that a setting does not take."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        super().__init__()
        self.problems = tuple(problems)


def settings_class() -> type[Settings]:
    """The class of the settings in force."""
    found: type[Settings] = named(settings_name())
    return found


def type_of(name: str) -> Any:  # noqa: ANN401 - a type, or what annotates one
    """The type of a setting, annotated with what holds it: `Ge`, `Le` and `Predicate`."""
    return _types(settings_name())[name]


def is_plainly_right(name: str, value: object) -> bool:
    """Whether a value is what a setting takes, told without what says why one is not: that takes
    70 ms to load, as long as a hook without it.
    """
    return _is_of(type_of(name), value)


def check_setting(name: str, value: object, *, strict: bool) -> Any:  # noqa: ANN401 - of the field's type
    """The value as the field takes it. `strict` takes no text for a number.

    Raises `WrongValue`.
    """
    import annotated_types
    from pydantic import TypeAdapter, ValidationError

    kind = _evaluated(vars(annotated_types))[name]
    try:
        return TypeAdapter(kind).validate_python(value, strict=strict)
    except ValidationError as error:
        raise WrongValue(map(_problem, error.errors(include_url=False))) from error


def _problem(found: Any) -> Problem:  # noqa: ANN401 - pydantic's ErrorDetails
    message = str(found["msg"]).removeprefix("Value error, ")
    where = tuple(str(part) for part in found["loc"][:1])
    return Problem(where, message[:1].lower() + message[1:], found["type"] == _OURS)


@cache
def _types(class_name: str) -> dict[str, Any]:
    """The types of the fields of the class of this name."""
    return _evaluated({"Ge": Ge, "Le": Le, "Predicate": Predicate})


def _evaluated(names: Mapping[str, Any]) -> dict[str, Any]:
    """The types of the fields, of what `names` say holds them."""
    from typing import get_type_hints

    schema = settings_class()
    checks = {check: named(place) for check, place in schema.CHECKS.items()}
    return get_type_hints(schema, localns={**names, **checks}, include_extras=True)


def _is_of(kind: Any, value: object) -> bool:  # noqa: ANN401 - a type, or what annotates one
    """Whether a value is of a type, and within all that annotates it."""
    origin, parts = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return _is_of(parts[0], value) and all(_holds(each, value) for each in parts[1:])
    if origin is Literal:
        return isinstance(value, str) and value in parts
    if parts:
        of_key, of_value = parts
        return isinstance(value, dict) and all(
            _is_of(of_key, key) and _is_of(of_value, item) for key, item in value.items()
        )
    return type(value) is kind or (kind is float and type(value) is int)


def _holds(limit: object, value: Any) -> bool:  # noqa: ANN401 - of the type that is held
    """Whether a value is within a limit."""
    match limit:
        case Ge(least):
            return bool(value >= least)
        case Le(most):
            return bool(value <= most)
        case Predicate(check):
            try:
                return check(value)
            except ValueError:
                return False
    return False
