"""What commands do to files, one after the other, and what git and a patch say of them."""

from __future__ import annotations

import pytest

from store.capture.steps.shell import (
    FileDone,
    commands_in,
    commit_message,
    files_done,
    files_shown,
    patched_files,
)


@pytest.mark.parametrize(
    ("command", "done"),
    [
        ("cd a && cd b && rm x.py", [("a/b/x.py", "deleted")]),
        ("cd a; cd /b; rm x.py", [("/b/x.py", "deleted")]),
        ("cd 'a' && rm -f x.py y.py", [("a/x.py", "deleted"), ("a/y.py", "deleted")]),
        ("A=1 B=2 sudo rm x.py", [("x.py", "deleted")]),
        ("rm *.py $x `y`", []),
        ("mv a.py b.py", [("a.py", "deleted"), ("b.py", "moved")]),
        ("mv a.py web", [("a.py", "deleted"), ("web/a.py", "moved")]),
        ("mv a.py web/b.d/", [("a.py", "deleted"), ("web/b.d/a.py", "moved")]),
        (
            "git mv a.py b/c.py web.d",
            [
                ("a.py", "deleted"),
                ("web.d/a.py", "moved"),
                ("b/c.py", "deleted"),
                ("web.d/c.py", "moved"),
            ],
        ),
        ("mv a b", [("a", "deleted"), ("b", "moved")]),
        ("mv a.py", []),
        ("cp a.py b.py", [("b.py", "created")]),
        ("cp a.py b.py web", []),
        ("git rm --cached a.py", []),
        ("git rm a.py", [("a.py", "deleted")]),
        ("git add . a.py src", [("a.py", "modified")]),
        ("touch a.py b.py", [("a.py", "created"), ("b.py", "created")]),
        ("x | tee a.txt /dev/null", [("a.txt", "modified")]),
        ("echo x > a.txt; echo y >> b.txt 2>&1", [("a.txt", "modified"), ("b.txt", "modified")]),
        ("x > /dev/null 2> b.log", []),
        ("sed -i s/a/b/ x.py", [("x.py", "modified")]),
        ("sed -n 3p x.py", []),
        ("perl -pi -e s/a/b/ x.py y.py", [("y.py", "modified")]),
        ("pip install 'x>=2' > a.txt", [("a.txt", "modified")]),
        ("cat > a.py <<EOF\nrm b.py\nEOF\nrm c.py", [("a.py", "modified"), ("c.py", "deleted")]),
        ("rm 'a.py", []),
    ],
)
def test_what_a_command_does_to_which_files(command: str, done: list[tuple[str, str]]) -> None:
    assert list(files_done(command)) == [FileDone(*it) for it in done]


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        ("cat a.py b.py", ["a.py", "b.py"]),
        ("cd a && cd b && cat c.py", ["a/b/c.py"]),
        ("grep -rn till.py src/a.py", ["src/a.py"]),
        ("sed -n 1,9p a.py | head -3", ["a.py"]),
        ("ls a.py; tail -f a.log", ["a.log"]),
        ("cat <<EOF\ncat a.py\nEOF", []),
    ],
)
def test_which_files_a_command_prints(command: str, shown: list[str]) -> None:
    assert list(files_shown(command)) == shown


@pytest.mark.parametrize(
    ("line", "commands"),
    [
        ("cd a && make b; cd c && make d", [("a", "make b"), ("a/c", "make d")]),
        ("time make a | tail -3 && make b > x.log 2>&1", [("", "make a"), ("", "make b")]),
        ("export A=1; echo x; sleep 3; # so\nmake a || true", [("", "make a")]),
        ("sudo timeout 9s make a &", [("", "make a")]),
        ("make a <<EOF\nmake b\nEOF\nmake c", [("", "make a"), ("", "make c")]),
    ],
)
def test_the_commands_that_a_line_runs_one_after_the_other(
    line: str, commands: list[tuple[str, str]]
) -> None:
    assert list(commands_in(line)) == commands


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("git commit -m 'One' -m 'Two'", "One"),
        ('git add . && git commit -am "One\nBody"', "One"),
        ("git commit --message='One'", "One"),
        ("git commit -m \"$(cat <<'EOF'\nOne\n\nBody\nEOF\n)\"", "One"),
        ("git commit --amend --no-edit", ""),
        ('git commit -m "$(cat message)"', ""),
        ("make commit -m 'One'", ""),
        ("git log -m 'One'", ""),
    ],
)
def test_the_first_line_of_a_commit(command: str, message: str) -> None:
    assert commit_message(command) == message


def test_what_a_patch_names() -> None:
    parts = ("Add File: a.py", "Update File: b.py", "Move to: c.py", "Delete File: d.py")
    patch = "".join(f"*** {part}\n+x\n" for part in parts)
    assert [it.how for it in patched_files(patch)] == ["created", "modified", "moved", "deleted"]
