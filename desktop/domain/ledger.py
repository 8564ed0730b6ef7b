"""The equipment ledger, manuals, maintenance records, parts and people, as values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum

from desktop.domain.text import fold_code


class EquipmentStatus(StrEnum):
    """What the ledger says of a machine; the value is the word on screen."""

    RUNNING = "稼働"
    AT_REST = "休止"
    RETIRED = "廃止"


@dataclass(frozen=True, slots=True)
class Equipment:
    """One machine of the ledger; `equipment_id` as printed, `original` the source row's cells by column name."""

    equipment_id: str
    name: str
    model: str = ""
    line: str = ""
    location: str = ""
    owner: str = ""
    status: EquipmentStatus = EquipmentStatus.RUNNING
    nicknames: tuple[str, ...] = ()
    maker: str = ""
    serial: str = ""
    installed_on: date | None = None
    rank: str = ""
    energies: tuple[str, ...] = ()
    isolation_points: tuple[str, ...] = ()
    maker_phone: str = ""
    on_call_phone: str = ""
    original: Mapping[str, str] = field(default_factory=dict)

    @property
    def folded(self) -> str:
        """The id's search form: EQ-003, ＥＱ００３ and eq 003 are one."""
        return fold_code(self.equipment_id)

    @property
    def ref(self) -> str:
        return f"ledger:{self.equipment_id}"


@dataclass(frozen=True, slots=True)
class AppliesTo:
    """Which machines a manual is for: ids, serials from-to (inclusive, "" = open), model series; empty = unknown."""

    equipment_ids: tuple[str, ...] = ()
    serial_from: str = ""
    serial_to: str = ""
    series: tuple[str, ...] = ()

    @property
    def known(self) -> bool:
        return bool(self.equipment_ids or self.serial_from or self.serial_to or self.series)


@dataclass(frozen=True, slots=True)
class Manual:
    """One manual in one revision; `manual_id` is unique in a snapshot, `file_sha256` names the kept original."""

    manual_id: str
    models: tuple[str, ...]
    title: str
    revision: str = ""
    old_revision: bool = False
    applies_to: AppliesTo = field(default_factory=AppliesTo)
    file_name: str = ""
    file_sha256: str = ""
    media_type: str = ""
    n_pages: int | None = None
    pages_without_text: tuple[int, ...] = ()
    cloud_allowed: bool = False


@dataclass(frozen=True, slots=True)
class ManualSection:
    """A part of a manual under one heading, or one row of its error table.

    `ref` is `manual:<manual_id>#<section>`; `page` counts from 1, `page_label` is what is printed on it;
    `codes` are the error codes this section is about, as printed (ranges and wildcards included).
    """

    ref: str
    manual_id: str
    models: tuple[str, ...]
    heading_path: tuple[str, ...]
    body: str
    ordinal: int
    page: int | None = None
    page_label: str | None = None
    revision: str = ""
    old_revision: bool = False
    codes: tuple[str, ...] = ()
    read_by_ocr: bool = False

    @property
    def heading(self) -> str:
        return self.heading_path[-1] if self.heading_path else ""


@dataclass(frozen=True, slots=True)
class MaintenanceRecord:
    """One entry of the maintenance log; `downtime_minutes` None = not written; `made_here` = added on this PC."""

    record_id: str
    equipment_id: str
    date: date | None
    error_code: str = ""
    symptom: str = ""
    cause: str = ""
    action: str = ""
    parts: str = ""
    downtime_minutes: int | None = None
    worker: str = ""
    made_here: bool = False
    original: Mapping[str, str] = field(default_factory=dict)

    @property
    def ref(self) -> str:
        return f"record:{self.record_id}"


@dataclass(frozen=True, slots=True)
class Part:
    """A spare part as the stock list has it; `quantity` counts pieces as of `as_of`."""

    part_number: str
    name: str
    models: tuple[str, ...] = ()
    shelf: str = ""
    quantity: int | None = None
    as_of: date | None = None


@dataclass(frozen=True, slots=True)
class OpenOrder:
    """Work the plant has already ordered for a machine."""

    number: str
    equipment_id: str
    title: str
    state: str = ""
    promised_on: date | None = None


class Role(StrEnum):
    """What a person may do; the value is the roster's word."""

    OPERATOR = "作業者"
    MAINTENANCE = "保全"
    LEADER = "班長"
    SUPERVISOR = "保全課長"


APPROVER_ROLES = frozenset({Role.LEADER, Role.SUPERVISOR})


@dataclass(frozen=True, slots=True)
class Person:
    """Someone of the roster; `lines` empty = every line; the PIN never appears here."""

    person_id: str
    name: str
    role: Role
    lines: tuple[str, ...] = ()
    phone: str = ""

    @property
    def may_approve(self) -> bool:
        return self.role in APPROVER_ROLES
