"""What an agent says that nobody needs later: that it is done, how far it is, what it thinks."""

from __future__ import annotations

import re
from functools import lru_cache

from store.capture.text.prose import CODE_NAME
from store.text.phrases import Phrases
from store.text.regex import regex

_SHORTEST_LEAD_IN = 40
"""Characters from which a sentence that leads in may tell something."""
WELL = r"(?:done|fixed|clean|green|great|perfect|good|excellent|ok(?:ay)?|yes|sure|pronto|feito)"
"""What is said where all is well, and nothing more."""
_EMPTY = Phrases(
    patterns={
        "": rf"^(?:all )?{WELL}\b[^a-z]*[.!: ]*$",
        "complete|done|finished|ready": (
            r"^(?:the )?(?:(?:re)?factor|implementation|change|fix|work|task|summary)\w*"
            r" (?:is|are|has been)(?: now)? (?:complete|done|finished|ready)\w*[.!: ]*$"
        ),
        "fixed|completed|finished|implemented|resolved": (
            r"^(?:(?:the )?(?:bug|issue|problem) (?:is|has been)(?: now)? (?:successfully )?"
            r"(?:fixed|resolved)"
            r"|i(?:['’]ve| have)? (?:now )?(?:successfully )?"
            r"(?:fixed|completed|finished|implemented|resolved) (?:the|this|that|it|your)"
            r"(?: \w+){0,2})[.!: ]*$"
        ),
    }
)
_FINISHED = Phrases(
    patterns={
        "complete|done|finished|ready|implemented|applied|addressed|resolved|verified|fixed"
        "|in place|pushed|committed|merged|working|handled": (
            r"^\W*(?:fixed|done|(?:all|both|everything|each|the|this|that|these|they|it|i|we"
            r"|[a-z]+-\d+)\b[^.:;`()\d]{0,70}"
            r"\b(?:completed?|done|finished|ready|implemented|applied|addressed|resolved|verified"
            r"|fixed|in place|pushed|committed|merged|working|handled))(?:,? (?:and|&) \w+)?"
            r"(?: (?:now|correctly|successfully|as expected))?[.!:]*$"
        ),
        "no outstanding|no remaining|no further|no more": (
            r"^.{0,60}\bno (?:outstanding|remaining|further|more) (?:issues|changes|comments|work)"
            r"\b"
        ),
        "updated|modified|changed|edited|created|written|added": (
            r"^\W*(?:all|both|everything|each)\b[^.:;`()]{0,40}"
            r"\b(?:updated|modified|changed|edited|created|written|added)[.!]*$"
        ),
    }
)
"""That something is done, without saying what was: "All four items addressed"."""
_KNOWS_NOW = Phrases(
    patterns={
        "see|understand|picture|context|information|found ": (
            r"^(?:(?:now|so|ok(?:ay)?|good|great|perfect|excellent)[,.!]? )*"
            r"(?:i|we)(?:['’]ve| now| have| can)* (?:see|(?:have )?(?:a |an |the |all )*"
            r"(?:\w+ ){0,4}(?:understanding|picture|context|information)|understand"
            r"|found (?:it|(?:the|a|an) (?:\w+ )?(?:issue|problem|bug)))\b[^`:]*$"
            r"|^(?:ah,? )?i see\b"
        ),
        "is clear|explain|here|picture|analysis": (
            r"^(?:now )?(?:the (?:issue|problem) is clear|i can (?:now )?explain"
            r"|here(?:['’]s| is| are)\b.{0,20}\b(?:picture|landscape|research|findings?|analysis"
            r"|options|plan)|got (?:a|the) (?:\w+ )?picture|(?:the )?analysis (?:is )?done)\b"
            r"[^`:]*$"
        ),
    }
)
_PROGRESS = Phrases(
    "main checkout|pre-existing|safe to merge|unstaged|will report|left by an agent",
    {
        "pass|clean|green|succe|issues|errors|failures|warnings": (
            r"\b(?:tests?|lint\w*|builds?|checks?|ci|suite|everything|format\w*|fmt|vet|types?)\b"
            r"[^.]{0,40}\b(?:pass(?:es|ed|ing)?|clean|green|succe\w+"
            r"|(?:0|no) (?:issues|errors|failures|warnings))\b"
        ),
        "pass|clean": (
            r"^(?:full )?(?:build|tests?|lint|coverage)\b.{0,300}"
            r"\b(?:all (?:\w+ )?)?(?:pass(?:ed|ing)?|clean)\W*$"
        ),
        " passed": r"^\d+ (?:tests? )?passed",
        "(s) in ": r"\b\d+ \w+\(s\) in \d",
        "the commit": r"^the commit (?:includes|contains|is)\b",
        "commit ": r"^commit (?:landed|is|was)\b",
        "commit|pushed|branch is|working tree": (
            r"\b(?:committed|pushed|commit|branch is|working tree)\b.{0,60}$"
        ),
        "committed|pushed": r"^(?:committed|pushed)\b",
        "committed yet": r"\b(?:nothing|not|none)\b.{0,12} committed yet\b",
        "pr is up|pr created|pr #": (
            r"^(?:todo added and )?(?:draft )?pr (?:is up|created|#\d+)\b"
        ),
        "pr updated|pr created|pr is": r"^(?:draft )?pr (?:is )?(?:updated|created)",
        "] ": r"\[[a-z]\] \w[^\[\]]{0,60}\[[a-z]\] ",
        "look": r"^.{0,60}\blooks? (?:correct|good|right|fine|great)\W*$|^this looks\b",
        "cleaner": r"\bcleaner\b.{0,30}\bmaintainable\b",
        "approved": r"\bha(?:s|ve) approved\b",
        "the output": r"^the output\b.{0,40}\bshow(?:s|ed)\b",
        "progress": r"\bmaking (?:\w+ )?progress\b",
        "worker is|agent is": r"\b(?:worker|agent) is (?:\w+ )?\w+ing\b",
        "root cause": r"\broot cause (?:found|pinned|verified|confirmed)\b(?!:)",
        "no live|no local": r"\bno (?:live|local) \w+ (?:repro|run)\b",
        "no code": r"\bno code (?:was |has been )?(?:written|changed|changes made)\b",
        "should now": r"\bshould now (?:recogni[sz]e|work|see|be|show)\b",
        "would |do |should |shall ": r"^(?:would|do|should|shall) (?:you|i|we)\b",
        "let me know|if you|you can now|feel free": (
            r"^(?:let me know|if you|you can now|feel free)\b"
            r"|\bif you(?:['’]d)? (?:like|want|prefer)\b"
        ),
        "addressed|fixed|resolved|replied": (
            r"\ball (?:\w+ ){0,3}(?:comments?|errors?|issues?|feedback)\b.{0,30}"
            r"\b(?:addressed|fixed|resolved|replied)\b|, replied\.?$"
        ),
        "related to": (
            r"\b(?:not related|unrelated) to\b"
            r"|\brelated to (?:our|this|the|my) (?:task|work|change|request)\b"
        ),
        "no blocking": r"\bno blocking (?:issues|findings)\b",
        "backup branch": r"\bbackup branch",
        "thread ": r"^thread \d",
        "ready |committed and|you can |looks good": (
            r"^(?:ready (?:for|to)|committed and|you can (?:test|try|verify|see|check)"
            r"|the \w+ looks good)\b"
        ),
        "server is": r"\bserver is (?:live|running|up)\b",
        "dev server": r"\bdev server\b.{0,60}\b(?:live|running|up|at)\b",
        "i'm|i’m|i am": r"^i(?:['’]m| am) (?:now |also |\w+ly )?\w+ing\b",
        "now": (
            r"^now i can (?:give|provide|answer|tell|show|see)\b"
            r"|^now the (?:[\w-]+ ){1,4}(?:test|check|run|review)\b"
            r"|^now (?!.*\b(?:is|are|has|have|does|can|will|it|they|the|no|only|both|when|each"
            r"|every)\b)|^\w+ing\b.{0,40}\bnow\b"
        ),
        "now |currently ": r"^(?:now|currently) \w+ing\b",
        "now|next|then": (
            r"^(?:now|next|then),? (?:(?:re-?)?(?:build|start|run|open|try|log|refresh"
            r"|restart|install|deploy|check|test)|back)\b"
        ),
        " author": r"\bi (?:did not|didn['’]t) author\b",
        "the status": r"\bthe status (?:now )?shows\b",
        "might be": r"\bmight be (?:that|because)\b",
        " see": r"\blet['’]s see\b",
        "again": r"^run the \w+ again\b",
        "wait|hm|oh": (r"^(?:wait|hm+|oh)\b|[—–-] wait\b|\bwait, (?:there|that|this|it|no|i)\b"),
        "pushing|committing|staging|merging": r"^(?:push|committ|stag|merg)ing\b",
        "confirmed|verified": r"\b(?:is|are|was|were) (?:now |also )?(?:confirmed|verified)\b",
        "repo|branch|tree": (
            r"^(?:the |my |your )?(?:\w+ )?(?:repo|repository|branch|work(?:ing )?tree) is (?:on|at"
            r"|clean|ahead|behind|up)\b"
        ),
        "yet": r"^no \w+ yet\b",
        "please": r"^please\b",
        "phase|story|epic|sprint|milestone|wave": (
            r"^(?:phase|story|epic|sprint|milestone|wave)s? [\d.]+\w* (?:[a-z]+ ){0,3}(?:inserted"
            r"|updated|added|created|closed|planned|executed)\W*$"
            r"|^(?:execute|plan|run|start|begin|discuss) (?:phase|story|epic|wave)s? \d"
        ),
        "`git status`": r"`git status`",
        "staged ": r"\bstaged (?:patch|scope|diff)\b",
        "i left": r"\bi left (?:it|them|those|that)\b",
        "dirty|uncommitted|untracked": (
            r"\b(?:other|existing|already|later) (?:dirty|uncommitted|untracked)\b"
        ),
        "my ": r"\bmy (?:\w+ ){0,2}(?:spec|brief)s?\b",
        "already": (
            r"\balready (?:fixed|addressed|resolved|handled)\b|\b(?:was|were) already"
            r" (?:removed|there|gone|present|in place|done|fixed|correct)\b"
        ),
    },
)
_OF_A_REVIEW = regex(
    r"\b(?:comments?|repl(?:y|ies)) (?:\w+ )?posted\b"
    r"|\bthreads\b.{0,40}\b(?:remain|are|were|stay)\b"
    r"|\b(?:not|without) explicit(?:ly)? (?:request|authori[sz]|ask)"
    r"|\b(?:before|blocking|block the) merg(?:e|ing)\b|\bmergeable\b|\bfresh review\b",
    re.I,
)
"""How far a pull request is."""
_WRITTEN = regex(
    r"(?:the )?(?:\w+ ){1,3}(?:is |was |has been )?(?:written|saved|created|added) (?:to|at|in|as)"
    r" \S+\.?$|(?:\w+ ){1,3}(?:written|saved|created|added|filed|recorded): `?[\w~./-]+\.\w+`?\.?$",
    re.I,
)
"""Where a text was written is told by the files of the change."""
_ASIDE = Phrases(
    patterns={
        "needed|required|necessary": (
            r"^no (?:[\w-]+ ){1,5}(?:needed|required|necessary)(?:$| [—–-]+ nothing)\b"
        ),
        "switched to": r"^i (?:created|made|opened) (?:and|&) switched to\b",
        "try ": r"^try (?:\w+ing|it|that|again|the|your|now)\b",
        "run |reload |log in|sign in|go to|visit|click|navigate|head to|watch |locally": (
            r"^(?:re-?run (?:the|it)|reload (?:the|it)|log in|sign in|go to|visit|click|navigate"
            r"|head to|watch (?:it )?at|test (?:it )?locally)\b"
        ),
        "i've|i’ve": (
            r"^i['’]ve (?:traced|checked|verified|looked|read|reviewed|analy[sz]ed|investigated"
            r"|confirmed|got|gone|run|finished|completed|identified)\b"
        ),
        "i'|i’": r"^i['’](?:m|d|ll)\b",
        "i ": (
            r"^i (?:am|was|would|will|did(?:n['’]t| not)|do(?:n['’]t| not)|can(?:['’]t|not)?"
            r"|could|couldn['’]t|think|thought|believe|notice|noticed|assume|suspect|wonder|see"
            r"|understand|recommend|suggest|agree|have (?:all|everything|enough|not)|need|want"
            r"|hope|checked|verified|looked|ran|read|investigated|traced|left|stopped|reverted"
            r"|closed|triggered|started|restarted|opened|pushed|merged|spawned|launched|queued"
            r"|asked|posted|replied|rebased|resolved)\b"
        ),
        "replied": r"^replied (?:to|on)\b",
        "next ": r"^next (?:steps?|up)\b[^:]{0,40}: ?`?/[a-z]",
        "task": (
            r"^(?:\w+ ){0,3}tasks?\b.{0,120}\b(?:by others|belongs? to|team ?mates?"
            r"|other (?:agents?|members?))\b"
        ),
        "rule|instruction": (
            r"^(?:per|following) (?:the |your |our )?(?:\w+ )?(?:rules?|instructions?)\b"
        ),
        "per your": r"^.{0,60}\bper your (?:request|instructions?)\b",
        "to answer your": r"^to answer your\b",
        "you": (
            r"^you(?:['’]re| are| may| might| can| could| should|['’]ll| will| want| were"
            r"| mentioned| asked| said| wanted|['’]d)\b"
        ),
        "small|clean|good|great|solid|well|nice|strong": (
            r"^(?:an? )?(?:small|clean|good|great|solid|well|nice|strong)[\w ,-]{0,40}"
            r"\b(?:implement\w*|improvement|coverage|design|separation|code|choice|ux)\b"
        ),
        "skipped ": r"^skipped (?:items?|comments?)\b",
        "let's|let’s|note that you|make sure|feel free|want me|happy to|say the word": (
            r"^(?:let['’]s|note that you|make sure (?:you|to)|feel free|want me|happy to"
            r"|say the word)"
        ),
        "just |tell me|once you|when you|next time you|if ": (
            r"^(?:just (?:let|say|tell)|tell me|once you|when you['’]re|next time you"
            r"|if (?:it|this|that) (?:still|doesn['’]t|looks))"
        ),
        "commit|thread|comment|pull request|prs|review": (
            r"^(?:both|all|two|three|four|five|\d+) (?:\w+ )?(?:commits?|threads?|comments?"
            r"|pull requests|prs|reviews?)\b"
        ),
        "state|status|tree": (
            r"^(?:current|local|working|git|repo(?:sitory)?|branch|pr|ci|build|final|phase)"
            r" (?:state|status|tree)\b"
        ),
        "the plan i was given": r"^the plan i was given\b",
        "history|diff|commit|branch|stash|tree|pr |pull request": (
            r"^(?:the )?(?:git )?(?:history|diff|commit|branch|stash|working tree|pr|pull request)"
            r" (?:already )?(?:is|was|has|now|includes|contains|shows|still)\b"
        ),
        "git ": r"^`?git (?:status|diff|log|stash)",
        "verif|test|confirmed|validat|checked": (
            r"^(?:verif(?:ied|ication)|tested|testing|confirmed|validated|validation|checked)\b"
        ),
        "an `|un `": r"^(?:ran|run|re-?ran) `",
        "`|branch|origin|main|master": (
            r"^(?:on|from|against|to) (?:`|branch |origin|main\b|master\b)"
        ),
        "keep|merge|push|discard|squash": (
            r"^(?:keep|merge|push|discard|squash)\b.{0,40}"
            r"\b(?:branch|main|master|pull request|this work)\b"
        ),
        "call|choice|question": r"^(?:your|the) (?:call|choice|question)\b",
        "?": r"^(?:why|how|where) (?:this|it|that) (?:is|was)\b.*\?",
    }
)
"""What an agent says of itself, of what the person may do, or of the branch: not of the change."""
_THINKS = regex(r"(?:wait|hm+|actually|this is (?:strange|odd)|interesting)\b", re.I)
"""Who thinks aloud has not found it yet."""
_DOUBTS = regex(
    r"\b(?:likely|probably|almost certainly|(?:appears?|seems?) to|(?:may|might|could) be"
    r"|but wait|no smoking gun|inconclusive|hmm+|maybe|i think)\b"
    r"|\bmy (?:bet|guess|hunch|suspicion|theory)\b|\bi(?:['’]d| would) bet\b",
    re.I,
)
_CHORE = regex(
    r"(?:(?:and|then|also) )?(?:run|re-?run|validate|verify|test|lint|format|fmt|commit|push|merge"
    r"|rebase|open|review|check|confirm|squash|clean up|build and|update (?:the )?tests"
    r"|(?:create|make) (?:a |the )?(?:\w+ )?(?:pr|pull request|commit|branch))\b",
    re.I,
)
_TELL_NOTHING = (_EMPTY, _FINISHED, _KNOWS_NOW)


