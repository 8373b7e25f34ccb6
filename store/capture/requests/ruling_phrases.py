"""The phrases by which people settle something, make it hold for good, or do not quite say so."""

from __future__ import annotations

from store.text.phrases import Phrases

SETTLES = Phrases(
    patterns={
        # It sets the other right.
        "no|never|don|do not|careful|hold on|wait|actually|rather|não|nein": (
            r"^(?:no|not|nope|never|don['’]?t|do not|careful|hold on|wait|actually|rather|não"
            r"|nein)\b"
        ),
        "don|do not|avoid|stop|não|evite": (
            r"(?:^|[,;:] )(?:please,? )?(?:don['’]?t|do not|avoid|stop|não|evite) (?!know)"
        ),
        "don|do not|avoid|não|evite": (
            r"(?:^|[,;:] )(?:please,? )?(?:don['’]?t|do not|avoid|não|evite) \w{3,} (?!yet\b)\w"
        ),
        "correct|not true|is wrong|is right|off the table|misunder": (
            r"\b(?:not correct|incorrect|not true|is wrong|is right|off the table|misunder\w+)\b"
        ),
        # It demands, forbids or allows.
        "must|should|s to|ve to|need|ought to|shall|may not|can": (
            r"\b(?:must|should|has to|have to|needs? to|ought to|shall|may not|can ?not|can['’]t)\b"
        ),
        "required|forbidden|allowed|mandatory|no need|deve|muss": (
            r"\b(?:required|forbidden|(?:not )?allowed|mandatory|no need (?:to|for)|deve|devem"
            r"|muss)\b"
        ),
        # It leaves no choice.
        "only|exactly|always|never|every|unless|except|at most|at least|no more than": (
            r"\b(?:only|exactly|always|never|every|unless|except|at (?:most|least)|no more than)\b"
        ),
        "strictly|nothing|sempre|nunca|apenas|immer|nie|nur": (
            r"\b(?:strictly|nothing (?:but|else)|sempre|nunca|apenas|immer|nie|nur)\b"
        ),
        # It sets one thing against another.
        "instead|rather than|but not|not |em vez de|statt": (
            r"\b(?:instead|rather than|but not|em vez de|statt)\b|[,;–—-] ?not \b"
        ),
        "not ": r"\bnot [^,.;]{2,60}, ?(?:but|it['’]s)\b",
        "right|correct|better": (
            r"\b(?:is|are) (?:the |a )?(?:more |much )?(?:right|correct|better)\b(?! (?:now|away))"
        ),
        # It keeps or drops something, or says what is liked.
        "keep|leave|stay|stick|remain|win|counts|prefer|rather": (
            r"\b(?:keep|keeps|leave|stays?|stick|remains?|wins?|counts|prefer|i['’]d rather)\b"
        ),
        "do not |no longer ": r"\b(?:i|we)(?: really)? (?:do not|no longer) (?:like|want)\b",
        "value|prefer": r"\b(?:i|we) (?:\w+ly )?value\b|^prefer\w* \w",
        "like|want": (
            r"\bi(?:['’]d)? (?:don['’]?t (?:like|want)"
            r"|(?:just |only )?(?:like|want)(?! (?:to|you|us|it to)\b))\b"
        ),
        # It turns something down for a reason.
        " work": (
            r"\b(?:does(?:n['’]?t| not)|wo(?:n['’]?t)|will not|can(?:['’]?t|not)) (?:really )?work"
            r"\b.{0,60}\b(?:since|because|as)\b"
        ),
        # It finds something too much.
        "too |over|not worth| need": (
            r"\b(?:too (?:much|heavy|early|complex|complicated|big|noisy)"
            r"|over-?(?:kill|engineer\w*)|not worth|(?:don['’]?t|do not) need)\b"
        ),
    }
)
STANDING = Phrases(
    "from now on|as a rule|as always|as usual|in general|every time|whenever|remember to"
    "|remember that|a partir de agora|daqui em diante|ab jetzt",
    {
        "going forward": r"(?<!tracked )\bgoing forward\b",
        "future": r"\bin (?:the )?future\b(?! (?:state|version|phase|release)s?\b)",
        "always|never|sempre|nunca|immer|nie": (
            r"(?:^(?:(?:and|but|so|please|also|mas),? )?|\b(?:we|you|must) )"
            r"(?:always|never(?! mind)|sempre|nunca|immer|nie)\b"
        ),
        "ever": r"\b(?:should|must)(?: not|n['’]?t)\b.{1,80}\bever\b",
        "prefer": r"^prefer\w* \w",
        "more": r"\b(?:i|we)(?: really)? (?:do not|don['’]?t) want\b.{1,80}\bany ?more\b",
        "use ": r"^use [\w./-]+ (?:as|for) (?:the|our|all|every)\b",
        "we ": (
            r"(?<!so )(?<!that )\bwe (?:(?:don['’]?t|do not)(?! (?:need|have|want|know|think|see))"
            r"|only(?! (?:need|have|want|\w+ed)\b)|usually|normally|deliberately) \w+"
        ),
        "ever|more|again|anywhere|mais": (
            r"(?:^|[,;:.] ?|\bplease )(?:do not|don['’]?t|avoid|stop \w+ing|não)\b"
            r".*\b(?:ever|any ?more|again|anywhere|mais)\b"
        ),
    },
)
HEDGED = Phrases(
    "maybe|perhaps|never mind|not sure|probably|if i understand|if i recall|playing with"
    "|thinking aloud|thinking out loud|feels|could|might|ideally|essentially|hypothetically"
    "|basically|kind of|sort of|or something|for example|sometimes",
    {
        " see": r"\blet['’]?s see\b",
        "i don": r"\bi don['’]?t (?:believe|think)\b",
        "i |i'm |i’m |im ": (
            r"\bi(?:['’]?m| am| was)? (?:just |only |also |honestly |personally )?(?:feel|think\w*"
            r"|guess|imagine|wonder\w*|suppose|recall|believe|not|tried|noticed|saw|see|got|get"
            r"|did|ran|added|removed|lost|mostly|remember\w*|looking|messing)\b"
            r"|\bi want to (?:find|know|understand|figure)\b"
        ),
        "i've|i’ve": (
            r"\bi['’]ve (?:only |just |also )*(?:recently|started|seen|moved|had|noticed)\b"
        ),
        "should have": r"\bshould have (?:been|\w+ed)\b",
        " be": r"\b(?:would|is|are|do|does)n['’]?t (?:it|that|this|they) be\b",
        "feel|seem|sound|look|makes|help|highlights": (
            r"\b(?:it|that|this)(?:['’]s)? (?:really |also )?"
            r"(?:feels?|seems?|sounds?|looks?|makes|helps?|highlights)\b"
            r"|\b(?:we|it|they|you) seems? to\b"
        ),
        "may ": r"\bmay (?:have|need|be|want)\b",
        "would ": r"\bwould (?:make|be|help)\b",
        "idk": r"\bidk",
        "ish": r"\b(?:\w+[ -]|\d+)ish\b",
        "we need to|we have to": (
            r"\bwe (?:need|have) to (?:look|check|see|read|understand|figure|find)\b"
        ),
        "whether": r"\bwhether (?:or not )?we\b",
        "something": r"\bsomething (?:as simple )?(?:as|like)\b",
        "whatever": r"\bwhatever(?=[,.]|$)",
        "hm|huh|oh": r"^(?:h+m+|huh|oh)\b",
        "this ": r"^this (?:causes|will|means|leads|results|breaks|makes)\b",
        "issue is|problem is|bug is": r"\b(?:the|an?|one more) (?:issue|problem|bug) is\b",
        "so": r"^so,? (?!let|we|use|keep|i (?:just |only )?(?:want|need|prefer)\b)",
        "like|ah": r"^(?:like|ah),? ",
    },
)
