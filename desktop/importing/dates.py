"""Dates as they are written in Japan: ISO, slashes, kanji, eras, Excel serials."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from datetime import date, timedelta
from enum import StrEnum


class DateOrder(StrEnum):
    """What 03/04/2026 means in a column; UNKNOWN leaves such values as written."""

    UNKNOWN = ""
    DAY_FIRST = "dmy"
    MONTH_FIRST = "mdy"


# First days by the law; a year of an era counts from 1 (元年).
_ERAS = {
    "令和": date(2019, 5, 1), "平成": date(1989, 1, 8), "昭和": date(1926, 12, 25),
    "大正": date(1912, 7, 30), "明治": date(1868, 1, 25),
}  # fmt: skip
_ERA_LETTERS = {
    "r": "令和", "h": "平成", "s": "昭和", "t": "大正", "m": "明治",
    "令": "令和", "平": "平成", "昭": "昭和", "大": "大正", "明": "明治",
}  # fmt: skip
_TIME = r"(?:[ tT]*\(?[月火水木金土日]?\)?[ tT]*\d{1,2}[:時]\d{1,2}.*)?"
_WEEKDAY = r"(?:[ ]*[(（]?[月火水木金土日](?:曜日?)?[)）]?)?"
_END = _WEEKDAY + _TIME + "$"
_YEAR_FIRST = re.compile(r"(\d{4})(?:[-/.]|年 ?)(\d{1,2})(?:[-/.]|月 ?)(\d{1,2})日?" + _END)
_YEAR_MONTH = re.compile(r"(\d{4})(?:[-/.]|年 ?)(\d{1,2})月?$")
_COMPACT = re.compile(r"(19|20)(\d\d)(\d\d)(\d\d)$")
_ERA = re.compile(
    r"(令和|平成|昭和|大正|明治|[rhstm令平昭大明])[. ]?(元|\d{1,2})"
    r"(?:[-/. ]|年度? ?)(\d{1,2})(?:(?:[-/. ]|月 ?)(\d{1,2})日?)?月?" + _END,
    re.IGNORECASE,
)
_ERA_COMPACT = re.compile(r"([rhstm])(\d\d)(\d\d)(\d\d)$", re.IGNORECASE)
_YEAR_LAST = re.compile(r"(\d{1,2})[-/.](\d{1,2})[-/.](\d{4})" + _END)
_SHORT_YEAR = re.compile(r"'(\d\d)[-/.](\d{1,2})[-/.](\d{1,2})" + _END)
_SERIAL = re.compile(r"(\d{5})(?:\.\d+)?$")
_EXCEL_EPOCH = date(1899, 12, 30)
_SERIALS = range(18_264, 73_051)  # 1950 to 2099: a number outside is no date of a plant


def parse_date(text: str, order: DateOrder = DateOrder.UNKNOWN) -> date | None:
    """The day that `text` writes, None if it is no date; a month without a day is its first."""
    shaped = " ".join(unicodedata.normalize("NFKC", text).replace("　", " ").split())
    for read in (_year_first, _era, _compact, _serial):
        if day := read(shaped):
            return day
    return _year_last(shaped, order)


def decide_order(values: Iterable[str]) -> DateOrder:
    """What a column's year-last dates are, from those that can only be one thing; mixed or silent = UNKNOWN."""
    day_first = month_first = False
    for value in values:
        found = _YEAR_LAST.match(unicodedata.normalize("NFKC", value).strip())
        if found:
            day_first |= int(found[1]) > 12
            month_first |= int(found[2]) > 12
    if day_first != month_first:
        return DateOrder.DAY_FIRST if day_first else DateOrder.MONTH_FIRST
    return DateOrder.UNKNOWN


def _day(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _year_first(text: str) -> date | None:
    if found := _YEAR_FIRST.match(text):
        return _day(int(found[1]), int(found[2]), int(found[3]))
    if found := _YEAR_MONTH.match(text):
        return _day(int(found[1]), int(found[2]), 1)
    if found := _SHORT_YEAR.match(text):
        return _day(2000 + int(found[1]), int(found[2]), int(found[3]))
    return None


def _era(text: str) -> date | None:
    if found := _ERA.match(text):
        era, year, month, day = found[1], found[2], found[3], found[4] or "1"
    elif found := _ERA_COMPACT.match(text):
        era, year, month, day = found[1], found[2], found[3], found[4]
    else:
        return None
    first = _ERAS[_ERA_LETTERS.get(era.lower(), era)]
    return _day(first.year + (1 if year == "元" else int(year)) - 1, int(month), int(day))


def _compact(text: str) -> date | None:
    if found := _COMPACT.match(text):
        return _day(int(found[1] + found[2]), int(found[3]), int(found[4]))
    return None


def _serial(text: str) -> date | None:
    found = _SERIAL.match(text)
    if found and int(found[1]) in _SERIALS:
        return _EXCEL_EPOCH + timedelta(days=int(found[1]))
    return None


def _year_last(text: str, order: DateOrder) -> date | None:
    found = _YEAR_LAST.match(text)
    if not found or order is DateOrder.UNKNOWN:
        return None
    first, second, year = int(found[1]), int(found[2]), int(found[3])
    day, month = (first, second) if order is DateOrder.DAY_FIRST else (second, first)
    return _day(year, month, day)
