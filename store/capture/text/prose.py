"""Sentences of prose, and those of them that state a decision or a lesson.

The patterns are those of the five-layer memory, in English and Portuguese, with word boundaries
and narrowed to statements: questions, plans for the next step and conditions are none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from store.model import Category
from store.text.phrases import Phrases
from store.text.regex import regex

_SHORTEST, _LONGEST = 20, 300
"""Characters of a statement."""
_CODE_BLOCK = regex(r"^[ \t]*+(`{3,}|~{3,}).*?(?:^[ \t]*+\1[`~]*+[ \t]*$|\Z)", re.S | re.M)
"""Also below a list item, as far in as that is."""
_NOT_PROSE = regex(
    r"^\s*(?:>|\||#{1,6}\s|\S+\s*$|[-*_]{3,}\s*$|={3,}\s|\d{1,5} [+-] |\$ |//"
    r"|\d+[→|:]|[+-]{1,3}\s*$)"
)
_HEADING = regex(r"^\s*(?:#{1,5}\s+|\*\*(?=[^*]+\*\*:?\s*$))(\S.{0,60}?)[\s:*]*$")
_ONE_WORD = regex(r"^\s*[\w'’-]+[.!]?\s*$")
_ROW = regex(r"^\s*\|.*\|\s*$")
_RULER = regex(r"^[\s|:-]+$")
_NO_NEWS = regex(
    r"\W*(?:(?:done|completed?|yes|ok|n/a|fixed)\W*|~?\d+ ?(?:m?s|min|secs?|minutes?|h)\.?)?", re.I
)
_BULLET = regex(r"^\s*(?:[-*•+]|\d{1,2}[.)])\s+")
_APOSTROPHE = regex(r"(?<=[A-Za-z])’(?=[a-z])")
_LOCAL_LINK = regex(r"(`[^`\n]*`)|\[([^\]\n]{1,200})\]\((?!https?:)[^()\s]{1,400}\)")
"""A link to a file is told by its name: where it lies on somebody's disk is nobody's business."""
_EMPHASIS = regex(r"(`[^`\n]*`)|\*\*(.+?)\*\*|(?<!\w)__(?=[^_\n]*\s)(.+?)__(?!\w)")
"""What stands in code is no markup; a name with two underscores is none either."""
_SENTENCE_END = regex(r"(?<=[.!?…])[\"')\]]?\s+(?=[A-ZÀ-Ý0-9`\"'(*])")
_QUOTED = regex(r"\"[^\"]{12,}\"|“[^”]{12,}”|‘[^’]{12,}’")

_DECISION = Phrases(
    "went with|settled on|going with"
    "|decidi|decidimos|decidiu|decidiram|escolhi|escolhemos|escolheu|escolheram"
    "|optamos|adotamos|vamos usar|vamos adotar",
    {
        "decided|chose|settled|opted|agreed|went with|picked": (
            r"\b(?:we|i|let's|they|user|team)(?:'ve| have| had|'ll)? (?:have )?"
            r"(?:decided|chose|chosen|settled|opted|agreed|went with|picked)\b"
        ),
        "decided|chose|opted": r"\b(?:decided|chose|opted) (?:to|on|for|not)\b",
        " use": (
            r"\b(?:we|i)(?:'ll| will| are going to| am going to) use\b.+\b(?:instead|rather"
            r"|because|since|so that|over)\b"
        ),
        "decision": r"\bdecision\b ?(?:was|is|:)",
        "decisão|decisao": r"\bdecis(?:ão|ao)\b ?(?:foi|é|:)",
    },
)
_LESSON = Phrases(
    "gotcha|root cause|real issue|real problem|real cause|underlying issue|underlying problem"
    "|turns out|lição|liçao|aprendemos|aprendi|descobri|descobrimos|descobriu|descobriram"
    "|observamos|o problema era|o problema é|o problema foi|a causa era|a causa foi|acontece que",
    {
        "learn": r"\b(?:i|we)(?:'ve| have)? learn(?:ed|t)\b|\blessons? learn(?:ed|t)\b",
        "lesson": r"\b(?:the|main|key) lesson (?:is|was)\b|^(?:\w+ )?lesson: ",
        "important": r"\bimportant\b ?(?:to (?:note|remember|know)|:|that)",
        "importante": r"\bimportante\b ?(?:notar|lembrar|saber|:)",
        "note: ": r"^(?:important |please |also )?note: (?!i\b|this\b|that\b)",
        "caveat": r"\bcaveat\b ?(?:is|:)",
        "problem |issue |bug |cause ": (
            r"\b(?:problem|issue|bug|cause) (?:was|is) (?:that|in how|caused)\b"
        ),
        "approach|way|workaround|trick": (
            r"\b(?:approach|way|workaround|trick)"
            r" (?:breaks|fails|does(?:n['’]t| not) work|won't work)\b"
        ),
        "discover": r"\b(?:i|we)(?:'ve| have)? discovered\b|\bdiscovery:",
        "insight": r"\binsight ?(?:is|was|:)",
    },
)
_DEMANDS = Phrases(
    patterns={
        "require|expect|refuse|reject|ignore|picks up|only ": (
            r"^(?:the |our |your |this )?(?:[\w@.`/-]+ ){0,3}(?:hook|ci|pipeline|workflow"
            r"|linter|runner|installer|bundler|compiler|loader|parser|proxy|router|sdk|registry)s?"
            r" (?:\w+ )?(?:requires?|expects?|refuses?|rejects?|ignores?|picks up"
            r"|only (?:accepts?|reads?|loads?|runs?))\b"
            r".*\b(?:whenever|even (?:if|when|though)|unless|without|both|until|before|from)\b"
        )
    }
)
"""What a program that a project rests on demands, however odd: it is found out the hard way."""
_NO_STATEMENT = Phrases(
    "not sure|maybe|perhaps|might|i think|i wonder|whether|undecided|unless you|the staged"
    "|working tree|this recap|this report|this summary|this answer|this review|biome|prettier"
    "|eslint|formatter|may need to|i was|my|in this environment",
    {
        "": r"^(?:if|when|should|would|could|can|do|does|did|is|are|what|why|how|se|quando|qual)\b",
        "?": r"\?\s*$",
        ":": r":\s*$|^summary: |^non-?goals?:",
        "let me|let's|ll|i'm going to|need to|i should|vou|deixe-me": (
            r"^(?:now |next |first |then |ok(?:ay)?,? |so )*(?:let me|let's|i'?ll|i'm going to"
            r"|i need to|we need to|i should|i will|vou|deixe-me)\b"
        ),
        "if ": r"(?<!even )\bif (?:we|i|you|it)\b",
        "decision": r"\b(?:needs?|needing|requires?|requiring) an? decision\b",
        "been decided": r"\bhas(?:n't| not) been decided\b",
        "pass": r"^all \w+(?: \w+)? pass",
        "going to": r"\bi(?:'m| am) (?:not )?going to\b",
        "untrack|uncommit|unstag": r"\bun(?:track|commit|stag)\w+\b",
        "worktree|checkout|worker|agent": (
            r"\b(?:isolated|separate|another|new) (?:[\w/]+ )?"
            r"(?:worktree|checkout|worker|sub-?agent)s?\b"
        ),
        "origin": r"\bbehind `?origin\b",
        "lint": r"\blint",
        "consider|here": r"^(?:consider|here['’]s)\b",
        "fix|action": r"^(?:suggested|possible|actionable|recommended) (?:fix|action)\b",
        "could": r"\bcould(?:n['’]t| not) (?:run|execute|verify|test)\b",
        "root cause": r"\broot cause (?:found|pinned|verified|confirmed)\b",
        "touch|revert|chang": (
            r"\bi (?:did(?:n['’]t| not)|have(?:n['’]t| not)) (?:touch|revert|chang)\w*"
        ),
        "left|leave": r"\b(?:left|leave) (?:it|them|those|that) (?:untouched|alone|as)\b",
        "excluded from": r"\bexcluded from\b.{0,20}\breview\b",
        " so i ": r" so i \w",
        "warning": r"\bthere(?:['’]s| is| are) (?:a |an )?warnings?\b",
    },
)


def prose_lines(
    text: str, *, tables: bool = False, short: bool = False, headings: bool = False
) -> Iterator[str]:
    """The lines of a Markdown text that are prose: no code, quotes, headings or output.

    With `tables`, a row of a table is a line, its cells apart by dashes; with `short`, a line may
    be a single word; with `headings`, they are lines that end with a colon.
    """
    is_head = True
    for line in without_code(text).splitlines():
        if headings and (heading := _HEADING.match(line)):
            yield plain(heading[1]) + ":"
            continue
        if _ROW.match(line):
            if tables and not is_head and not _RULER.match(line):
                yield plain(" – ".join(_cells(line)))
            is_head = False
            continue
        is_head = True
        is_word = short and _ONE_WORD.match(line)
        if line.strip() and (is_word or not _NOT_PROSE.match(line)):
            yield plain(line)


def _cells(row: str) -> list[str]:
    """The cells of a row of a table, without its number, how long it took, and that it is done."""
    cells = [cell.strip() for cell in row.strip(" |").split("|")]
    while len(cells) > 1 and _NO_NEWS.fullmatch(cells[-1]):
        cells.pop()
    return cells[1:] if len(cells) > 1 and not re.search(r"[^\W\d]", cells[0]) else cells


def without_code(text: str) -> str:
    """A Markdown text without its blocks of code."""
    return _CODE_BLOCK.sub("\n", text)


@lru_cache(maxsize=1024)
def plain(text: str) -> str:
    """A line without its bullet and emphasis, its apostrophes straight."""
    text = _APOSTROPHE.sub("'", _BULLET.sub("", text))
    for markup in (_LOCAL_LINK, _EMPHASIS):
        text = markup.sub(lambda match: next(filter(None, match.groups()), ""), text)
    return " ".join(text.split())


def sentences(text: str, *, short: bool = False) -> Iterator[str]:
    """The sentences of a text's prose, in order; with `short`, lines of a single word too."""
    return iter(_sentences(text, short))


