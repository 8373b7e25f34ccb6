"""JSON lines: one record in each line, with the keys that it has in an issue file."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from store.errors import InvalidObservation
from store.exchange.values import DerivedIds, Incoming, Problems, Reading, plain_json
from store.model import UNDATED, Observation, check_issue
from store.notice import notice
from store.platform.bounds import load_json
from store.records import InvalidRecord, format_time, from_record, to_record


def to_json_lines(observations: Iterable[Observation]) -> str:
    """Observations as JSON lines, in the order given."""
    return "".join(f"{plain_json(to_record(observation))}\n" for observation in observations)


def read_json_lines(
    text: str,
    name: str,
    *,
    agent: str | None = None,
    issue: int | None = None,
    category: str | None = None,
) -> Reading:
    """The observations of JSON lines; a line that holds none becomes a problem.

    What is given holds for every line, whatever stands there. Only `agent`, `category` and
    `content` are needed: a record without `issueNumber` belongs to the project (0), one without
    `timestamp` is dated when it is stored, and one without `id` gets an id that follows from
    `name`, its date and its content. The lines of other tools are known by their first record.
    """
    from store.exchange.other_tools import reader_of

    if (read := reader_of(text)) is not None:
        return read(text, name)
    incoming: list[Incoming] = []
    problems = Problems()
    ids = DerivedIds(name)
    keys = {"agent": agent, "issueNumber": issue, "category": category}
    given = {key: value for key, value in keys.items() if value is not None}
    # Not splitlines(): a string in JSON may hold the other line ends that Unicode has.
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            place = f"{name}, line {number}"
            try:
                incoming.append(Incoming(_observation(line, ids, given), place))
            except (InvalidRecord, InvalidObservation) as error:
                problems.append(notice("skipped", text=str(error)).at(place))
    return Reading(tuple(incoming), problems.told())


def _observation(line: str, ids: DerivedIds, given: Mapping[str, object]) -> Observation:
    try:
        record = load_json(line)
    except json.JSONDecodeError as error:
        raise InvalidRecord(f"not valid JSON: {error.msg} at column {error.colno}.") from error
    except ValueError as error:
        raise InvalidRecord(f"{error}.") from error
    if not isinstance(record, dict):
        raise InvalidRecord("not a JSON object.")
    whole = {"timestamp": format_time(UNDATED), "id": "-", "issueNumber": 0, **record, **given}
    issue = check_issue(whole["issueNumber"])
    try:
        observation = from_record(whole, issue)
    except InvalidRecord as error:
        raise InvalidRecord(f"{error}.") from error
    if "id" in record:
        return observation
    return observation._replace(id=ids.make(observation.timestamp, observation.content))
