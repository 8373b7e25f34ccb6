"""Measure the token estimates against real tokenizers, and fit their weights again.

    python -m tests.bench.tokens [--fit] FILE...

Each file is one kind of text; kinds that notes rarely consist of but may contain are generated, and
the languages they may be written in come from this machine's translations (`--locale`). Needs
`splintr-rs`, and `ctok` (Python 3.12) for Claude; fitting also needs `numpy` and `scipy`. Printed
for each family: the real count over the estimate, by kind of text.
"""

from __future__ import annotations

import argparse
import gettext
import importlib
import random
import string
import sys
import uuid
from base64 import b64encode
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean

from store.text.features import COMMON_WORDS, FEATURES, features
from store.text.tokens import Estimate, Family, estimate
from tests.bench.generate import observations

Tokenizer = Callable[[str], int]
SLICES = 24
MOST = 4.3
"""The most a feature may cost: a character that no vocabulary knows is spelt in its bytes."""
LANGUAGES = (
    "de fr es it pt_BR nl pl sv da nb fi cs sk hu ro hr sl et lt lv tr id vi eu af ru uk el ja "
    "zh_CN ko ar he th hi"
).split()
"""The languages that the estimate has to hold for, and the characters looked at of each."""
_OF_LANGUAGE = 60_000
MARGIN = 1.02
"""How far above the real count the fitted estimate stays on every calibration text."""


@dataclass(frozen=True, slots=True)
class Sample:
    """A slice of one kind of text; `notes` are those whose tightness the fit cares about."""

    kind: str
    text: str
    notes: bool


def tokenizers(family: Family) -> list[Tokenizer]:
    """The real counters of a family: the estimate has to hold against all of them."""
    if family is Family.GPT:
        encoder = importlib.import_module("splintr").Tokenizer.from_pretrained("o200k_base")
        return [lambda text: len(encoder.encode_ordinary(text))]
    count = importlib.import_module("ctok").token_count
    older, newer = count("", "3.0"), count("", "4.7")
    return [lambda text: count(text, "3.0") - older, lambda text: count(text, "4.7") - newer]


def generated(rng: random.Random) -> Iterator[tuple[str, str]]:
    """Kinds of text that break naive counts: noise, layout, and scripts from end to end."""

    def of(alphabet: Sequence[str], length: int = 4_000) -> str:
        return "".join(rng.choice(alphabet) for _ in range(length))

    def script(first: int, last: int) -> str:
        return of([chr(code) for code in range(first, last + 1)], 1_500)

    letters, digits = string.ascii_letters, string.digits
    yield "letters", " ".join(of(string.ascii_lowercase))
    yield "LETTERS", " ".join(of(string.ascii_uppercase))
    yield "letter list", ", ".join(of(letters))
    for kind, alphabet in {
        "alphanumeric": letters + digits, "digits": digits,
        "marks": string.punctuation, "printable": string.printable[:95], "white space": " \t\n\r",
        "control": "".join(map(chr, range(1, 9))), "boxes": "─│┌┐└┘├┤═║╔█▓░▌",
        "signs": "→←↑↓⇒✓✗•…“”‘’—–", "accents": "äöüéèñçß abcdefgh ",
    }.items():  # fmt: skip
        yield kind, of(alphabet)
    yield "spaced marks", " ".join(of(string.punctuation))
    common = sorted(COMMON_WORDS)
    for kind, between in (("common words", " "), ("common, words", ", "), ("spaced  words", "  ")):
        yield kind, between.join(rng.choices(common, k=2_000))
    yield "spaces", " " * 3_000
    yield "ragged spaces", "".join("x" + " " * rng.randint(2, 60) for _ in range(200))
    yield "indents", "\n".join(" " * rng.randint(0, 40) + "x" for _ in range(500))
    yield "short lines", "x\n" * 1_000
    yield "tabbed", "x\t" * 1_000
    yield "rules", "-" * 1_000 + "=" * 1_000
    yield "hex", "\n".join(f"{rng.getrandbits(256):064x}" for _ in range(300))
    yield "base64", "\n".join(b64encode(rng.randbytes(90)).decode() for _ in range(200))
    yield "numbers", " ".join(str(rng.randint(0, 10 ** rng.randint(1, 8))) for _ in range(1_500))
    yield "log", "\n".join(_log_line(rng) for _ in range(300))
    yield (
        "combining",
        "".join(rng.choice("abc") + chr(rng.randint(0x300, 0x36F)) for _ in "x" * 999),
    )
    for kind, first, last in (
        ("latin", 0xC0, 0xFF), ("latin extended", 0x100, 0x17F), ("greek", 0x3B1, 0x3C9),
        ("cyrillic", 0x430, 0x44F), ("hebrew", 0x5D0, 0x5EA), ("arabic", 0x621, 0x64A),
        ("devanagari", 0x905, 0x94D), ("thai", 0xE01, 0xE3A), ("ethiopic", 0x1200, 0x1357),
        ("ideographs", 0x4E00, 0x9FFF), ("hangul", 0xAC00, 0xD7A3), ("kana", 0x3041, 0x30FF),
        ("emoji", 0x1F300, 0x1F64F), ("mathematical", 0x1D400, 0x1D7FF),
        ("symbols", 0x2190, 0x2BFF),
        ("syllabics", 0x1400, 0x167F), ("astral", 0x10000, 0x10FFFF),
    ):  # fmt: skip
        yield kind, script(first, last)
    yield "joined emoji", "👨‍👩‍👧‍👦👩🏽‍💻🇩🇪" * 150
    yield "spaced emoji", " ".join(script(0x1F300, 0x1F64F))


