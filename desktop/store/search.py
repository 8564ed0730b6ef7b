"""Search in one snapshot and the rows added on this PC beside it: machines, manual sections, maintenance records."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property
from typing import Generic, TypeVar

from desktop.domain.ledger import MaintenanceRecord, ManualSection
from desktop.domain.text import fold_code, shape
from desktop.store import search_candidates, search_question
from desktop.store.equipment_search import EquipmentHit, EquipmentSearch
from desktop.store.search_candidates import Kind, Span
from desktop.store.search_index import record_codes
from desktop.store.search_question import Question
from desktop.store.search_rank import CODE_SCORES, Candidate, Ranked, rank
from desktop.store.snapshot import Snapshot
from desktop.store.snapshot_rows import record_text

__all__ = ("EquipmentHit", "Found", "RecordHit", "Search", "SectionHit")

_Hit = TypeVar("_Hit")


@dataclass(frozen=True, slots=True)
class SectionHit:
    """`score` 0 to 1 (1 = the code itself in a heading), `why` the code or words through which it was found."""

    section: ManualSection
    score: float
    why: str


@dataclass(frozen=True, slots=True)
class RecordHit:
    """`score` 0 to 1 (1 = the error code itself), `why` the code or words through which it was found."""

    record: MaintenanceRecord
    score: float
    why: str


@dataclass(frozen=True, slots=True)
class Found(Generic[_Hit]):
    """The best hits and how many there are in all; unscoped searches count what they looked at closely."""

    hits: tuple[_Hit, ...] = ()
    total: int = 0


class Search:
    """Every hit has support in its text: a code, a word, a synonym, or most of a longer word; else it is no hit."""

    def __init__(
        self, snapshot: Snapshot, local_records: Callable[[], Sequence[MaintenanceRecord]] = lambda: ()
    ) -> None:
        self._snapshot = snapshot
        self._local_records = local_records

    def equipment(self, query: str, limit: int = 5) -> Found[EquipmentHit]:
        """Machines with every word of the query, if there are any; else the nearest, marked as such."""
        hits = self._equipment.find(query)
        return Found(hits[:limit], len(hits))

    def manual(self, model: str, keywords: str, limit: int = 3) -> Found[SectionHit]:
        """Sections of the manuals of one model, best first; the old revision behind the new one."""
        key = fold_code(model)
        spans = []
        for placed in self._snapshot.manuals_for(model) if key else ():
            shared = len(placed.manual.models) > 1 and key in map(fold_code, placed.manual.models)
            spans.append(Span(placed.first, placed.count, key if shared else ""))
        return self._sections(keywords, limit, spans)

    def sections_anywhere(self, keywords: str, limit: int = 3) -> Found[SectionHit]:
        """Sections of all manuals, best first."""
        return self._sections(keywords, limit, None)

    def records(self, equipment_id: str, keywords: str, limit: int = 5) -> Found[RecordHit]:
        """Records of one machine: the best in support, shown newest first; without keywords simply the newest."""
        key = fold_code(equipment_id)
        local = [one for one in self._local_records() if fold_code(one.equipment_id) == key]
        if not keywords.strip():
            every = sorted((*self._snapshot.records_of(equipment_id), *local), key=_newest, reverse=True)
            return Found(tuple(RecordHit(one, 0.0, "") for one in every[:limit]), len(every))
        first, count = self._snapshot.record_span(equipment_id)
        found = self._records(keywords, limit, [Span(first, count)] if count else [], local)
        return replace(found, hits=tuple(sorted(found.hits, key=lambda hit: _newest(hit.record), reverse=True)))

    def records_anywhere(self, keywords: str, limit: int = 5) -> Found[RecordHit]:
        """Records of all machines, best first."""
        return self._records(keywords, limit, None, self._local_records())

    @cached_property
    def _equipment(self) -> EquipmentSearch:
        return EquipmentSearch(self._snapshot)

    def _question(self, keywords: str) -> Question:
        return search_question.ask(keywords, self._snapshot.synonyms(), self._snapshot.learned_terms())

    def _sections(self, keywords: str, limit: int, spans: Sequence[Span] | None) -> Found[SectionHit]:
        question = self._question(keywords)
        if not question or spans == []:
            return Found()
        ranked = search_candidates.ranked(self._snapshot, Kind.SECTION, question, spans)
        sections = self._snapshot.sections_by_number([one.number for one in ranked[:limit]])
        return Found(tuple(SectionHit(sections[one.number], one.score, one.why) for one in ranked[:limit]), len(ranked))

    def _records(
        self, keywords: str, limit: int, spans: Sequence[Span] | None, local: Sequence[MaintenanceRecord]
    ) -> Found[RecordHit]:
        question = self._question(keywords)
        if not question:
            return Found()
        ranked = [] if spans == [] else search_candidates.ranked(self._snapshot, Kind.RECORD, question, spans)
        if spans is not None:
            # A machine's records lie newest first: among equally good ones the newest are shown.
            ranked.sort(key=lambda one: (-_band(one.score), one.number))
        records = self._snapshot.records_by_number([one.number for one in ranked[:limit]])
        hits = [(one, records[one.number]) for one in ranked[:limit]]
        added = _local_ranked(question, local)
        if added:
            hits = sorted((*hits, *added), key=lambda hit: (_band(hit[0].score), _newest(hit[1])), reverse=True)
        shown = tuple(RecordHit(record, one.score, one.why) for one, record in hits[:limit])
        return Found(shown, len(ranked) + len(added))


def _local_ranked(question: Question, local: Sequence[MaintenanceRecord]) -> list[tuple[Ranked, MaintenanceRecord]]:
    """Rows that are in no snapshot yet, scored as if they were."""
    written = {code.key: code.text for code in question.codes}
    candidates = []
    for number, record in enumerate(local):
        shaped = shape(record_text(record))
        codes = [
            (CODE_SCORES[strength], written[key])
            for _, key, strength in record_codes(0, record, shaped)
            if key in written
        ]
        score, code = max(codes, default=(0.0, ""))
        candidates.append(Candidate(number, "", shaped, score, code))
    return [(one, local[one.number]) for one in rank(question, candidates)]


def _band(score: float) -> float:
    return round(score, 1)


def _newest(record: MaintenanceRecord) -> tuple[date, str]:
    return record.date or date.min, record.record_id