@lru_cache(maxsize=512)
def tells_something(sentence: str) -> bool:
    """Whether a sentence is more than a question, progress or a lead-in without a name."""
    if sentence.endswith("?") or any(it.stand_in(sentence) for it in _TELL_NOTHING):
        return False
    if is_progress(sentence) or _OF_A_REVIEW.search(sentence) or _WRITTEN.match(sentence):
        return False
    if sentence.endswith(":"):
        return len(sentence) >= _SHORTEST_LEAD_IN and bool(CODE_NAME.search(sentence))
    return True


def is_empty(sentence: str) -> bool:
    """Whether a sentence only says that something is done."""
    return _EMPTY.stand_in(sentence)


@lru_cache(maxsize=512)
def is_progress(sentence: str) -> bool:
    """Whether a sentence tells how far the work is: checks, commits, what comes now."""
    return _PROGRESS.stand_in(sentence)


def is_aside(sentence: str) -> bool:
    """Whether a sentence speaks of the agent, the person or the branch rather than of the work."""
    return _ASIDE.stand_in(sentence)


def thinks(text: str) -> bool:
    """Whether a message thinks aloud."""
    return _THINKS.match(text) is not None


def doubts(text: str) -> bool:
    """Whether a text guesses."""
    return _DOUBTS.search(text) is not None


def is_chore(step: str) -> bool:
    """Whether a step ends any piece of work, or is what git is to do: nobody has to be told."""
    return _CHORE.match(step) is not None
