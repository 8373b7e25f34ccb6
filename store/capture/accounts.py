"""What an agent says of its work: what it did, what it was about to do, and why."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from posixpath import basename

from store.agents.session import Step
from store.agents.transcript import Message
from store.capture.candidate import shorten
from store.capture.prose import announces, intent, prose_lines, sentences
from store.capture.tools import command_of, edits_of

_LONGEST, _LONGEST_WHY = 700, 360
_SHORTEST = 24
_ENOUGH = 32
_SHORTEST_LEAD_IN = 40
_PLAIN_WORD = re.compile(r"[a-z]+,? ")
_WELL = r"(?:done|fixed|clean|green|great|perfect|good|excellent|ok(?:ay)?|yes|sure|pronto|feito)"
_EMPTY = re.compile(
    rf"^(?:(?:all )?{_WELL}\b[^a-z]*"
    r"|(?:the )?(?:(?:re)?factor\w*|implementation|change|fix|work|task|summary)\w*"
    r" (?:is|are|has been)(?: now)? (?:complete|done|finished|ready)\w*"
    r"|(?:the )?(?:bug|issue|problem) (?:is|has been)(?: now)? (?:successfully )?(?:fixed|resolved)"
    r"|i(?:['’]ve| have)? (?:now )?(?:successfully )?"
    r"(?:fixed|completed|finished|implemented|resolved) (?:the|this|that|it|your)(?: \w+){0,2}"
    r")[.!: ]*$",
    re.I,
)
_FINISHED = re.compile(
    r"^\W*(?:fixed|done|(?:all|both|everything|each|the|this|that|these|they|it|i|we|[a-z]+-\d+)\b[^.:;`()\d]{0,70}"
    r"\b(?:completed?|done|finished|ready|implemented|applied|addressed|resolved|verified|fixed"
    r"|in place|pushed|committed|merged|working|handled))(?:,? (?:and|&) \w+)?"
    r"(?: (?:now|correctly|successfully|as expected))?[.!:]*$"
    r"|.{0,60}\bno (?:outstanding|remaining|further|more) (?:issues|changes|comments|work)\b"
    r"|^\W*(?:all|both|everything|each)\b[^.:;`()]{0,40}"
    r"\b(?:updated|modified|changed|edited|created|written|added)[.!]*$",
    re.I,
)
"""That something is done, without saying what was: "All four items addressed"."""
_KNOWS_NOW = re.compile(
    r"^(?:(?:now|so|ok(?:ay)?|good|great|perfect|excellent)[,.!]? )*"
    r"(?:i|we)(?:['’]ve| now| have| can)* (?:see|(?:have )?(?:a |an |the |all )*(?:\w+ ){0,4}"
    r"(?:understanding|picture|context|information)|understand|found (?:it|(?:the|a|an) "
    r"(?:\w+ )?(?:issue|problem|bug)))\b[^`:]*$|^(?:ah,? )?i see\b"
    r"|^(?:now )?(?:the (?:issue|problem) is clear|i can (?:now )?explain"
    r"|here(?:['’]s| is| are)\b.{0,20}\b(?:picture|landscape|research|findings?|analysis"
    r"|options|plan)"
    r"|got (?:a|the) (?:\w+ )?picture|(?:the )?analysis (?:is )?done)\b[^`:]*$",
    re.I,
)
_ONLY_A_FILE = re.compile(
    r"^(?:\W*[^\w.@-])?[\w.@-]*[\w@-](?:/[\w.@-]+)*\.\w{1,8}`?(?:\s*\([^)]{1,40}\))?[.;:]?$"
)
_FORM = re.compile(
    r"\[[ xX]\]|`?(?=[a-f]*\d)[0-9a-f]{7,40}`? |🤖|Generated (?:with|by)\b|Co-Authored-By:"
    r"|(?:updated |opened |created )?(?:draft )?(?:PR|pull request)(?: #\d+)?: \S+$"
    r"|(?:branch|worktree|commit|workflow run|url|session file|file|story (?:id|key)|status): \S+$",
    re.I,
)
"""What stands in a form: boxes to tick, who generated it, where it lies."""
_OPENING = re.compile(
    rf"^(?:(?:all )?{_WELL}(?: (?:fix|catch|work|idea|point))?(?:[.!,]| [—–-])\s+"
    r"|(?:great|good) question[.!]\s+"
    r"|(?:(?:memory|todo|docs?|documentation) )?updated[.:]\s+"
    r"|(?:here['’]s|here is|this is) (?:(?:a|the) (?:\w+ )?(?:summary|overview|recap)"
    r"|what (?:was|i|we|i['’]ve|we['’]ve)\b)[^.:]*[.:]\s*)+",
    re.I,
)
_PROGRESS = re.compile(
    r"\b(?:tests?|lint\w*|builds?|checks?|ci|suite|everything|format\w*|types?)\b[^.]{0,40}"
    r"\b(?:pass(?:es|ed|ing)?|clean|green|succe\w+|(?:0|no) (?:issues|errors|failures|warnings))\b"
    r"|^the commit (?:includes|contains|is)\b"
    r"|^(?:committed|pushed|(?:todo added and )?(?:draft )?PR (?:is up|created|#\d+))\b"
    r"|^\d+ (?:tests? )?passed|\b(?:committed|pushed|commit|branch is|working tree)\b.{0,60}$"
    r"|^(?:would|do|should|shall) (?:you|i|we)\b|^(?:let me know|if you|you can now|feel free)\b"
    r"|\ball (?:\w+ ){0,3}(?:comments?|errors?|issues?|feedback)\b.{0,30}"
    r"\b(?:addressed|fixed|resolved|replied)\b|^(?:draft )?PR (?:is )?(?:updated|created)"
    r"|\b(?:not related|unrelated) to\b|\bpre-existing\b"
    r"|\bunstaged\b|^(?:ready (?:for|to)|committed and|you can (?:test|try|verify|see|check)"
    r"|the \w+ looks good)\b"
    r"|\bif you(?:['’]d)? (?:like|want|prefer)\b"
    r"|\bserver is (?:live|running|up)\b|^i(?:['’]m| am) (?:now |also |\w+ly )?\w+ing\b"
    r"|^now (?!.*\b(?:is|are|has|have|does|can|will|it|they|the|no|only|both|when|each|every)\b)"
    r"|\bi (?:did not|didn['’]t) author\b|\bthe status (?:now )?shows\b|^this looks\b"
    r"|\bmight be (?:that|because)\b|\blet['’]s see\b|^run the \w+ again\b"
    r"|^commit (?:landed|is|was)\b|^\w+ing\b.{0,40}\bnow\b|\bwill report\b"
    r"|^(?:now|currently) \w+ing\b|^(?:wait|hm+|oh)\b|^(?:push|committ|stag|merg)ing\b"
    r"|\b(?:is|are|was|were) (?:now |also )?(?:confirmed|verified)\b"
    r"|\brelated to (?:our|this|the|my) (?:task|work|change|request)\b"
    r"|^(?:the |my |your )?(?:\w+ )?(?:repo|repository|branch|work(?:ing )?tree) is (?:on|at"
    r"|clean|ahead|behind|up)\b|\b(?:nothing|not|none)\b.{0,12} committed yet\b"
    r"|\balready (?:fixed|addressed|resolved|handled)\b"
    r"|\b(?:was|were) already (?:removed|there|gone|present|in place|done|fixed|correct)\b",
    re.I,
)
_CAUSE = re.compile(
    r"\broot cause\b|\bbecause\b|\bdue to\b|\bcaused by\b|\bturns out\b"
    r"|\b(?:the|this|real|actual|underlying) (?:issue|problem|bug|cause|reason|failure|culprit)"
    r" (?:is|was|here|comes|came)\b|[,(] since\b|^since\b"
    r"|\bwhich (?:means|meant|is why|caused)\b|\bthat['’]s why\b|\bporque\b|\bcausa\b",
    re.I,
)
_NAMES_CAUSE = re.compile(
    r"\b(?:cause|why|reason):|\b(?:when|while|after|until|unless|but)\b", re.I
)
_EXPLAINS = re.compile(
    r"\b(?:is|are|was|were|does|do|did|has|have|can|will)(?:n['’]t| not| never| no)\b|\bonly\b"
    r"|\b(?:missing|lost|expects?|assumes?|requires?|needs?|instead|relies|because|still|never)\b",
    re.I,
)
_COUNTS = re.compile(
    r"^(?:there(?: is| are|['’]s)|interestingly|as expected|they both|i\b|we\b|all\b|tests?\b|now\b"
    r"|the (?:\w+ )?(?:tests?|build|lint\w*)\b|good|great|only (?:one|two|a|\d))",
    re.I,
)
_CONFIRMS = re.compile(
    r"\b(?:confirm|let me|i see\b|now i|i can see|makes sense|good (?:idea|catch))", re.I
)
_MARK = re.compile(r"`[^`]+`|(?<!\w)(?:\w+\.\w{1,5}\b|\w+\(\)|\w+_\w+)|(?<![a-z])[a-z]+[A-Z]\w+")


_BANNER = re.compile(r".*[►▶◆■━═]")
"""What a workflow prints above its own steps."""
_FEW_WORDS = 3
_AHEAD = re.compile(r"(?:next|open|left|remaining|to ?do|still|pending)\b", re.I)
"""What is ahead is worth telling in few words."""
_WRITTEN = re.compile(
    r"(?:the )?(?:\w+ ){1,3}(?:is |was |has been )?(?:written|saved|created|added) (?:to|at|in|as)"
    r" \S+\.?$",
    re.I,
)
"""Where a text was written is told by the files of the change."""
_STATE = re.compile(r"\S.{0,160}[✅✓☑](?:\s*\([^)]*\))?\W*$")
"""A mark of success behind a line: what was checked, not what was done."""
_NUMBER, _LETTERS = re.compile(r"\d[\d,.]*"), re.compile(r"[^\W\d_]+")
_LONGEST_COUNT = 90
_SAYS_WHAT = 10
_CHANGED = re.compile(
    r"\b(?:add|chang|creat|delet|fix|implement|introduc|mov|new|now|no longer|remov|renam|refactor"
    r"|replac|rewr|updat|modif|extract|split|wrap|ensur|instead|appl|set|us(?:es|ed|ing)|call|return"
    r"|switch|convert|drop|clean|document|writ|reject|skip|show|display|handl|support|bump|increas"
    r"|reduc|merg|kept|keep|adjust|correct|simplif|trimm|made|make|default)|[→✓✅]|\+=|:=",
    re.I,
)
"""What an account of a change speaks of; what has none of it tells of checks, or of the rest."""
_FILES_COUNT, _MARKS_COUNT, _CLOSES = 3, 4, 3
_AIMS_AT_IT = re.compile(
    r"\w+ (?:it|them|this|that|these|those|both|the rest)\b(?! \w+ (?:to|so))", re.I
)
"""What is announced of "it" is told by nobody who reads it later."""
_FILES = re.compile(r"`[^`]*(?:\.\w{1,5}|/)`|(?<![\w/-])[\w/-]++\.\w{1,5}\b")
_WRITES = re.compile(
    r"(?:\w+ (?:up )?)?(?:create|write|implement|make|update|change|edit|rewrite|wire)\b", re.I
)


def told_work(
    said: Sequence[Message], steps: Sequence[Step], closing: Sequence[Message] = ()
) -> tuple[str, Message | None]:
    """What the agent says it did by these steps, and where: in closing, else as it announced it.

    `closing` are its last words before each message of the person: the change may be told there,
    and what came later only add to it.
    """
    # What a commit's answer names was changed before it, and told before it.
    made = [step for step in steps if not command_of(step.call).lstrip().startswith("git ")]
    last = max((step.call.line for step in made or steps), default=0)
    names = {basename(edit.path) for step in steps for edit in edits_of(step.call)}
    best = -1
    found: tuple[str, Message | None] = ("", None)
    for each in said:
        account = closing_account(each.text) if each.line > last or each in closing else ""
        named = min(_FILES_COUNT, sum(name in account for name in names))
        named += _CLOSES * (each in closing)
        named += min(_MARKS_COUNT, len(set(_MARK.findall(account))))
        named += _SAYS_WHAT * bool(_CHANGED.search(account))
        if account and named >= best:
            best, found = named, (account, each)
    if best >= _SAYS_WHAT:
        return found
    aims = dict.fromkeys(aim for step in steps if step.before and (aim := aim_of(step.before.text)))
    telling = [aim for aim in aims if len(aim) >= _SHORTEST and _tells_how(aim)]
    if telling:
        where = next((step.before for step in reversed(steps) if step.before), None)
        return shorten("; ".join(telling), _LONGEST), where
    return found


def _tells_how(aim: str) -> bool:
    """Whether what was announced is more than the files to write, or "it"."""
    if _AIMS_AT_IT.match(aim):
        return False
    return bool(_MARK.search(_FILES.sub("", aim))) or not _WRITES.match(aim)


def closing_account(text: str, longest: int = _LONGEST) -> str:
    """The lines of a closing message that tell what was done; empty where none does.

    At most `longest` characters, whole lines as long as they fit.
    """
    lines: list[str] = []
    size = 0
    for line in prose_lines(text, tables=True):
        line = _told_in(line)
        if line and size + len(line) > longest:
            if size < _SHORTEST_LEAD_IN:
                lines.append(shorten(line, longest))
            break
        if line:
            lines.append(line)
            size += len(line) + 1
    while lines and lines[-1].endswith(":"):
        lines.pop()
    account = " ".join(
        each if each.endswith((".", "!", "…", ";", ":")) else each + ";" for each in lines
    ).rstrip("; ")
    if _PLAIN_WORD.match(account):
        account = account[0].upper() + account[1:]
    return account if len(account) >= _ENOUGH else ""


_TELL_NOTHING = (_EMPTY, _FINISHED, _KNOWS_NOW)


def _told_in(line: str) -> str:
    """What a line of a closing message tells, without praise, checks and offers."""
    if (
        _FORM.match(line)
        or _BANNER.match(line)
        or (_STATE.match(line) and not _CHANGED.search(line.rstrip("✅✓☑ ")))
    ):
        return ""
    line = _OPENING.sub("", line)
    if _EMPTY.match(line) or len(line) < 12 or _ONLY_A_FILE.match(line):
        return ""
    told = [_OPENING.sub("", each) for each in sentences(line) if not announces(each)]
    return " ".join(e for e in told if e and tells_something(e) and not _is_small(e))


def tells_something(sentence: str) -> bool:
    """Whether a sentence is more than a question, progress or a lead-in without a name."""
    if sentence.endswith("?") or any(each.match(sentence) for each in _TELL_NOTHING):
        return False
    if _PROGRESS.search(sentence) or _WRITTEN.match(sentence):
        return False
    if sentence.endswith(":"):
        return len(sentence) >= _SHORTEST_LEAD_IN and bool(_MARK.search(sentence))
    return True


def _is_small(sentence: str) -> bool:
    """Whether a sentence holds three words without a name, or sizes: "18 files, +1,022 lines"."""
    if len(sentence.split()) <= _FEW_WORDS and not _MARK.search(sentence):
        return not _AHEAD.match(sentence)
    if (
        len(sentence) > _LONGEST_COUNT
        or _MARK.search(sentence)
        or not set(sentence).isdisjoint("=→:")
    ):
        return False
    numbers, words = len(_NUMBER.findall(sentence)), len(_LETTERS.findall(sentence))
    return words <= 3 * numbers if numbers > 1 else words <= 5 and sentence[0].isdigit()


def aim_of(text: str) -> str:
    """What a message announces to do next, looking left out."""
    announced = [aim for each in sentences(text) if (aim := intent(each))]
    return announced[-1] if announced else ""


def cause_in(said: Iterable[Message], before: int) -> tuple[str, Message | None]:
    """The agent's sentence that says why, the last before a line; with where it stands."""
    found: tuple[str, Message | None] = ("", None)
    for each in said:
        if each.line >= before:
            break
        for sentence in sentences(each.text):
            if _tells_why(sentence) and not (found[0] and "root cause" in found[0].lower()):
                found = (shorten(sentence, _LONGEST_WHY), each)
    return found


