"""Single cells as values: lists, whole numbers, minutes, and the words a plant uses for states and roles."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import TypeVar

from desktop.domain.ledger import EquipmentStatus, Role

T = TypeVar("T")
_OUTSIDE = re.compile(r"[;；、,，\n/／・|](?![^(（]*[)）])")
_NUMBER = re.compile(r"[-+]?\d{1,3}(?:,\d{3})+(?:\.\d+)?|[-+]?\d+(?:\.\d+)?")
_EXPONENT = re.compile(r"\d(?:\.\d+)?E[+-]?\d{2,}$", re.IGNORECASE)
_CLOCK = re.compile(r"(\d{1,4}):([0-5]\d)(?::[0-5]\d)?$")
_PARTS = re.compile(
    r"(?:(\d+(?:\.\d+)?)\s*(?:日|d))?\s*(?:(\d+(?:\.\d+)?)\s*(?:時間|h(?:r|ours?)?))?\s*(?:(\d+(?:\.\d+)?)\s*(?:分|m(?:in(?:utes?)?)?))?$",
    re.IGNORECASE,
)
_EXCEL_ERRORS = frozenset({"#N/A", "#REF!", "#VALUE!", "#DIV/0!", "#NAME?", "#NUM!", "#NULL!", "#SPILL!"})
_LONGEST_NOTHING = 12
_NOTHING = frozenset(
    {"", "-", "－", "―", "ー", "—", "–", "なし", "無し", "無", "n/a", "na", "none", "null", "未記入", "不明"}
)

STATES = {
    EquipmentStatus.RUNNING: (
        "稼働", "稼働中", "運転", "運転中", "使用", "使用中", "現役", "○", "running", "active", "operational", "in use",
    ),
    EquipmentStatus.AT_REST: (
        "休止", "休止中", "停止", "停止中", "休転", "遊休", "予備", "待機", "保管", "idle", "standby", "stopped",
        "inactive",
    ),
    EquipmentStatus.RETIRED: (
        "廃止", "廃棄", "廃却", "撤去", "撤去済", "除却", "売却", "使用禁止", "×", "retired", "scrapped", "disposed",
    ),
}  # fmt: skip
ROLES = {
    Role.OPERATOR: ("作業者", "作業員", "オペレータ", "オペレーター", "運転員", "製造", "operator"),
    Role.MAINTENANCE: (
        "保全", "保全員", "保全担当", "保全担当者", "設備保全", "保守", "工務", "maintenance", "technician",
    ),
    Role.LEADER: ("班長", "組長", "職長", "リーダー", "リーダ", "チームリーダー", "係長", "主任", "leader", "foreman"),
    Role.SUPERVISOR: ("保全課長", "課長", "保全係長", "部長", "工場長", "管理者", "supervisor", "manager"),
}  # fmt: skip


def shaped(text: str) -> str:
    """NFKC, single spaces, trimmed."""
    return " ".join((text if text.isascii() else unicodedata.normalize("NFKC", text)).split())


def is_nothing(text: str) -> bool:
    """Blank, a dash, なし: the plant's ways to write that there is nothing."""
    return len(text) <= _LONGEST_NOTHING and shaped(text).lower() in _NOTHING


def is_excel_error(text: str) -> bool:
    return "#" in text and text.strip() in _EXCEL_ERRORS


def is_ruined_number(text: str) -> bool:
    """An id that Excel turned into 1.23E+11: its digits are gone."""
    return bool(_EXPONENT.fullmatch(text.strip()))


def split_list(text: str) -> tuple[str, ...]:
    """Entries separated by ; 、 , / ・ or line breaks, but not inside parentheses."""
    parts = (part.strip(" 　") for part in _OUTSIDE.split(text))
    return tuple(part for part in parts if part and not is_nothing(part))


def split_entries(text: str) -> tuple[str, ...]:
    """As `split_list`, where "/" and "・" belong to the words (r/min, A・B盤)."""
    parts = (part.strip(" 　") for part in re.split(r"[;；、,，\n](?![^(（]*[)）])", text))
    return tuple(part for part in parts if part and not is_nothing(part))


def whole_number(text: str) -> int | None:
    """12, 1,200, １２個; None when there is no number or more than one."""
    found = _NUMBER.findall(shaped(text))
    if len(found) != 1 or shaped(text)[: shaped(text).find(found[0])].strip():
        return None
    number = float(found[0].replace(",", ""))
    return int(number) if number == int(number) else None


def minutes(text: str, unit: str) -> int | None:
    """A duration in whole minutes; a bare number is in the column's `unit` (分 unless h, 時間, 日, 秒)."""
    value = shaped(text)
    if found := _CLOCK.fullmatch(value):
        return int(found[1]) * 60 + int(found[2])
    if _NUMBER.fullmatch(value):
        factor = {
            "h": 60.0,
            "hr": 60.0,
            "hour": 60.0,
            "hours": 60.0,
            "時間": 60.0,
            "日": 1440.0,
            "秒": 1 / 60,
            "s": 1 / 60,
        }
        return round(float(value.replace(",", "")) * factor.get(unit.lower(), 1.0))
    found = _PARTS.fullmatch(value)
    if not found or not any(found.groups()):
        return None
    days, hours, rest = (float(part or 0) for part in found.groups())
    return round(days * 1440 + hours * 60 + rest)


def state_of(text: str) -> EquipmentStatus | None:
    return _word_of(text, STATES)


def role_of(text: str) -> Role | None:
    return _word_of(text, ROLES)


def _word_of(text: str, words: Mapping[T, tuple[str, ...]]) -> T | None:
    """The value one of whose words the cell is, or begins with before a remark in parentheses."""
    key = re.sub(r"[(（].*$", "", shaped(text)).strip().lower()
    return next((value for value, known in words.items() if key in known), None)