@lru_cache(maxsize=256)
def _sentences(text: str, short: bool) -> tuple[str, ...]:
    """Each module that looks for a kind of memory cuts the same messages."""
    return tuple(part for line in prose_lines(text, short=short) for part in parted(line))


def parted(line: str) -> list[str]:
    """The sentences of a plain line."""
    return [part for each in _SENTENCE_END.split(line) if (part := each.strip())]


_REASON = Phrases(
    "because|since|so that|instead of|rather than|over|to avoid|due to|otherwise|which means"
    "|in order to|measured|porque|em vez de|para evitar",
    {
        ", as ": r", as \w",
        ": ": r": \S",
        "(": r"\((?:it|this|that|which)\b",
    },
)
_NAMES_ITSELF = regex(r"^(?:\w+ ){0,3}decision: ", re.I)
CODE_NAME = regex(
    r"`[^`]+`|(?<!\w)(?:\w+\.\w{1,5}\b|\w+\(\)|\w+_\w+"
    r"|(?!(?:Git(?:Hub|Lab)|(?:Java|Type)Script|CodeRabbit|OpenAI|YouTube|LinkedIn|WordPress|macOS"
    r"|iOS|iPhone)\b)"
    r"[A-Z]*[a-z]+[A-Z]\w+)"
)
"""What is written as code, or named as only code is: `wait()`, lock.py, read_only, maxSize; not a
product that is written so.
"""
_PASSING = Phrases(
    "makes sense|let me|i see|this is the|this is a|this is an|this was the|this was a|this was an",
    {"confirm": r"\bconfirm"},
)


