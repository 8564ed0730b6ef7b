"""Known errors carry a sentence and an exit code."""

import tomllib

from desktop import errors, paths
from desktop.errors import KnownError, exit_code, sentence


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
        "file": None,
        "row": 3,
        "column": None,
    }


def test_every_code_has_a_number_of_its_own_and_only_codes_have_one() -> None:
    tables = tomllib.loads(paths.resource("hn.toml").read_text(encoding="utf-8"))
    numbers = {code: entry["hn"] for table in tables.values() for code, entry in table.items()}
    assert numbers.keys() == errors.known_codes()
    assert len(set(numbers.values())) == len(numbers)
    assert all(1 <= number <= 999 for number in numbers.values())
