"""Known errors carry a sentence and an exit code."""

import re
import tomllib
from collections.abc import Mapping
from typing import Any

import pytest

from desktop import errors, paths
from desktop.errors import KnownError, exit_code, for_it, sentence

_LONGEST = {"ja": 90, "en": 130}  # characters; IT reads it over the phone
# What only IT's line says, of failures that nobody at the screen can mend; their own tests see it filled.
_FOR_IT_ALONE = {
    "settings_unreadable": {"reason"},
    "policy_unreadable": {"file", "reason"},
    "policy_setting_unknown": {"file", "key"},
    "policy_wrong_value": {"file", "key", "value", "expected"},
}
_PLACEHOLDER = re.compile(r"{(\w+)}")


def by_code(name: str) -> Mapping[str, Any]:
    tables = tomllib.loads(paths.resource(name).read_text(encoding="utf-8"))
    return {code: entry for table in tables.values() for code, entry in table.items()}


def test_a_known_error_speaks_both_languages_and_gives_the_contracts_object() -> None:
    error = KnownError("setting_wrong_value", key="traces", value="'loud'", expected="off / metadata / full", row=3)
    assert "traces" in sentence(error)
    assert "使えません" in sentence(error)
    assert "can't be 'loud'" in sentence(error, "en")
    assert exit_code(error) == 3
    assert error.to_json() == {
        "code": "setting_wrong_value",
        "hn": "HN-032",
        "message": sentence(error),
        "for_it": for_it(error),
        "file": None,
        "row": 3,
        "column": None,
    }


def test_every_code_has_a_number_of_its_own_and_only_codes_have_one() -> None:
    numbers = {code: entry["hn"] for code, entry in by_code("hn.toml").items()}
    assert numbers.keys() == errors.known_codes()
    assert len(set(numbers.values())) == len(numbers)
    assert all(1 <= number <= 899 for number in numbers.values()), "900 and above are the Event Log's own"


@pytest.mark.parametrize("language", errors.LANGUAGES)
def test_its_line_is_there_is_short_and_is_filled_by_what_fills_the_sentence(language: str) -> None:
    sentences = by_code(f"messages.{language}.toml")
    for code, entry in by_code("hn.toml").items():
        line = entry[language]
        assert 0 < len(line) <= _LONGEST[language], code
        assert "\n" not in line, code
        known = set(_PLACEHOLDER.findall(sentences[code]["text"])) | _FOR_IT_ALONE.get(code, set())
        assert set(_PLACEHOLDER.findall(line)) <= known, code


def test_it_is_not_concerned_exactly_where_its_line_says_so() -> None:
    for code, entry in by_code("hn.toml").items():
        told = re.fullmatch("利用者の.*対応は不要。", entry["ja"]) is not None
        assert errors.concerns_it(code) is not told, code


@pytest.mark.parametrize("code", ["journal_corrupt", "journal_vanished", "journal_migration_failed"])
def test_a_sentence_without_a_copy_reads_well(code: str) -> None:
    error = KnownError(code, file="j", copy="", mark="m", reason="r")
    assert "写し：なし" in sentence(error)
    assert ": none)" in sentence(error, "en")


def test_its_line_begins_with_the_number_and_is_filled() -> None:
    error = KnownError("net_name_unknown", host="api.example.jp")
    assert for_it(error).startswith("HN-204 この PC から nslookup api.example.jp を")
    assert for_it(error, "en").startswith("HN-204 Try nslookup api.example.jp")
