"""One question's hits while they are being gathered: every look-up timed, every hit judged, noise dropped for good."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from desktop.domain.answer import EvidenceItem, Resolution, Scope, SearchStep
from desktop.domain.ledger import Equipment, MaintenanceRecord, ManualSection
from desktop.evidence import ranking
from desktop.evidence.papers import records_of, sections_of
from desktop.evidence.ranking import NOISE, STRONG, Relevance, Wanted
from desktop.evidence.revisions import Standing
from desktop.store.search import Search
from desktop.store.snapshot import Snapshot

MOST_RECORDS = 50
MOST_SECTIONS = 6
_PARTLY = 0.56  # the most that words found only in part, or for a gap, are worth
_REFINED = 0.9  # what the plant's own words found counts a little less than what the person's found

T = TypeVar("T")


@dataclass(slots=True)
class Gathering:
    """What was found so far for one machine, by ref; `standing` says which of its manuals answer."""

    resolution: Resolution
    machine: Equipment
    snapshot: Snapshot
    search: Search
    standing: Mapping[str, Standing]
    found: dict[str, EvidenceItem] = field(default_factory=dict)
    steps: list[SearchStep] = field(default_factory=list)
    cycle: int = 1
    _noise: set[str] = field(default_factory=set)
    _looked: set[tuple[str, str]] = field(default_factory=set)

    def asked(self, words: Iterable[str] = ()) -> Wanted:
        """The question's codes and symptoms, and further words with them."""
        codes = {one.key: one.text for one in self.resolution.codes}
        return ranking.wanted(codes, (*self.resolution.symptoms, *words), self.snapshot.synonyms())

    def look_in_manual(self, query: str, asked: Wanted, why: str = "") -> None:
        """Sections of this machine's model; `why` names the gap that a second look is to fill."""
        model = self.machine.model
        if not model or not self._is_new("manual", query):
            return
        for hit in self.timed("search_manual", query, lambda: self.search.manual(model, query, MOST_SECTIONS).hits):
            relevance = ranking.of_section(hit.section, asked)
            if relevance.score < min(hit.score, _PARTLY):
                relevance = Relevance(min(hit.score, _PARTLY), f"{why}：{hit.why}" if why else hit.why)
            self.judge(hit.section, relevance, self.scope(hit.section))

    def look_in_records(self, query: str, asked: Wanted, further: Iterable[str] = ()) -> None:
        """Records of this machine; `further` are the plant's own words for what was asked."""
        if not self._is_new("records", query):
            return
        wider = self.asked(further) if further else asked
        for hit in self.hits_of(self.machine.equipment_id, query):
            mine, theirs = ranking.of_record(hit, asked), ranking.of_record(hit, wider)
            refined = Relevance(theirs.score * _REFINED, theirs.reason)
            self.judge(hit, max(mine, refined, key=lambda one: one.score), Scope.OWN)

    def look_at_history(self) -> None:
        """Everything that was done to this machine, newest first, where that is what is asked for."""
        machine = self.machine.equipment_id
        for record in self.timed("search_records", machine, lambda: records_of(self.snapshot, machine)):
            self.judge(record, Relevance(STRONG, "この設備の記録"), Scope.OWN)

    def _is_new(self, where: str, query: str) -> bool:
        """A look-up that was made already would find the same again."""
        new = (where, query) not in self._looked
        self._looked.add((where, query))
        return new

    def hits_of(self, equipment_id: str, query: str) -> tuple[MaintenanceRecord, ...]:
        named = query if equipment_id == self.machine.equipment_id else f"{equipment_id} {query}"
        hits = self.timed("search_records", named, lambda: self.search.records(equipment_id, query, MOST_RECORDS).hits)
        return tuple(hit.record for hit in hits)

    def judge(self, source: ManualSection | MaintenanceRecord, relevance: Relevance, scope: Scope | None) -> None:
        """Noise is dropped for good; of two scores for one source the better stays."""
        if scope is None or source.ref in self._noise:
            return
        known = self.found.get(source.ref)
        if relevance.score < NOISE and known is None:
            self._noise.add(source.ref)
        elif known is None or relevance.score > known.score:
            self.found[source.ref] = EvidenceItem(source, relevance.score, relevance.reason, scope, self.cycle)

    def scope(self, section: ManualSection) -> Scope | None:
        """Whose a section of this model is; None where its manual is for other machines."""
        match self.standing.get(section.manual_id):
            case Standing.OLD:
                return Scope.OLD_REVISION
            case Standing.FOREIGN | None:
                return None
            case _:
                return Scope.OWN

    def strong(self) -> list[EvidenceItem]:
        """This machine's strong hits, strongest first."""
        own = (item for item in self.found.values() if item.scope is Scope.OWN and item.score >= STRONG)
        return sorted(own, key=lambda item: -item.score)

    def sections(self, manual_id: str) -> tuple[ManualSection, ...]:
        return sections_of(self.snapshot, manual_id)

    def timed(self, name: str, query: str, look: Callable[[], tuple[T, ...]]) -> tuple[T, ...]:
        start = time.perf_counter()
        hits = look()
        self.steps.append(SearchStep(name, query, len(hits), time.perf_counter() - start, self.cycle))
        return hits