def _log_line(rng: random.Random) -> str:
    """A line as servers write them: dates, ids, numbers."""
    day, hour, minute = rng.randint(10, 28), rng.randint(10, 23), rng.randint(10, 59)
    return (
        f"2026-03-{day}T{hour}:{minute}:07.{rng.random():.3f}Z [{rng.choice(['INFO', 'WARN'])}] "
        f"req={uuid.UUID(int=rng.getrandbits(128))} GET /api/v1/items/{rng.randint(1, 99_999)}"
        f" 200 {rng.random() * 100:.3f}ms ip=10.{rng.randint(0, 255)}.{rng.randint(0, 255)}.7"
    )


def languages(locale: Path) -> Iterator[tuple[str, str]]:
    """What programs say in each language, from the translations below a folder."""
    for language in LANGUAGES:
        folder = locale / language / "LC_MESSAGES"
        catalogs = [path for path in sorted(folder.glob("*.mo")) if "iso_" not in path.name]
        said = [text for path in catalogs for text in _translations(path) if len(text) > 60]
        random.Random(1).shuffle(said)
        text = "\n".join(f"- {line}" for line in said)[:_OF_LANGUAGE]
        if len(text) > _OF_LANGUAGE / 20:
            yield f"language {language}", text


def _translations(path: Path) -> list[str]:
    """The messages of a catalog in its language; none of one that can't be read."""
    try:
        with path.open("rb") as file:
            known = vars(gettext.GNUTranslations(file))["_catalog"]
    except (OSError, ValueError, LookupError) as error:
        print(f"{path} is left out: {error}", file=sys.stderr)
        return []
    return [text for key, text in known.items() if key and isinstance(text, str)]


def made_up() -> str:
    """Prose of words that no language has, as the generated stores hold."""
    return "\n".join(observation.content for observation in observations(400))


def corpora(files: Sequence[Path], locale: Path) -> list[tuple[str, str, bool]]:
    """Kind, text and whether it stands for notes: the files given, then what must hold as well."""
    own = [(file.stem, file.read_text("utf-8", "replace"), True) for file in files]
    others = [*generated(random.Random(5)), *languages(locale), ("made-up words", made_up())]
    return own + [(kind, text, False) for kind, text in others]


def samples(files: Sequence[Path], locale: Path) -> list[Sample]:
    """Slices of different length from all over each kind of text."""
    rng = random.Random(1)
    found = []
    for kind, text, notes in corpora(files, locale):
        for _ in range(SLICES):
            length = rng.choice((400, 1_200, 3_000))
            start = rng.randint(0, max(0, len(text) - length))
            found.append(Sample(kind, text[start : start + length], notes))
    return found


def fit(family: Family, texts: Sequence[Sample]) -> dict[str, float]:
    """The weights with the least excess over notes that no sample exceeds (a linear programme)."""
    np = importlib.import_module("numpy")
    linprog = importlib.import_module("scipy.optimize").linprog
    counters = tokenizers(family)
    real = np.array([max(count(sample.text) for count in counters) for sample in texts], float)
    table = np.array([features_of(sample.text) for sample in texts], float)
    importance = np.array([8.0 if sample.notes else 0.15 for sample in texts]) / np.maximum(real, 1)
    solved = linprog(importance @ table, A_ub=-table, b_ub=-real * MARGIN, bounds=(0, MOST))
    if not solved.success:
        raise SystemExit(f"no weights fit: {solved.message}")
    return {name: round(float(w) + 0.0005, 3) for name, w in zip(FEATURES, solved.x, strict=True)}


def features_of(text: str) -> tuple[int, ...]:
    """What all lines of a text have, and the breaks between them."""
    lines = text.split("\n")
    breaks = (feature * (len(lines) - 1) for feature in features("\n"))
    return tuple(map(sum, zip(breaks, *map(features, lines), strict=True)))


def fill_by_kind(family: Family, counter: Estimate, texts: Sequence[Sample]) -> None:
    """Print the real count over the estimate for each kind: above 1 is an undercount."""
    real = tokenizers(family)
    kinds: dict[str, list[float]] = {}
    for sample in texts:
        share = max(count(sample.text) for count in real) / max(counter.count(sample.text), 1)
        kinds.setdefault(sample.kind, []).append(share)
    for kind, shares in sorted(kinds.items(), key=lambda item: max(item[1])):
        print(f"  {kind:24} mean {mean(shares):5.2f}   worst {max(shares):5.2f}")


def main(arguments: Sequence[str]) -> None:
    """Measure, and with `--fit` print new weights for `store.text.tokens`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--fit", action="store_true")
    parser.add_argument("--locale", type=Path, default=Path("/usr/share/locale"), metavar="DIR")
    options = parser.parse_args(arguments)
    texts = samples(options.files, options.locale)
    for family in Family:
        counter = estimate(family)
        if options.fit:
            counter = Estimate(counter.name, fit(family, texts), counter.characters_each)
            print(family, dict(counter.weights))
        print(counter.name)
        fill_by_kind(family, counter, texts)


if __name__ == "__main__":
    main(sys.argv[1:])
