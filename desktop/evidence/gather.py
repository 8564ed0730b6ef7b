"""Iterative retrieval: look broadly, judge every hit, name what is missing, look again in the plant's own words."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from desktop.domain.answer import Band, Evidence, EvidenceItem, Gap, MentionKind, Resolution, Scope, SearchStep
from desktop.domain.ledger import Equipment, MaintenanceRecord, ManualSection, Part
from desktop.domain.text import code_matches, fold_code
from desktop.evidence import ranking
from desktop.evidence.anatomy import Label, anatomy, row_field
from desktop.evidence.ranking import NOISE, STRONG, Relevance, Wanted
from desktop.evidence.revisions import Standing, standings
from desktop.evidence.words import bigrams, segments, squeeze
from desktop.store.search import Search
from desktop.store.snapshot import Snapshot

CYCLES = 3
ENOUGH = 3
_RECORDS = 50
_SECTIONS = 6
_WEAK_KEPT = 3
_LATEST = 5
_FAIR = 0.4
_GAP_WORDS = {
    Gap.MEANING: "意味",
    Gap.CAUSE: "原因",
    Gap.REMEDY: "処置",
    Gap.SAFETY: "安全 遮断",
    Gap.PART: "部品",
    Gap.HISTORY: "",
}
_REFERENCE = re.compile(
    r"(?<![0-9.])(\d{1,2}(?:\.\d{1,2}){1,3})(?![0-9.]*\d|\s*(?:mm|MPa|N|kg|A|V|秒|分|%|％|mL|L|℃|～|~))|第\s*(\d{1,2})\s*章"
)

T = TypeVar("T")


def gather(resolution: Resolution, snapshot: Snapshot, search: Search) -> Evidence:
    """What the papers have for the focus; nothing where no single machine is meant.

    Deterministic but for the seconds of its steps. `gaps` is what stayed missing after the last cycle.
    """
    machine = resolution.focus.equipment
    if machine is None:
        return Evidence()
    return _Gathering(resolution, machine, snapshot, search).run()


@dataclass(slots=True)
class _Gathering:
    resolution: Resolution
    machine: Equipment
    snapshot: Snapshot
    search: Search
    found: dict[str, EvidenceItem] = field(default_factory=dict)
    noise: set[str] = field(default_factory=set)
    steps: list[SearchStep] = field(default_factory=list)
    cycle: int = 1

    def run(self) -> Evidence:
        asked = self._asked(self.resolution.symptoms)
        standing = standings(self.snapshot.manuals(self.machine.model), self.machine) if self.machine.model else {}
        self._look(asked, standing)
        gaps = self._gaps()
        while self.cycle < CYCLES and (gaps or self._n_strong() < ENOUGH) and asked:
            self.cycle += 1
            before = len(self.found)
            self._refine(asked, gaps, standing)
            gaps = self._gaps()
            if len(self.found) == before and self.cycle > 2:
                break
        self._look_elsewhere(asked)
        return self._evidence(gaps, asked)

    def _asked(self, words: Iterable[str]) -> Wanted:
        codes = {one.key: one.text for one in self.resolution.codes}
        return ranking.wanted(codes, tuple(words), self.snapshot.synonyms())

    def _look(self, asked: Wanted, standing: Mapping[str, Standing]) -> None:
        """Each code and all symptom words, in the manuals of this model and in this machine's records."""
        for query in (*asked.codes.values(), " ".join(word for word, _ in asked.words)):
            if query:
                self._look_in_manual(query, asked, standing)
                self._look_in_records(query, asked)

    def _look_in_manual(self, query: str, asked: Wanted, standing: Mapping[str, Standing], why: str = "") -> None:
        if not self.machine.model:
            return
        hits = self._timed(
            "search_manual", query, lambda: self.search.manual(self.machine.model, query, limit=_SECTIONS).hits
        )
        for hit in hits:
            relevance = ranking.of_section(hit.section, asked)
            if why and relevance.score < STRONG:
                relevance = Relevance(max(relevance.score, min(hit.score, STRONG) * 0.8), f"{why}：{hit.why}")
            self._judge(hit.section, relevance, self._scope(hit.section, standing))

    def _look_in_records(self, query: str, asked: Wanted) -> None:
        hits = self._timed(
            "search_records", query, lambda: self.search.records(self.machine.equipment_id, query, limit=_RECORDS).hits
        )
        for hit in hits:
            self._judge(hit.record, ranking.of_record(hit.record, asked), Scope.OWN)

    def _judge(self, source: ManualSection | MaintenanceRecord, relevance: Relevance, scope: Scope | None) -> None:
        """Noise is dropped for good; of two scores for one source the better stays."""
        if scope is None or source.ref in self.noise:
            return
        known = self.found.get(source.ref)
        if relevance.score < NOISE and known is None:
            self.noise.add(source.ref)
        elif known is None or relevance.score > known.score:
            self.found[source.ref] = EvidenceItem(source, relevance.score, relevance.reason, scope, self.cycle)

    def _scope(self, section: ManualSection, standing: Mapping[str, Standing]) -> Scope | None:
        match standing.get(section.manual_id):
            case Standing.OLD:
                return Scope.OLD_REVISION
            case Standing.FOREIGN | None:
                return None
            case _:
                return Scope.OWN

    def _gaps(self) -> tuple[Gap, ...]:
        """What the strong hits of this machine don't have."""
        strong = [item for item in self.found.values() if item.score >= STRONG and item.scope is Scope.OWN]
        sections = [item.source for item in strong if isinstance(item.source, ManualSection)]
        parts = [anatomy(section) for section in sections]
        held = {
            Gap.MEANING: any(one.has(Label.MEANING) for one in parts),
            Gap.CAUSE: any(one.has(Label.CAUSE) for one in parts),
            Gap.REMEDY: any(one.steps for one in parts),
            Gap.SAFETY: any(one.has(Label.SAFETY) for one in parts),
            Gap.PART: any(one.has(Label.PARTS) for one in parts),
            Gap.HISTORY: any(isinstance(item.source, MaintenanceRecord) for item in strong),
        }
        return tuple(gap for gap, filled in held.items() if not filled)

    def _refine(self, asked: Wanted, gaps: tuple[Gap, ...], standing: Mapping[str, Standing]) -> None:
        """The named gap with the plant's own words; without any hit, with what this machine's papers call their troubles."""
        strong = sorted((i for i in self.found.values() if i.score >= STRONG), key=lambda item: -item.score)
        if not strong:
            words = self._nearest_words(asked)
            if words:
                self._look_in_manual(" ".join(words), asked, standing, "近い見出し")
                self._look_in_records(" ".join(words), self._asked((*self.resolution.symptoms, *words)))
            return
        self._follow_references(strong, standing)
        words = _own_words(item.source for item in strong[:ENOUGH])
        if Gap.HISTORY in gaps:
            self._look_in_records(" ".join(words), self._asked((*self.resolution.symptoms, *words)))
        missing = " ".join(filter(None, (_GAP_WORDS[gap] for gap in gaps)))
        if missing and words:
            self._look_in_manual(f"{' '.join(words[:2])} {missing}", asked, standing, "不足を補う")

    def _follow_references(self, strong: Iterable[EvidenceItem], standing: Mapping[str, Standing]) -> None:
        """Sections that a strong hit points to by number (2.1の遮断を行い; 処置：5.2)."""
        for item in strong:
            section = item.source
            if not isinstance(section, ManualSection) or item.scope is not Scope.OWN:
                continue
            numbers = {match[1] or match[2] for match in _REFERENCE.finditer(section.body)}
            if not numbers:
                continue
            for other in self._timed(
                "references", section.heading, lambda one=section: self.snapshot.sections(one.manual_id)
            ):
                number = other.heading.split(" ", 1)[0].strip("第章.．")
                if number in numbers and other.ref != section.ref:
                    is_row = row_field(section, "処置|対処|参照|対策") == number
                    score = item.score if is_row else STRONG
                    self._judge(other, Relevance(score, f"「{section.heading}」から参照"), self._scope(other, standing))

    def _nearest_words(self, asked: Wanted) -> tuple[str, ...]:
        """Headings of this model and symptoms of this machine that share most bigrams with the question."""
        headings = {
            s.heading for m in self.snapshot.manuals(self.machine.model) for s in self.snapshot.sections(m.manual_id)
        }
        symptoms = {record.symptom for record in self.snapshot.records_of(self.machine.equipment_id)}
        mine = bigrams("".join(word for word, _ in asked.words))
        near = ((len(mine & bigrams(text)), text) for text in headings | symptoms)
        best = sorted((one for one in near if one[0]), key=lambda one: (-one[0], one[1]))[:2]
        return tuple(dict.fromkeys(word for _, text in best for word in segments(text)))[:4]

    def _look_elsewhere(self, asked: Wanted) -> None:
        """Twins of the same model where this machine has too little to judge by; other models where the code is theirs."""
        own = [item for item in self.found.values() if item.scope is Scope.OWN and item.score >= STRONG]
        if sum(isinstance(item.source, MaintenanceRecord) for item in own) < ENOUGH and self.machine.model:
            self._look_at_twins(asked)
        printed = [code for item in own for code in _codes_of(item.source)]
        for key in asked.codes:
            if not any(code_matches(code, key) for code in printed):
                self._look_at_other_models(key, asked)

    def _look_at_twins(self, asked: Wanted) -> None:
        model = fold_code(self.machine.model)
        twins = [
            m for m in self.snapshot.all_equipment() if fold_code(m.model) == model and m.folded != self.machine.folded
        ]
        query = " ".join((*asked.codes.values(), *(word for word, _ in asked.words)))
        for twin in twins[:_SECTIONS]:
            hits = self._timed(
                "search_records",
                f"{twin.equipment_id} {query}",
                lambda one=twin: self.search.records(one.equipment_id, query, limit=_RECORDS).hits,
            )
            for hit in hits:
                self._judge(hit.record, ranking.of_record(hit.record, asked), Scope.OTHER_MACHINE)

    def _look_at_other_models(self, key: str, asked: Wanted) -> None:
        for model in self.snapshot.code_owners(key).models:
            if fold_code(model) != fold_code(self.machine.model):
                text = asked.codes[key]
                hits = self._timed(
                    "search_manual", f"{model} {text}", lambda one=model: self.search.manual(one, text, limit=1).hits
                )
                for hit in hits:
                    self._judge(hit.section, ranking.of_section(hit.section, asked), Scope.OTHER_MACHINE)

    def _n_strong(self) -> int:
        return sum(item.score >= STRONG and item.scope is Scope.OWN for item in self.found.values())

    def _evidence(self, gaps: tuple[Gap, ...], asked: Wanted) -> Evidence:
        items = sorted(self.found.values(), key=_best_first)
        strong = [item for item in items if item.score >= STRONG]
        own = [item for item in strong if item.scope is Scope.OWN]
        weak = _weak(items, own)
        kept = (*strong, *weak, *(() if own or weak else self._latest()))
        return Evidence(
            items=kept,
            parts=self._parts(kept, asked),
            open_orders=self.snapshot.open_orders(self.machine.equipment_id),
            gaps=gaps,
            steps=tuple(self.steps),
            band=_band(own, weak),
        )

    def _latest(self) -> tuple[EvidenceItem, ...]:
        """With nothing to go by, this machine's last records: they exist, and answer nothing."""
        records = self.snapshot.records_of(self.machine.equipment_id)[:_LATEST]
        return tuple(EvidenceItem(record, 0.0, "この設備の直近の記録", cycle=self.cycle) for record in records)

    def _parts(self, kept: Iterable[EvidenceItem], asked: Wanted) -> tuple[Part, ...]:
        """Parts of this model that the strong evidence names by number, or the question by number or name."""
        if not self.machine.model:
            return ()
        papers = squeeze(
            " ".join(_full_text(item.source) for item in kept if item.scope is Scope.OWN and item.score >= STRONG)
        )
        typed = {one.key for one in self.resolution.mentions if one.kind is MentionKind.PART}
        words = [ranking.stem(word) for word, _ in asked.words]
        return tuple(
            part
            for part in self.snapshot.parts_for(self.machine.model)
            if squeeze(part.part_number) in papers
            or fold_code(part.part_number) in typed
            or any(word in squeeze(part.name) for word in words)
        )

    def _timed(self, name: str, query: str, look: Callable[[], tuple[T, ...]]) -> tuple[T, ...]:
        start = time.perf_counter()
        hits = look()
        self.steps.append(SearchStep(name, query, len(hits), time.perf_counter() - start, self.cycle))
        return hits