_NAMES_INSIGHT = regex(
    r"^(?:actually, )?(?:here['’]?s )?(?:the |one )?(?:key |main |critical )?(?:insight|takeaway)"
    r"(?: (?:is|was))?(?: that|:) ",
    re.I,
)
_LEANS = regex(
    r"(?:but|and|so|or|this|that|these|those|it(?! turns out)|they|he|she|also|yes|no|now|then"
    r"|however|otherwise"
    r"|instead|still|both|either|neither|one caveat|same|bonus|here|there|note: (?:this|that|it"
    r"|most"
    r"|these))\b"
    r"|\((?:this|that|it)\b|worth (?:an?|noting|doing|mentioning)\b"
    r"|[\w ,'’-]{0,40}\b(?:yes|no)[:,]|learnings? entry\b|(?:thread|issue|finding|comment|item"
    r"|step|phase|option) #?\d",
    re.I,
)
"""A sentence that leans on the one before it says nothing alone."""


_AFTER_COLON, _SAYS_ENOUGH = regex(r"^[^:]{0,60}: "), 7
"""What is called a cause or a lesson is told by what follows."""
_POINTS_BACK = regex(r"(?:but|and|so|or|this|that|these|those|it(?! turns out)|they)\b", re.I)


def points_back(sentence: str) -> bool:
    """Whether a sentence is about something named before it."""
    return _POINTS_BACK.match(sentence) is not None


