"""Equal values have equal bytes."""

import pytest

from desktop.domain.canonical import canonical, clean_text


def test_order_and_spacing_do_not_matter_and_japanese_stays_readable() -> None:
    assert canonical({"b": 1, "a": ["充填機", None]}) == '{"a":["充填機",null],"b":1}'.encode()


def test_what_has_no_one_way_to_write_it_is_our_mistake() -> None:
    with pytest.raises(ValueError, match="JSON compliant"):
        canonical(float("nan"))


def test_clean_text_keeps_lines_and_drops_what_poisons_a_queue() -> None:
    assert clean_text("一行目\r\n\t二行目\x00\x1b[31m\ud83d終\x7f") == "一行目\n\t二行目[31m終"
