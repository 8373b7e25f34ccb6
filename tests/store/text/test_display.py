"""What memory's text looks like on a terminal."""

from __future__ import annotations

import re
import sys

import pytest

from store.text import display
from store.text.display import HIDDEN, UNKNOWN, visible


@pytest.mark.parametrize(
    "plain",
    [
        "",
        "Chose per-issue JSON files.\n\n- one\n- two",
        "日本語のメモ、中文、한국어",
        "Zoë naïve e\u0301",
        "\U0001f469\u200d\U0001f4bb \u2764\ufe0f \U0001f3f3\ufe0f\u200d\U0001f308",
        "\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f",
        "می\u200cخواهم क्\u200dष",
        "شكرا לך",
        "[bold]markup[/bold]",
    ],
)
def test_what_only_reads_is_unchanged(plain: str) -> None:
    assert visible(plain) == plain


@pytest.mark.parametrize(
    ("hostile", "shown"),
    [
        ("\x1b[2J", "␛[2J"),
        ("\x1b]52;c;aGk=\x07", "␛]52;c;aGk=␇"),
        ("a\x00b\x7f", "a␀b␡"),
        ("\x9b31m", f"{UNKNOWN}31m"),
        ("one\r\ntwo", "one \ntwo"),
        ("over\rwritten", "over␍written"),
        ("a\tb", "a b"),
        ("a\u2028b\u2029c\x85d\x0be", "a\nb\nc\nd\ne"),
        ("user\u202egpj.exe", f"user{HIDDEN}gpj.exe"),
        ("a\u2066b\u2069", f"a{HIDDEN}b{HIDDEN}"),
        ("pass\u200bword", f"pass{HIDDEN}word"),
        ("a\u200db", f"a{HIDDEN}b"),
        ("\ufefftext", f"{HIDDEN}text"),
        ("a\ud83db", f"a{UNKNOWN}b"),
        ("x\U000e0041\U000e0042", f"x{HIDDEN}{HIDDEN}"),
        ("x\ufe0f\ufe0e", f"x{HIDDEN}{HIDDEN}"),
    ],
)
def test_what_would_act_is_shown(hostile: str, shown: str) -> None:
    assert visible(hostile) == shown


def test_nothing_that_would_act_passes_for_printable() -> None:
    everything = "".join(map(chr, range(sys.maxunicode + 1)))
    suspects = re.findall(display._SUSPECT, everything)
    assert [hex(ord(it)) for it in suspects if visible(f"… {it}") == f"… {it}"] == []
