"""What git set side by side in a text is taken apart again, or the text is left as it is."""

from __future__ import annotations

import pytest

from store.merge.markers import Versions, split_markers

TWO = "a\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> topic\nd\n"
THREE = "<<<<<<< HEAD\nb\n||||||| 1a2b3c\no\n=======\nc\n>>>>>>> topic\n"


@pytest.mark.parametrize(
    ("text", "versions"),
    [
        (TWO, Versions(None, "a\nb\nd\n", "a\nc\nd\n")),
        (THREE, Versions("o\n", "b\n", "c\n")),
        (THREE + "x\n" + THREE, Versions("o\nx\no\n", "b\nx\nb\n", "c\nx\nc\n")),
        # A base that one of several conflicts does not tell is none.
        (TWO + THREE, Versions(None, "a\nb\nd\nb\n", "a\nc\nd\nc\n")),
        (THREE + TWO, Versions(None, "b\na\nb\nd\n", "c\na\nc\nd\n")),
        (TWO.replace("\n", "\r\n"), Versions(None, "a\r\nb\r\nd\r\n", "a\r\nc\r\nd\r\n")),
        ("<<<<<<<\n=======\nc\n>>>>>>>\n", Versions(None, "", "c\n")),
        ("<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> topic", Versions(None, "b\n", "c\n")),
        # What stands where no marker can is text, such as a line under a heading.
        ("a\n=======\n" + TWO, Versions(None, "a\n=======\na\nb\nd\n", "a\n=======\na\nc\nd\n")),
        (
            "||||||| x\n>>>>>>> x\n" + THREE,
            Versions(*(f"||||||| x\n>>>>>>> x\n{it}\n" for it in "obc")),
        ),
        (TWO.replace("b\n", "<<<<<<< x\n"), Versions(None, "a\n<<<<<<< x\nd\n", "a\nc\nd\n")),
        (TWO.replace("b\n", ">>>>>>> x\n"), Versions(None, "a\n>>>>>>> x\nd\n", "a\nc\nd\n")),
        (TWO.replace("c\n", "=======\n"), Versions(None, "a\nb\nd\n", "a\n=======\nd\n")),
        (TWO.replace("c\n", "||||||| x\n"), Versions(None, "a\nb\nd\n", "a\n||||||| x\nd\n")),
        (THREE.replace("o\n", "||||||| x\n"), Versions("||||||| x\n", "b\n", "c\n")),
        (THREE.replace("o\n", ">>>>>>> x\n"), Versions(">>>>>>> x\n", "b\n", "c\n")),
    ],
)
def test_each_side_has_its_lines_and_those_outside(text: str, versions: Versions) -> None:
    assert split_markers(text) == versions


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a\nb\n",
        "<<<<<<<< eight\na\n",
        " <<<<<<< HEAD\nb\n =======\nc\n >>>>>>> topic\n",
        "<<<<<<< HEAD\nb\n=======\nc\n",
        "<<<<<<< HEAD\nb\n",
    ],
)
def test_without_whole_markers_there_are_no_versions(text: str) -> None:
    assert split_markers(text) is None
