"""What people answered where the client asks, and the options that they did not choose.

The tool keeps the question, the options and the answer apart, so nothing is guessed: the memory is
the question, the option that was chosen with its description, and those that were not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from store.agents.tools import tool_name
from store.capture.candidate import Candidate
from store.capture.work import Reading
from store.model import Category
from store.platform.json_fields import items, mapping, object_in, string, strings
from store.text.markdown import plain
from store.text.shortening import shorten

QUESTIONS = frozenset(
    {"askuserquestion", "requestuserinput", "askuser", "askquestion", "askfollowupquestion"}
)
"""The tools by which agents ask, as `tool_name` writes them."""
_ALONE = re.compile(r"\AUser (?:selected|responded): (.+)", re.S)
_RECOMMENDED = re.compile(r" \(recommended\)", re.I)
_OF_THE_MOMENT = re.compile(
    r"\b(?:commit|push|merge|pull request|pr\b|branch|proceed|continue|go ahead|next|ready|session"
    r"|more questions|start with|would you like (?:me )?to|do you want|shall i"
    r"|should i (?:now|go|start|wait)"
    r"|(?:can|could|did|are) you)\b",
    re.I,
)
"""A question for what to do now: its answer holds for this session alone."""
_LEAVES_IT = re.compile(
    r"you (?:decide|choose)|either|whatever|no preference|skip|done\b|h+m+|not sure|it depends",
    re.I,
)
"""An answer that settles nothing."""
_LONGEST = 300
"""Characters of an answer."""
_OPTIONS = 160
"""Characters of an option's description, and of all that was not chosen."""


def find(reading: Reading) -> Iterator[Candidate]:
    for step in reading.session.steps:
        if tool_name(step.call) not in QUESTIONS or step.result is None or step.has_failed:
            continue
        for asked, answer in _answered(step.call.arguments, step.result.text):
            is_open = _LEAVES_IT.match(answer) or answer.rstrip(". ").endswith("?")
            if not (is_open or _OF_THE_MOMENT.search(string(asked["question"]))):
                yield reading.from_step(step, Category.DECISION, _decision(asked, answer))


def _answered(given: Mapping[str, Any], text: str) -> Iterator[tuple[Mapping[str, Any], str]]:
    """Each question of a call with its answer: by its id in JSON, cited by the text, or alone."""
    asked = [mapping(item) for item in items(given.get("questions")) or [given]]
    asked = [each for each in asked if string(each.get("question"))]
    by_id = mapping(object_in(text.encode(errors="replace")).get("answers"))
    alone = _ALONE.match(text)
    for each in asked:
        chosen = "; ".join(strings(mapping(by_id.get(string(each.get("id")))).get("answers")))
        cited = text.partition(f'"{each["question"]}"="')[2].partition('"')[0].strip()
        if answer := chosen or cited or (alone[1] if alone else ""):
            yield each, shorten(answer, _LONGEST)


def _decision(asked: Mapping[str, Any], answer: str) -> str:
    """Return the question, what was chosen, and what was not."""
    listed = items(asked.get("options")) or items(asked.get("choices"))
    options = {
        _label(item): plain(string(mapping(item).get("description"))).rstrip(". ")
        for item in listed
    }
    chosen = _RECOMMENDED.sub("", answer).strip()
    left = [label for label in options if label and label not in chosen]
    meant = f" ({shorten(options[chosen], _OPTIONS)})" if options.get(chosen) else ""
    is_choice = 0 < len(left) < len(options)
    refused = f"\nNot: {shorten('; '.join(left), _OPTIONS)}" if is_choice else ""
    return f"{asked['question']} The user chose: {chosen.rstrip('.')}{meant}.{refused}"


def _label(option: object) -> str:
    label = option if isinstance(option, str) else string(mapping(option).get("label"))
    return _RECOMMENDED.sub("", plain(label))
