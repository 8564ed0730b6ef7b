"""Rows of a table as values of its kind; what can't be read stays as written and is reported with its row."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date

from desktop.domain.ledger import Equipment, EquipmentStatus, MaintenanceRecord, OpenOrder, Part, Person, Role
from desktop.domain.text import fold, fold_code
from desktop.importing import cells
from desktop.importing.dates import DateOrder, parse_date
from desktop.importing.request import Kind, RowProblem
from desktop.importing.values import RosterRow, Synonym, Value

_RUNNING = re.compile(r"\d{1,5}")


@dataclass(frozen=True, slots=True)
class Entry:
    """One row by field: `given` trimmed cells, `original` every named cell as printed, `names` field -> column."""

    row: int
    given: Mapping[str, str]
    original: Mapping[str, str]
    names: Mapping[str, str]
    label: str = ""


@dataclass(slots=True)
class Reading:
    """What all rows of one table share: its name, date orders and units by field, ids already met, problems so far."""

    name: str = ""
    orders: Mapping[str, DateOrder] = field(default_factory=dict)
    units: Mapping[str, str] = field(default_factory=dict)
    problems: list[RowProblem] = field(default_factory=list)
    seen: dict[str, int] = field(default_factory=dict)
    made_ids: Counter[str] = field(default_factory=Counter)

    def kept(self, entry: Entry, name: str, why: str) -> None:
        """A value that stays as written."""
        self.problems.append(
            RowProblem(entry.row, f"{why}：{entry.given.get(name, '')[:40]}", entry.names.get(name, ""))
        )

    def day(self, entry: Entry, name: str) -> date | None:
        text = entry.given.get(name, "")
        if cells.is_nothing(text):
            return None
        found = parse_date(text, self.orders.get(name, DateOrder.UNKNOWN))
        if found is None:
            self.kept(entry, name, "日付として読めません（書かれたまま残します）")
        return found

    def refuse(self, entry: Entry, why: str, name: str = "") -> None:
        self.problems.append(RowProblem(entry.row, why, entry.names.get(name, "")))


def reader_of(kind: Kind) -> Callable[[Entry, Reading], Value | None]:
    """The function that makes a row of this kind a value; None = refused, with its reason in the problems."""
    return {
        Kind.LEDGER: equipment,
        Kind.RECORD: record,
        Kind.ROSTER: person,
        Kind.PART: part,
        Kind.OPEN_ORDER: open_order,
        Kind.SYNONYM: synonym,
    }[kind]


def equipment(entry: Entry, reading: Reading) -> Equipment | None:
    given = entry.given
    if not any(text for name, text in given.items() if name != "equipment_id"):
        reading.refuse(entry, "設備IDのほかに何も書かれていません", "equipment_id")
        return None
    equipment_id = _new_id(entry, reading, "equipment_id", "設備ID")
    if equipment_id is None:
        return None
    return Equipment(
        equipment_id=equipment_id,
        name=given.get("name", "") or given.get("model", ""),
        model=_text(given, "model"),
        line=given.get("line", "") or entry.label,
        location=given.get("location", ""),
        owner=given.get("owner", ""),
        status=_status(entry, reading),
        nicknames=cells.split_list(given.get("nicknames", "")),
        maker=given.get("maker", ""),
        serial=given.get("serial", ""),
        installed_on=reading.day(entry, "installed_on"),
        rank=given.get("rank", ""),
        energies=cells.split_entries(given.get("energies", "")),
        isolation_points=cells.split_entries(given.get("isolation_points", "")),
        maker_phone=given.get("maker_phone", ""),
        on_call_phone=given.get("on_call_phone", ""),
        original=entry.original,
    )


def record(entry: Entry, reading: Reading) -> MaintenanceRecord | None:
    given = entry.given
    machine = given.get("equipment_id", "")
    if not machine and not given.get("equipment_name"):
        reading.refuse(entry, "どの設備の記録か書かれていません", "equipment_id")
        return None
    if not any(given.get(name) for name in ("symptom", "cause", "action", "error_code")):
        reading.refuse(entry, "現象も原因も処置も書かれていません", "symptom")
        return None
    day = reading.day(entry, "date")
    record_id = _record_id(entry, reading)
    if not _first_time(entry, reading, record_id, "record_id"):
        return None
    _warn_ruined(entry, reading, "error_code")
    return MaintenanceRecord(
        record_id=record_id,
        equipment_id=machine,
        date=day,
        error_code="" if cells.is_nothing(given.get("error_code", "")) else given["error_code"],
        symptom=given.get("symptom", ""),
        cause=_text(given, "cause"),
        action=_text(given, "action"),
        parts=_text(given, "parts"),
        downtime_minutes=_downtime(entry, reading),
        worker=given.get("worker", ""),
        original=entry.original,
    )


def person(entry: Entry, reading: Reading) -> RosterRow | None:
    given = entry.given
    person_id = _new_id(entry, reading, "person_id", "社員番号")
    if person_id is None:
        return None
    role = cells.role_of(given.get("role", ""))
    if role is None:
        reading.kept(entry, "role", "役割が分からないので作業者として扱います")
    who = Person(
        person_id,
        given.get("name", "") or person_id,
        role or Role.OPERATOR,
        cells.split_list(given.get("lines", "")),
        given.get("phone", ""),
    )
    return RosterRow(who, given.get("pin", ""))


def part(entry: Entry, reading: Reading) -> Part | None:
    given = entry.given
    number = _new_id(entry, reading, "part_number", "部品番号")
    if number is None:
        return None
    quantity = cells.whole_number(given.get("quantity", ""))
    if quantity is None and not cells.is_nothing(given.get("quantity", "")):
        reading.kept(entry, "quantity", "数として読めません（空欄にします）")
    return Part(
        number,
        given.get("name", ""),
        cells.split_list(given.get("models", "")),
        given.get("shelf", ""),
        quantity,
        reading.day(entry, "as_of"),
    )


def open_order(entry: Entry, reading: Reading) -> OpenOrder | None:
    given = entry.given
    if not given.get("equipment_id"):
        reading.refuse(entry, "どの設備の手配か書かれていません", "equipment_id")
        return None
    number = _new_id(entry, reading, "number", "番号")
    if number is None:
        return None
    return OpenOrder(
        number, given["equipment_id"], given.get("title", ""), given.get("state", ""), reading.day(entry, "promised_on")
    )


def synonym(entry: Entry, reading: Reading) -> Synonym | None:
    word, others = entry.given.get("word", ""), cells.split_list(entry.given.get("synonyms", ""))
    if not word or not others:
        reading.refuse(entry, "用語または同義語がありません", "word")
        return None
    return Synonym(word, others)


def _new_id(entry: Entry, reading: Reading, name: str, shown: str) -> str | None:
    """The row's id as printed; None (and reported) when it is missing, unusable or here already."""
    text = entry.given.get(name, "")
    if not text or cells.is_excel_error(text) or not fold_code(text):
        reading.refuse(entry, f"{shown}がありません", name)
        return None
    _warn_ruined(entry, reading, name)
    return text if _first_time(entry, reading, text, name) else None


