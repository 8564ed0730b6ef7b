"""What really worked on a machine: actions ranked by how rarely the same trouble came back."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import pairwise

from desktop.domain.ledger import MaintenanceRecord
from desktop.domain.text import fold

WINDOW_DAYS = 30
_BESIDES = re.compile(r"[\s、。・,.:;()「」]+")


@dataclass(frozen=True, slots=True)
class Remedy:
    """One action and what became of it, newest record first.

    `judged` repairs are `WINDOW_DAYS` old or came back sooner, `held` of them did not come back; `waiting` are younger
    and still quiet; undated ones are in `records` only.
    """

    action: str
    records: tuple[MaintenanceRecord, ...]
    held: int
    judged: int
    waiting: tuple[MaintenanceRecord, ...] = ()

    @property
    def proven(self) -> bool:
        """Whether it may be called the action that works: judged more than once, and it held at least once."""
        return self.judged > 1 and self.held > 0

    @property
    def newest(self) -> MaintenanceRecord:
        return self.records[0]


@dataclass(frozen=True, slots=True)
class Reliability:
    """Counts over one machine's records; days between failures and minutes of downtime are means, None = no field."""

    failures: int
    days_between: float | None
    downtime_minutes: float | None
    downtime_known: int


def what_worked(records: Iterable[MaintenanceRecord], today: date) -> tuple[Remedy, ...]:
    """Actions of one machine's records of one trouble, best first: proven ones by share held, then by count.

    `records` must be of one machine and one code (or one symptom); records without an action are left out, but they
    still count as the trouble's return. A repair of the last `WINDOW_DAYS` is not yet a success.
    """
    newest_first = sorted(records, key=lambda r: (r.date or date.min, r.record_id), reverse=True)
    came_back = _came_back(newest_first)
    groups: dict[str, list[MaintenanceRecord]] = defaultdict(list)
    for record in newest_first:
        if record.action.strip():
            groups[action_key(record.action)].append(record)
    return tuple(sorted((_remedy(group, came_back, today) for group in groups.values()), key=rank))


def action_key(action: str) -> str:
    """What makes two wordings of an action one: Oリング交換 and Ｏリング 交換。"""
    return _BESIDES.sub("", fold(action))


def days_since(record: MaintenanceRecord, today: date) -> int | None:
    return (today - record.date).days if record.date else None


def reliability(records: Sequence[MaintenanceRecord]) -> Reliability:
    """Mean days between the dated records (calendar days, not running hours) and mean downtime where written."""
    dates = sorted(record.date for record in records if record.date)
    minutes = [record.downtime_minutes for record in records if record.downtime_minutes is not None]
    between = (dates[-1] - dates[0]).days / (len(dates) - 1) if len(dates) > 1 else None
    return Reliability(len(records), between, sum(minutes) / len(minutes) if minutes else None, len(minutes))


def _came_back(records: Iterable[MaintenanceRecord]) -> frozenset[str]:
    """Record numbers after which the trouble returned within the window; one day is one event."""
    dated = [(record.date, record.record_id) for record in records if record.date]
    days = sorted({day for day, _ in dated})
    next_day = dict(pairwise(days))
    return frozenset(
        record_id for day, record_id in dated if day in next_day and (next_day[day] - day).days <= WINDOW_DAYS
    )


def _remedy(group: Sequence[MaintenanceRecord], came_back: frozenset[str], today: date) -> Remedy:
    held, returned, waiting = 0, 0, []
    for record in group:
        age = days_since(record, today)
        if record.record_id in came_back:
            returned += 1
        elif age is None:
            continue
        elif age < WINDOW_DAYS:
            waiting.append(record)
        else:
            held += 1
    return Remedy(group[0].action.strip(), tuple(group), held, held + returned, tuple(waiting))


def rank(remedy: Remedy) -> tuple[object, ...]:
    """A sort key, best first."""
    share = remedy.held / remedy.judged if remedy.judged else 0.0
    newest = remedy.newest.date or date.min
    return (not remedy.proven, -share, -remedy.judged, -len(remedy.records), -newest.toordinal(), remedy.action)
