"""Standing rules of the person: a plain sentence that says how it is always, or never, to be done.

Only what opens as an order does ("Never log …", "From now on …"), or what names who is bound by it
("we never …", "you should always …"); short, no question, and typed rather than pasted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from store.agents.noise import without_noise
from store.agents.transcript import Speaker
from store.capture.candidate import Candidate
from store.capture.work import Reading
from store.model import Category
from store.text.markdown import sentences

_LEAD_IN = r"^(?:(?:and|also|but|so|ok(?:ay)?|please|note|remember|important|rule)[,:.!]* )*"
_RULES = (
    re.compile(
        _LEAD_IN + r"(?:always|never|don['’]?t ever|do not ever|from now on|going forward"
        r"|in future\b|every time|whenever you|make sure (?:to|you) (?:always|never)"
        r"|(?:you|we|i|agents?|nobody|it) (?:(?:should|must|want (?:you )?to|need to|have to) )?"
        r"(?:always|never)|(?:don['’]?t|do not|stop|avoid) .{3,80}\b(?:again|any ?more|ever)\b)"
        r"|\bfrom now on\b|\b(?:must|should) (?:always|never)\b",
        re.I,
    ),
    re.compile(
        r"^(?:(?:e|mas|por favor|também|y|pero|además|también)[,:]? )*(?:sempre|nunca|jamais"
        r"|siempre|jamás|(?:no|não) (?:vuelvas? a|volte a))\b|\ba partir de (?:agora|ahora)\b"
        r"|\b(?:de agora|de ahora) em? ?(?:diante|adelante)\b|\bde ahora en adelante\b"
        r"|^(?:no|não) .{3,80}\b(?:de novo|novamente|nunca mais|nunca más|otra vez|de nuevo)\b",
        re.I,
    ),
    re.compile(
        r"^(?:(?:und|aber|bitte)[,:]? )*(?:immer|nie|niemals)\b|\b(?:ab (?:jetzt|sofort)|von nun an"
        r"|künftig|in zukunft)\b|^\w+(?: bitte)? (?:immer|nie|niemals|nie wieder)\b"
        r"|^\w+ .{0,60}\bnie (?:wieder|mehr)\b",
        re.I,
    ),
    re.compile(
        r"^(?:(?:et|mais|s'il te pla[iî]t)[,:]? )*(?:toujours\b|jamais\b|ne \S+ (?:plus )?jamais\b"
        r"|\S+ toujours\b)|\b(?:désormais|dorénavant|à partir de maintenant|à l['’]avenir)\b",
        re.I,
    ),
    re.compile(
        r"^(?:请)?(?:总是|始终|永远|一律|务必|切勿|绝不|绝对不要|不要再|别再|以后)|从现在(?:起|开始)|从今以后"
    ),
)
"""English, Spanish and Portuguese, German, French, Chinese."""
_PASSING = re.compile(
    r"\b(?:this (?:session|time|pr|branch|commit)|for now|right now)\b|\bwhy\b|^(?:never ?mind)\b",
    re.I,
)
"""What holds for the moment, and what is a phrase."""
_SHORTEST, _LONGEST = 12, 240
"""Characters of a rule (a Chinese one has fewer: half of it)."""
_TYPED = 1_500
"""Characters of a message that somebody typed: a longer one holds something pasted."""


_AT_REFUSAL = re.compile(r"the user said:\s*(.+)\Z", re.S)
"""What a person said as they refused a tool call."""


def find(reading: Reading) -> Iterator[Candidate]:
    """Yield a lesson for each standing rule in the person's messages, and in what they said as they
    refused something."""
    for message in reading.session.messages:
        if message.speaker is Speaker.USER and len(message.text) <= _TYPED:
            for rule in filter(is_rule, sentences(message.text)):
                yield reading.from_message(message, Category.LESSON, rule)
    for step in reading.session.steps:
        refused = _AT_REFUSAL.search(step.result.text) if step.has_failed and step.result else None
        for rule in filter(is_rule, sentences(without_noise(refused[1]))) if refused else ():
            yield reading.from_step(step, Category.LESSON, rule)


def is_rule(sentence: str) -> bool:
    wide = len(sentence.encode()) >= _SHORTEST
    if not wide or len(sentence) > _LONGEST or sentence.endswith(("?", ":", "？")):
        return False
    return not _PASSING.search(sentence) and any(rule.search(sentence) for rule in _RULES)
