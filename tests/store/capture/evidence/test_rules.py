"""Standing rules: plain orders of the person, in six languages."""

from __future__ import annotations

import pytest

from tests.store.capture.evidence.found import found


@pytest.mark.parametrize(
    "rule",
    [
        "Never log the card number.",
        "Please always run the linter before a commit.",
        "From now on write the tests first.",
        "You should never push to main.",
        "Don't add emojis to commit messages again.",
        "We never delete rows, we archive them.",
        "Errors must always name the file.",
        "Nunca registres el número de tarjeta.",
        "A partir de ahora escribe primero las pruebas.",
        "Nunca registre o número do cartão.",
        "Sempre rode os testes antes do commit.",
        "Protokolliere niemals die Kartennummer.",
        "Ab jetzt zuerst die Tests schreiben.",
        "Ne journalise jamais le numéro de carte.",
        "Désormais, écris les tests d'abord.",
        "绝对不要把卡号写入日志。",
        "以后先写测试再写代码。",
    ],
)
def test_rules(rule: str) -> None:
    assert found(f"USER Mend the till of the shop. {rule}\n", "rules") == [("lesson", rule)]


@pytest.mark.parametrize(
    "said",
    [
        "The upload never returns.",
        "Why does it always fail on Windows?",
        "It has never worked on my machine.",
        "Nevermind, I found it.",
        "Don't push this branch for now.",
        "In the future we may need a cache, I always thought so",
        "Le test échoue toujours.",
        "Der Test schlägt immer fehl.",
        "La prueba siempre falla.",
        "它总是失败。",
    ],
)
def test_no_rules(said: str) -> None:
    assert found(f"USER {said}\n", "rules") == []


def test_who_says_it() -> None:
    assert found("USER Look\nAGENT Never log the card number.\n", "rules") == []
    pasted = "Never log the card number. " + "It is long. " * 200
    assert found(f"USER {pasted}\n", "rules") == []


@pytest.mark.parametrize(
    ("said", "rules"),
    [
        (
            "Never touch a.py, the generator overwrites it",
            ["Never touch a.py, the generator overwrites it"],
        ),
        ("let me test this first", []),
    ],
)
def test_words_at_a_refusal(said: str, rules: list[str]) -> None:
    refused = f"REFUSED Edit {{}}\nThe user doesn't want to proceed. the user said:\n{said}\n"
    assert found(refused, "rules") == [("lesson", rule) for rule in rules]