def leans(sentence: str) -> bool:
    """Whether a sentence leans on what was said before it."""
    return _LEANS.match(sentence) is not None


@lru_cache(maxsize=512)
def statements(text: str) -> tuple[tuple[str, str], ...]:
    """The decisions and lessons that an agent states with a reason: (category, sentence)."""
    return tuple(_statements(text))


def _statements(text: str) -> Iterator[tuple[str, str]]:
    for sentence in sentences(text):
        if not _SHORTEST <= len(sentence) <= _LONGEST or _NO_STATEMENT.stand_in(sentence):
            continue
        if leans(sentence):
            continue
        unquoted = _QUOTED.sub('""', sentence)
        told = _NAMES_INSIGHT.sub("", _NAMES_ITSELF.sub("", unquoted))
        demands = _DEMANDS.stand_in(unquoted)
        if _PASSING.stand_in(unquoted) or not (demands or _REASON.stand_in(told)):
            continue
        if len(_AFTER_COLON.sub("", sentence).split()) < _SAYS_ENOUGH:
            continue
        if _DECISION.stand_in(unquoted):
            yield Category.DECISION, sentence
        elif (demands or _LESSON.stand_in(unquoted)) and CODE_NAME.search(sentence):
            told = _NAMES_INSIGHT.sub("", sentence)
            if not leans(told):
                yield Category.LESSON, told


_INTENT = regex(
    r"^(?:(?:good (?:point|catch|question|idea)|great|perfect|done|yes|ok(?:ay)?|right|sure|now"
    r"|next|first|then|finally|also|so|and|actually|alright|i see|agora)[,.!:;]?\s+)*"
    r"(?:let me|let's|i'?ll|i will|i'm going to"
    r"|i(?:'m| am)(?=\s+(?:now )?(?:reading|checking|looking|using|running|treating|starting)\b)"
    r"|(?:i |i also |also |still )?need to|i should|we need to"
    r"|now(?=,? (?:fix|add|update|create|write|remove|implement|make|move|wire|replace|rewrite"
    r"|rename)\s)"
    r"|i(?:'m| am) now \w+ing|i(?:'m| am)(?=\s+(?:stag|add|updat|creat|edit|writ|run|keep)\w*ing\b)"
    r"|time to|vou|deixe-me|preciso)\s+(?:(?:now|also|then|just|first|quickly|agora|também)\s+)*",
    re.I,
)
_CHORES = regex(
    r"^(?:check|look|see|read|find|search|explore|verify|view|examine|investigate|understand|run"
    r"|try|test|review|get|start|begin|trace|inspect|confirm|take|think|double-check|use"
    r"|complete|finish|proceed|continue|move on|wait|commit|push|pull|merge|rebase|stage|stash"
    r"|re-?run|lint|format|build|compile|switch|check ?out|prepare the commit|mark|reply"
    r"|(?:create|open|make|update) (?:a |the |this |that )?(?:\w+ )?"
    r"(?:pr|pull request|branch|commit|todos?)"
    r")\b",
    re.I,
)


def capital(text: str) -> str:
    """A text that begins as a sentence does."""
    return text[:1].upper() + text[1:]


def stopped(text: str) -> str:
    """A text that ends as a sentence does, so that another can follow."""
    return text if text.endswith((".", "!", "?", "…", ";", ",")) else f"{text}."


def announces(sentence: str) -> bool:
    """Whether a sentence says what is about to be done, looking included."""
    return _INTENT.match(sentence) is not None


def intent(sentence: str) -> str:
    """What an announcement ("Now let me update X:") is about to do ("update X"), else empty.

    Looking, checking and what git does change nothing, and are left out.
    """
    match = _INTENT.match(sentence)
    if match is None:
        return ""
    rest = sentence[match.end() :].rstrip(" .:…")
    return "" if _CHORES.match(rest) or len(rest) < 8 else rest


_PLANS = regex(
    r"^(?:(?:so|then|ok(?:ay)?|got it|understood|found it|my plan|the plan|i suggest|two fixes)\b"
    r".{0,40})?\b(?:i['’]ll|i['’]d|i will|i would|we could|we should|my plan|plan is|i propose"
    r"|i recommend|i suggest|want me to|should i|vou|proponho)\b",
    re.I,
)


def proposes(text: str) -> bool:
    """Whether a message asks for an answer in the end, or tells a plan."""
    return text.endswith("?") or any(map(_PLANS.search, sentences(text)))
