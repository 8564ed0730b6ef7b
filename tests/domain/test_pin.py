"""PINs that may be used, and how dear a guess is."""

import hashlib
import hmac

import pytest

from desktop.domain import pin
from desktop.errors import KnownError


@pytest.mark.parametrize("good", ["482913", "730584", "１２９４５６", " 284706 ", "907163548201"])
def test_good_pins(good: str) -> None:
    pin.require_good(good)


@pytest.mark.parametrize(
    "bad",
    ["", "48291", "123456", "654321", "890123", "210987", "111111", "121212", "48a913", "4829-13", "1" * 13, "٣٤٥٦٧٨"],
)
def test_runs_repeats_and_what_is_no_pin_are_refused(bad: str) -> None:
    with pytest.raises(KnownError) as refused:
        pin.require_good(bad)
    assert refused.value.code == "pin_too_simple"


def test_a_kept_pin_costs_what_the_house_asks_and_opens_only_with_pin_and_pepper() -> None:
    kept = pin.keep("482913", b"pepper")
    assert kept.cost == pin.COST >= 2**16
    assert pin.matches("４８２９１３", kept, b"pepper")
    assert not pin.matches("482914", kept, b"pepper")
    assert not pin.matches("482913", kept, b"")
    assert b"482913" not in kept.digest + kept.salt
    assert "482913" not in repr(kept)


def test_it_is_scrypt_of_the_peppered_digits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pin, "COST", 2**4)
    kept = pin.keep("482913", b"p")
    peppered = hmac.digest(b"p", b"482913", "sha256")
    assert kept.digest == hashlib.scrypt(peppered, salt=kept.salt, n=2**4, r=8, p=1)
    assert pin.keep("482913", b"p").salt != kept.salt


def test_minted_pins_are_good_and_differ() -> None:
    minted = {pin.mint() for _ in range(20)}
    assert len(minted) == 20
    for each in minted:
        pin.require_good(each)
