"""What any way out must do, and how it says that it can't."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol

from desktop.domain.work_request import OutboxItem
from desktop.errors import KnownError


class Trouble(StrEnum):
    """Whose trouble it is: the way's for now, the way's until IT acts, this item's for now, this item's for good."""

    UNREACHABLE = "unreachable"
    NOT_ALLOWED = "not_allowed"
    ITEM = "item"
    ITEM_FOR_GOOD = "item_for_good"


class SendFailure(KnownError):
    """An item or all of them can't go now; nothing is lost. `reason` fills the sentence."""

    def __init__(self, trouble: Trouble, code: str, reason: str = "") -> None:
        super().__init__(code, reason=reason)
        self.trouble = trouble
        self.reason = reason


@dataclass(frozen=True, slots=True)
class PlantReceipt:
    """The plant's word on one item: accepted with its `number`, or refused with its `reason`; `body` as it came."""

    accepted: bool
    sha256: str
    number: str
    reason: str
    body: Mapping[str, Any]


class Transport(Protocol):
    """A way out. Every method may raise SendFailure; sending the same item twice must do no harm."""

    def prepare(self) -> None:
        """Proves at the start of a round that the way is open."""

    def send(self, item: OutboxItem) -> None:
        """Returns when the item is safe at the other end."""

    def receipt(self, item: OutboxItem) -> PlantReceipt | None:
        """What the plant has answered to this item, if it has."""
