"""Iterative retrieval: look broadly, judge every hit, name what is missing, look again in the plant's own words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from desktop.domain.answer import Band, Evidence, EvidenceItem, MentionKind, Resolution, Scope
from desktop.domain.ledger import MaintenanceRecord, ManualSection, Part
from desktop.domain.text import code_matches, fold_code
from desktop.evidence import ranking
from desktop.evidence.anatomy import anatomy
from desktop.evidence.gathering import Gathering
from desktop.evidence.intent import Intent, intent_of
from desktop.evidence.lexicon import lexicon_of
from desktop.evidence.papers import owners_of, records_of
from desktop.evidence.ranking import CERTAIN, STRONG, Relevance, Wanted
from desktop.evidence.refine import gaps, refine
from desktop.evidence.revisions import standings
from desktop.evidence.subjects import only_a_request
from desktop.evidence.troubles import codes_told, whole_troubles
from desktop.evidence.words import squeeze
from desktop.store.search import Search
from desktop.store.snapshot import Snapshot

CYCLES = 3
ENOUGH = 3
_FAIR = 0.4
_WEAK_KEPT = 2
_LATEST = 5
_TWINS = 3
_OTHER_MODELS = 3


def gather(resolution: Resolution, snapshot: Snapshot, search: Search) -> Evidence:
    """What the papers have for the focus; nothing where no single machine is meant or a request is all that is asked.

    Deterministic but for the seconds of its steps. `gaps` is what stayed missing after the last cycle.
    """
    machine = resolution.focus.equipment
    if machine is None:
        return Evidence()
    if only_a_request(resolution):
        return Evidence(open_orders=snapshot.open_orders(machine.equipment_id))
    standing = standings(snapshot.manuals(machine.model), machine) if machine.model else {}
    gathering = Gathering(resolution, machine, snapshot, search, standing)
    asked = gathering.asked()
    for query in (*asked.codes.values(), " ".join(word for word, _ in asked.words)):
        if query:
            gathering.look_in_manual(query, asked)
            gathering.look_in_records(query, asked)
    if any(ranking.noise(word) for word, _ in asked.words):
        gathering.look_in_records("異音", asked)
    _look_at_codes_of_sections(gathering, asked)
    if not asked and intent_of(resolution.question, has_trouble=False) is Intent.HISTORY:
        gathering.look_at_history()
    missing = gaps(gathering)
    while asked and gathering.cycle < CYCLES and (missing or len(gathering.strong()) < ENOUGH):
        gathering.cycle += 1
        before = len(gathering.found)
        refine(gathering, asked, missing)
        missing = gaps(gathering)
        if len(gathering.found) == before:
            break
    _look_at_twins(gathering, asked)
    _look_at_other_models(gathering, asked)
    _look_up_numbers(gathering)
    kept, band = _kept(gathering)
    kept = (*kept, *_rest_of_troubles(kept, gathering))
    return Evidence(
        items=kept,
        parts=_parts(gathering, kept, asked),
        open_orders=snapshot.open_orders(machine.equipment_id),
        gaps=missing,
        steps=tuple(gathering.steps),
        band=band,
    )


def _look_at_codes_of_sections(gathering: Gathering, asked: Wanted) -> None:
    """Where a symptom led to a code's section, this machine's records of that code are of the symptom too."""
    found = [item.source for item in gathering.strong()[:1] if not asked.codes]
    codes = {fold_code(code): code for one in found if isinstance(one, ManualSection) for code in one.codes}
    for record in records_of(gathering.snapshot, gathering.machine.equipment_id) if codes else ():
        if told := next((codes[key] for key in sorted(codes_told(record)) if key in codes), ""):
            gathering.judge(record, Relevance(STRONG, f"コード{told}の記録"), Scope.OWN)


def _look_up_numbers(gathering: Gathering) -> None:
    """Records named by their number."""
    for one in gathering.resolution.mentions:
        record = gathering.snapshot.record(one.key) if one.kind is MentionKind.RECORD and one.exists else None
        if record and record.equipment_id == gathering.machine.equipment_id:
            gathering.judge(record, Relevance(1.0, f"記録番号{one.text}"), Scope.OWN)


def _look_at_twins(gathering: Gathering, asked: Wanted) -> None:
    """Machines of the same model that had the same, where this one has too few records to judge by."""
    machine, snapshot = gathering.machine, gathering.snapshot
    own = sum(isinstance(item.source, MaintenanceRecord) for item in gathering.strong())
    if own >= ENOUGH or not machine.model or not asked:
        return
    alike = lexicon_of(snapshot).models.get(fold_code(machine.model), ())
    twins = [one for one in alike if one != machine.equipment_id]
    if asked.codes:
        having = {one for key in asked.codes for one in owners_of(snapshot, key).equipment_ids}
        twins = [one for one in twins if one in having]
    query = " ".join((*asked.codes.values(), *(word for word, _ in asked.words)))
    for twin in twins[:_TWINS]:
        for record in gathering.hits_of(twin, query):
            gathering.judge(record, ranking.of_record(record, asked), Scope.OTHER_MACHINE)


def _rest_of_troubles(items: Sequence[EvidenceItem], gathering: Gathering) -> Iterator[EvidenceItem]:
    """The other records of each trouble found, worth nothing to the question: no figure counts a part of them."""
    known = {item.ref for item in items}
    for scope in (Scope.OWN, Scope.OTHER_MACHINE):
        sources = [item.source for item in items if item.scope is scope and item.score > 0]
        records = [source for source in sources if isinstance(source, MaintenanceRecord)]
        for whole in whole_troubles(records, gathering.snapshot).values():
            left = [record for record in whole if record.ref not in known]
            known |= {record.ref for record in left}
            yield from (EvidenceItem(one, 0.0, "同じ故障の記録", scope, gathering.cycle) for one in left)


def _look_at_other_models(gathering: Gathering, asked: Wanted) -> None:
    """Whose a code is that this machine's papers don't have."""
    printed = [code for item in gathering.strong() for code in _codes_of(item.source)]
    for key, text in asked.codes.items():
        if any(code_matches(code, key) for code in printed):
            continue
        own = fold_code(gathering.machine.model)
        others = [model for model in owners_of(gathering.snapshot, key).models if fold_code(model) != own]
        for model in others[:_OTHER_MODELS]:
            _look_at_model(gathering, asked, model, text)


def _look_at_model(gathering: Gathering, asked: Wanted, model: str, text: str) -> None:
    hits = gathering.timed("search_manual", f"{model} {text}", lambda: gathering.search.manual(model, text, 1).hits)
    for hit in hits:
        gathering.judge(hit.section, ranking.of_section(hit.section, asked), Scope.OTHER_MACHINE)


def _kept(gathering: Gathering) -> tuple[tuple[EvidenceItem, ...], Band]:
    """The strong hits; where they lack a manual's word, the fairest; with nothing at all, the last records."""
    items = sorted(gathering.found.values(), key=_best_first)
    own, weak = gathering.strong(), _weak(items, gathering.strong())
    kept = [item for item in items if item.score >= STRONG]
    return (*kept, *weak, *(() if own or weak else _latest(gathering))), _band(own, weak)