def causes_in(said: Sequence[Message], after: Message | None) -> tuple[str, Message | None]:
    """The sentences that say why something failed, at most two of one message; with where.

    What was said right `after` it may also just say how things are.
    """
    for each in sorted(said, key=lambda each: "root cause" not in each.text.lower()):
        told = [sentence for sentence in sentences(each.text) if _tells_why(sentence)]
        if told:
            return shorten(" ".join(told[:2]), _LONGEST_WHY), each
    told = [each for each in sentences(after.text) if _tells_how_it_is(each)] if after else []
    return (shorten(" ".join(told[:2]), _LONGEST_WHY), after) if told else ("", None)


def _tells_how_it_is(sentence: str) -> bool:
    if not 40 <= len(sentence) <= 400 or sentence.endswith(("?", ":")) or announces(sentence):
        return False
    if _CONFIRMS.search(sentence) or _PROGRESS.search(sentence) or _COUNTS.match(sentence):
        return False
    return bool(_EXPLAINS.search(sentence))


def tells_cause(text: str) -> bool:
    """Whether a text says why something was so, or how it is."""
    return bool(_CAUSE.search(text) or _EXPLAINS.search(text) or _NAMES_CAUSE.search(text))


def _tells_why(sentence: str) -> bool:
    if not 40 <= len(sentence) <= 400 or sentence.endswith(("?", ":")):
        return False
    if announces(sentence) or _CONFIRMS.search(sentence):
        return False
    return bool(_CAUSE.search(sentence) and _MARK.search(sentence))
