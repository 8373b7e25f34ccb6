"""What people answered where the client asks, and the options that they did not choose.

The tool keeps the question, the options and the answer apart, so nothing is guessed: the memory is
the question, the option that was chosen with its description, and those that were not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from store.agents.session import Step
from store.agents.tools import tool_name
from store.capture.candidate import Candidate
from store.capture.work import Reading
from store.model import Category
from store.platform.json_fields import items, mapping, object_in, string, strings
from store.text.markdown import plain, shorten
from store.text.regex import regex

_QUESTIONS = frozenset(
    {"askuserquestion", "requestuserinput", "askquestion", "askfollowupquestion"}
)
"""The tools by which agents ask, as `tool_name` writes them."""
_ANSWER = regex(r'"([^"]{8,300})"="([^"]{1,300})"')
_RECOMMENDED = regex(r" \(recommended\)", re.I)
_OF_THE_MOMENT = regex(
    r"\b(?:commit|push|merge|pull request|pr\b|branch|proceed|continue|go ahead|next|ready|session"
    r"|more questions|start with|would you like (?:me )?to|do you want|shall i"
    r"|should i (?:now|go|start|wait)"
    r"|(?:can|could|did|are) you)\b",
    re.I,
)
"""A question for what to do now: its answer holds for this session alone."""
_LEAVES_IT = regex(
    r"you (?:decide|choose)|either|whatever|no preference|skip|done\b|h+m+|not sure|it depends",
    re.I,
)
"""An answer that settles nothing."""
_LONGEST = 300
"""Characters of an answer."""
_OPTIONS = 160
"""Characters of an option's description, and of all that was not chosen."""


def find(reading: Reading) -> Iterator[Candidate]:
    """Yield a decision for each answered question."""
    for step in reading.session.steps:
        if tool_name(step.call) in _QUESTIONS and step.result is not None and not step.failed:
            for question, answer in _answered(step):
                is_open = _LEAVES_IT.match(answer) or answer.rstrip(". ").endswith("?")
                if not (is_open or _OF_THE_MOMENT.search(question)):
                    text = _decision(step, question, answer)
                    yield reading.from_step(step, Category.DECISION, text)


def _decision(step: Step, question: str, answer: str) -> str:
    options = _options(step, question)
    chosen = _RECOMMENDED.sub("", answer).strip()
    meant = next((told for label, told in options if label == chosen and told), "")
    left = [label for label, _ in options if label and label not in chosen]
    is_choice = 0 < len(left) < len(options)
    told = f" ({shorten(meant, _OPTIONS)})" if meant else ""
    refused = f"\nNot: {shorten('; '.join(left), _OPTIONS)}" if is_choice else ""
    return f"{question} The user chose: {chosen.rstrip('.')}{told}.{refused}"


def _options(step: Step, question: str) -> list[tuple[str, str]]:
    """The options of a question: label and description."""
    options = next(
        (each.get("options") for each in _asked(step) if each["question"] == question), ()
    )
    return [
        (
            _RECOMMENDED.sub("", plain(string(mapping(item).get("label")))),
            plain(string(mapping(item).get("description"))).rstrip(". "),
        )
        for item in items(options)
    ]


def _asked(step: Step) -> list[Mapping[str, Any]]:
    """The questions of a call, as it asked them."""
    asked = map(mapping, items(step.call.arguments.get("questions")))
    return [each for each in asked if string(each.get("question"))]


def _answered(step: Step) -> Iterator[tuple[str, str]]:
    """The questions of a call with their answers: by their ids in JSON, else as the answer cites
    them."""
    text = step.result.text if step.result else ""
    by_id = mapping(object_in(text.encode(errors="replace")).get("answers"))
    asked = _asked(step)
    for each in asked:
        question = string(each["question"])
        said = "; ".join(strings(mapping(by_id.get(string(each.get("id")))).get("answers")))
        said = said or text.partition(f'"{question}"="')[2].partition('"')[0].strip()
        if said:
            yield question, shorten(said, _LONGEST)
    if not asked:
        yield from _ANSWER.findall(text)