def _first_time(entry: Entry, reading: Reading, text: str, name: str) -> bool:
    before = reading.seen.setdefault(fold_code(text) or text, entry.row)
    if before != entry.row:
        reading.refuse(entry, f"同じ番号が{before}行目にあります：{text}", name)
    return before == entry.row


def _warn_ruined(entry: Entry, reading: Reading, name: str) -> None:
    if cells.is_ruined_number(entry.given.get(name, "")):
        reading.kept(entry, name, "Excelが指数表記にした番号です。元の桁は失われています")


def _record_id(entry: Entry, reading: Reading) -> str:
    """The number as printed; a bare running number is unique only in its list, so it takes the list's name along."""
    number = entry.given.get("record_id", "")
    if not number:
        return _made_id(entry, reading)
    return f"{reading.name}-{number}" if _RUNNING.fullmatch(number) else number


def _made_id(entry: Entry, reading: Reading) -> str:
    """An id from what the row says, so that the next import of the same row gives the same."""
    given = entry.given
    told = ("equipment_id", "equipment_name", "line", "date", "error_code", "symptom", "cause", "action", "worker")
    key = "\x1f".join(fold(given.get(name, "")) for name in told)
    reading.made_ids[key] += 1
    digest = hashlib.sha256(f"{key}\x1f{reading.made_ids[key]}".encode()).hexdigest()
    return f"R-{digest[:10]}"


def _status(entry: Entry, reading: Reading) -> EquipmentStatus:
    text = entry.given.get("status", "")
    if cells.is_nothing(text):
        return EquipmentStatus.RUNNING
    state = cells.state_of(text)
    if state is None:
        reading.kept(entry, "status", "状態が分からないので稼働として扱います")
    return state or EquipmentStatus.RUNNING


def _downtime(entry: Entry, reading: Reading) -> int | None:
    text = entry.given.get("downtime_minutes", "")
    if cells.is_nothing(text):
        return None
    found = cells.minutes(text, reading.units.get("downtime_minutes", ""))
    if found is None or found < 0:
        reading.kept(entry, "downtime_minutes", "時間として読めません（書かれたまま残します）")
        return None
    return found


def _text(given: Mapping[str, str], name: str) -> str:
    """The cell, "" for the ways to write that there is nothing."""
    text = given.get(name, "")
    return "" if cells.is_nothing(text) else text