def _best_first(item: EvidenceItem) -> tuple[object, ...]:
    """Own before other, stronger before weaker, sections with steps before tables, newer records before older."""
    source = item.source
    if isinstance(source, ManualSection):
        return (item.scope is not Scope.OWN, -item.score, 0, not anatomy(source).steps, source.ordinal, source.ref)
    day = source.date.toordinal() if source.date else 0
    return (item.scope is not Scope.OWN, -item.score, 1, False, -day, source.ref)


def _weak(items: Iterable[EvidenceItem], own: Sequence[EvidenceItem]) -> list[EvidenceItem]:
    """The best of what is not strong: of both kinds where nothing is, else fair sections where only records are."""
    if any(isinstance(item.source, ManualSection) for item in own):
        return []
    lacking = [item for item in items if item.score < STRONG and item.scope is Scope.OWN]
    sections = [item for item in lacking if isinstance(item.source, ManualSection)]
    records = [item for item in lacking if isinstance(item.source, MaintenanceRecord)]
    if own:
        return [item for item in sections if item.score >= _FAIR][:_WEAK_KEPT]
    return [*sections[:_WEAK_KEPT], *records[:_WEAK_KEPT]]


def _latest(gathering: Gathering) -> tuple[EvidenceItem, ...]:
    """With nothing to go by, this machine's last records: they exist, and answer nothing."""
    records = gathering.snapshot.records_of(gathering.machine.equipment_id)[:_LATEST]
    return tuple(EvidenceItem(one, 0.0, "この設備の直近の記録", cycle=gathering.cycle) for one in records)


def _band(own: Sequence[EvidenceItem], weak: Sequence[EvidenceItem]) -> Band:
    if any(item.score >= CERTAIN for item in own):
        return Band.HIGH
    if own:
        return Band.MEDIUM
    return Band.LOW if weak else Band.NONE


def _parts(gathering: Gathering, kept: Iterable[EvidenceItem], asked: Wanted) -> tuple[Part, ...]:
    """Parts of this model that the evidence names by number, or the question by number or name."""
    if not gathering.machine.model:
        return ()
    papers = squeeze(" ".join(_full_text(item.source) for item in kept if item.scope is Scope.OWN))
    typed = {one.key for one in gathering.resolution.mentions if one.kind is MentionKind.PART}
    words = [ranking.stem(word) for word, _ in asked.words]
    return tuple(
        part
        for part in gathering.snapshot.parts_for(gathering.machine.model)
        if squeeze(part.part_number) in papers
        or fold_code(part.part_number) in typed
        or any(word in squeeze(part.name) for word in words)
    )


def _codes_of(source: ManualSection | MaintenanceRecord) -> tuple[str, ...]:
    return (source.error_code,) if isinstance(source, MaintenanceRecord) else source.codes


def _full_text(source: ManualSection | MaintenanceRecord) -> str:
    if isinstance(source, ManualSection):
        return f"{source.heading} {source.body}"
    return f"{source.action} {source.parts}"
