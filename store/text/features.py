"""What decides how many tokens a text takes: counts of its characters' classes, and of its shapes.

Rare classes are counted in a translation of the text's UTF-8 bytes into classes; common ones, and
what stands beside what, in a number that has a byte of flags for each byte of text, so that 2,000
characters take a few dozen microseconds.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import filterfalse

COMMON_WORDS = frozenset(
    """
    A a about above across active add added address after again all already also always an And
    and another any are around as at back base be because been before being below between both
    But but by call called can case change check code command content context core could create
    current data def default description did different do does done during each else end error
    even every example except False few field File file files find first following For for
    format found from full function get git give go going good got great group had has have
    help here How how I id If if import In in include index information int into is It it its
    just key know known last left let like line list local log long look love made main make
    making many match may me means median message might more most much must my name named names
    need never new next no None not now number object of old on once one only open or order
    other our out output over own package part path people place please project python query
    read real really record related release request result results return review right root run
    said same say says search see session set share short should show since single So so some
    something start state status still store string such support take task test text than That
    that The the their them then there these they things think This this those three through
    time title to told too try two type types under up update us use used user using value
    values version want was way We we were What what When when where which while who why will
    with within without word words work working works would write written you your
    """.split()
)
"""Each is one token of every vocabulary that `python -m tests.bench.tokens` measures."""


def _class_of(byte: int) -> str:
    """Return the class of a byte of UTF-8: a lead byte tells the script, what follows it is silent.

    Small letters by how words with them are cut: few English words have a k, z or v.
    """
    char = chr(byte)
    for letters, name in (("kz", "k"), ("v", "v"), ("aou", "o"), ("ghnr", "r"), ("i", "j")):
        if char in letters:
            return name
    if "a" <= char <= "z":
        return "c"
    if "A" <= char <= "Z":
        return "U"
    if "0" <= char <= "9":
        return "0"
    if char == " ":
        return " "
    if char in "\t\n\r":
        return "n"
    if byte < 0x20 or byte == 0x7F:
        return "x"
    scripts = ((0x80, "."), (0xC0, "-"), (0xC4, "l"), (0xD0, "e"), (0xD2, "y"), (0xE0, "e"))
    wide = ((0xE2, "i"), (0xE3, "s"), (0xEA, "h"), (0xF0, "g"), (0x100, "m"))
    return next(name for end, name in scripts + wide if byte < end)


_NAMES = tuple(map(_class_of, range(256)))
CLASSES = "".join(_NAMES).encode("ascii")


_RUNS = bytes.maketrans(b"kvorjcU", b"aaaaaaa")
_SCRIPTS = (b"l", b"e", b"y", b"i", b"s", b"h", b"g", b"m")


_NONE = (0,) * len(_SCRIPTS)
_FLAGGED = ("kvorjcU", "U", "0", " ", "or", "oj", "leyishgm-")
"""The classes of each flag: letters, capitals, digits, spaces, usual letters, endings, and what is
beyond ASCII."""
_FLAGS = bytes(
    sum((name in classes) << flag for flag, classes in enumerate(_FLAGGED)) for name in _NAMES
)
_LONGEST = 4_096


@lru_cache(maxsize=8)
def _first_flags(length: int) -> int:
    """Return a number with the first flag of each of so many bytes set."""
    return int.from_bytes(b"\1" * length, "little")


FEATURES = (
    "upper", "digit", "space", "break", "mark", "control", "latin", "extended", "cyrillic", "indic",
    "symbol", "ideograph", "hangul", "astral", "word", "hump", "mixed", "long", "kz", "v", "usual",
    "ending", "common",
)  # fmt: skip
"""What `features` counts, in its order; the weights are by these names."""


def features(text: str) -> tuple[int, ...]:
    """Count the classes and shapes of a line that decide how many tokens it takes.

    Characters: capitals, digits, spaces, other white space, ASCII marks, control characters, then
    by script beyond ASCII. Shapes: words (runs of ASCII letters), humps (`aB`), digits that touch
    letters, eight letters in a row. Of small letters: k and z, v, those of "aoughnr", and words
    that end in a, i, o or u, as few English ones do: other languages are cut into more pieces.
    Common words after a space count as such, and as nothing else.
    """
    text, common = _without_common(text)
    data = text.encode("utf-8", "surrogatepass")
    classes = data.translate(CLASSES)
    of = classes.count
    flags = int.from_bytes(data.translate(_FLAGS), "little")
    first = _first_flags(max(_LONGEST, len(data)))
    letters, capitals, digits = flags & first, flags >> 1 & first, flags >> 2 & first
    endings = flags >> 5 & first
    after_letters = letters << 8
    return (
        capitals.bit_count(),
        digits.bit_count(),
        (flags >> 3 & first).bit_count(),
        *map(of, (b"n", b".", b"x")),
        *(_NONE if text.isascii() else map(of, _SCRIPTS)),
        (letters ^ (letters & (after_letters | (flags >> 6 & first) << 8))).bit_count(),
        (capitals & (after_letters ^ capitals << 8)).bit_count() if capitals else 0,
        (digits & after_letters).bit_count() + (letters & digits << 8).bit_count() if digits else 0,
        classes.translate(_RUNS).count(b"aaaaaaaa"),
        of(b"k"),
        of(b"v"),
        (flags >> 4 & first).bit_count(),
        (endings ^ (endings & letters >> 8)).bit_count(),
        common,
    )


def _without_common(line: str) -> tuple[str, int]:
    """A line without the common words that follow a single space, and how many these were."""
    first, *words = line.split(" ")
    if "  " in line:
        before = ("-", *words)
        rare = [it for at, it in enumerate(words) if not before[at] or it not in COMMON_WORDS]
    else:
        rare = [*filterfalse(COMMON_WORDS.__contains__, words)]
    return " ".join([first, *rare]), len(words) - len(rare)