def _best_first(item: EvidenceItem) -> tuple[object, ...]:
    """Own before other, stronger before weaker, sections with steps before tables, newer records before older."""
    source = item.source
    if isinstance(source, ManualSection):
        return (item.scope is not Scope.OWN, -item.score, 0, not anatomy(source).steps, source.ordinal, source.ref)
    day = source.date.toordinal() if source.date else 0
    return (item.scope is not Scope.OWN, -item.score, 1, False, -day, source.ref)


def _weak(items: Iterable[EvidenceItem], own: list[EvidenceItem]) -> list[EvidenceItem]:
    """The best of what is not strong: of all where nothing is, else sections where only records are."""
    lacking = [item for item in items if item.score < STRONG and item.scope is Scope.OWN]
    if any(isinstance(item.source, ManualSection) for item in own):
        return []
    if own:
        lacking = [item for item in lacking if isinstance(item.source, ManualSection) and item.score >= _FAIR]
    return lacking[:_WEAK_KEPT]


def _band(own: list[EvidenceItem], weak: list[EvidenceItem]) -> Band:
    if any(item.score >= ranking.STRONG + 0.2 for item in own):
        return Band.HIGH
    if own:
        return Band.MEDIUM
    return Band.LOW if weak else Band.NONE


def _own_words(sources: Iterable[ManualSection | MaintenanceRecord]) -> tuple[str, ...]:
    """The plant's own words for the trouble: from headings of sections, symptoms and causes of records."""
    words: list[str] = []
    for source in sources:
        text = source.heading if isinstance(source, ManualSection) else f"{source.symptom} {source.cause}"
        words += [word for word in segments(text) if not any(char.isdigit() for char in word)]
    return tuple(dict.fromkeys(words))[:4]


def _codes_of(source: ManualSection | MaintenanceRecord) -> tuple[str, ...]:
    if isinstance(source, MaintenanceRecord):
        return (source.error_code,)
    return source.codes


def _full_text(source: ManualSection | MaintenanceRecord) -> str:
    if isinstance(source, ManualSection):
        return f"{source.heading} {source.body}"
    return f"{source.action} {source.parts}"


