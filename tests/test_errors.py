"""Known errors carry a sentence and an exit code."""

from desktop.errors import KnownError, exit_code, sentence


def test_a_known_error_speaks_both_languages_and_gives_the_contracts_object() -> None:
    error = KnownError("setting_wrong_value", key="traces", value="'loud'", expected="off / metadata / full", row=3)
    assert "traces" in sentence(error)
    assert "使えません" in sentence(error)
    assert "can't be 'loud'" in sentence(error, "en")
    assert exit_code(error) == 3
    assert error.to_json() == {
        "code": "setting_wrong_value",
        "message": sentence(error),
        "file": None,
        "row": 3,
        "column": None,
    }
