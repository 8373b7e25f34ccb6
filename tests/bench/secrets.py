"""How well secrets are found: `python -m tests.bench.secrets FILE [PROSE_DIR] [--ours]`.

FILE is a list of `{text, secret, rule, positive}`, as JSON or xz-compressed JSON. Recall counts
the positive texts from which the secret is gone; precision, of all texts in which something was
redacted, those that are positive. PROSE_DIR's Markdown gives the redactions per 100 KB of prose.
`--ours` switches off the vendor rules named in FILE, to see how the context rules generalise.
"""

from __future__ import annotations

import json
import lzma
import statistics
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any
from unittest.mock import patch

from store.redaction import rules, vendor_rules
from store.redaction.sanitizer import sanitize


def load(path: Path) -> list[dict[str, Any]]:
    """The rows of a file, as JSON or xz-compressed JSON."""
    data = path.read_bytes()
    rows: list[dict[str, Any]] = json.loads(lzma.decompress(data) if path.suffix == ".xz" else data)
    return rows


def measure(rows: list[dict[str, Any]]) -> tuple[float, float, list[str]]:
    """Recall, precision, and a line for each text that was judged wrongly."""
    found = wrong = positives = 0
    notes: list[str] = []
    for row in rows:
        clean = sanitize(row["text"])
        positives += row["positive"]
        if row["positive"] and row["secret"] not in clean.text:
            found += 1
        elif row["positive"]:
            notes.append(f"missed {row['rule']}: {row['text'][:160]!r} -> {clean.text[:160]!r}")
        elif clean.redactions:
            wrong += 1
            notes.append(f"wrong  {row['rule']}: {row['text'][:160]!r} {clean.redactions}")
    return found / max(1, positives), found / max(1, found + wrong), notes


def prose(folder: Path) -> tuple[float, float, list[str]]:
    """Redactions per 100 KB of Markdown, the median ms for 2,000 characters, and what was cut."""
    size = count = 0
    times: list[float] = []
    notes: list[str] = []
    for path in sorted(folder.rglob("*.md")):
        text = path.read_text(encoding="utf-8", errors="replace")
        size += len(text.encode())
        clean = sanitize(text)
        count += len(clean.redactions)
        notes += [f"{path.name}: {name}" for name in clean.redactions]
        for start in range(0, len(text), 2_000):
            began = time.perf_counter()
            sanitize(text[start : start + 2_000])
            times.append((time.perf_counter() - began) * 1_000)
    return count / max(1, size / 100_000), statistics.median(times or [0.0]), notes


def _forget_the_rules() -> None:
    vendor_rules.numbers_by_keyword.cache_clear()
    rules._keywords.cache_clear()
    rules._piece_spans.cache_clear()


def main(arguments: list[str]) -> int:
    """Print the figures; see the module's docstring for the arguments."""
    paths = [Path(each) for each in arguments if not each.startswith("--")]
    if not paths:
        print(__doc__)
        return 2
    rows = load(paths[0])
    recall, precision, notes = measure(rows)
    if "--verbose" in arguments:
        print("\n".join(notes))
    print(f"texts {len(rows)}  recall {recall:.4f}  precision {precision:.4f}")
    if "--ours" in arguments:
        named = {row["rule"] for row in rows}
        left = tuple(r for r in vendor_rules.vendor_rules() if r.name not in named)
        _forget_the_rules()
        with patch.object(vendor_rules, "vendor_rules", lambda: left):
            recall, precision, notes = measure(rows)
            print(f"without their vendor rules: recall {recall:.4f}  precision {precision:.4f}")
            missed = Counter(note.split(":")[0] for note in notes)
            print("; ".join(f"{name} {count}" for name, count in missed.most_common(40)))
            if "--verbose" in arguments:
                print("\n".join(notes))
        _forget_the_rules()
    if len(paths) > 1:
        rate, median, cut = prose(paths[1])
        print(
            f"prose: {rate:.2f} redactions per 100 KB, median {median:.2f} ms for 2,000 characters"
        )
        print("\n".join(cut[:40]))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
