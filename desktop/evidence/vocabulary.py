"""What one run may say, and whose it is: this machine's, another's, or an old revision's."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date

from desktop.domain.answer import Evidence, EvidenceItem, Resolution, Scope
from desktop.domain.history import WINDOW_DAYS, days_since, reliability
from desktop.domain.ledger import Equipment, MaintenanceRecord, Manual, ManualSection, OpenOrder, Part
from desktop.domain.text import code_matches, fold_code
from desktop.evidence.anatomy import anatomy
from desktop.evidence.claims import Claim, ClaimKind, day_keys, keys_of
from desktop.evidence.phrases import most_frequent, reliability_words
from desktop.evidence.quotes import bare, source_text, stands_in
from desktop.evidence.subjects import subjects
from desktop.evidence.troubles import remedies_of
from desktop.store.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Shelf:
    """Everything that one source, or the ledger, bears out; `owner` words name whose it is where it isn't ours."""

    ref: str = ""
    texts: tuple[str, ...] = ()
    keys: frozenset[str] = frozenset()
    printed: tuple[str, ...] = ()
    numbers: frozenset[str] = frozenset()
    pages: frozenset[str] = frozenset()
    revisions: frozenset[str] = frozenset()
    sections: frozenset[str] = frozenset()
    dates: frozenset[str] = frozenset()
    owner: tuple[str, ...] = ()
    source: ManualSection | MaintenanceRecord | None = None

    def bears(self, claim: Claim) -> bool:
        match claim.kind:
            case ClaimKind.REF:
                return claim.key == self.ref
            case ClaimKind.CODE:
                return claim.key in self.keys or any(code_matches(one, claim.key) for one in self.printed)
            case ClaimKind.QUOTE:
                return any(stands_in(claim.key, text) for text in self.texts)
            case ClaimKind.QUANTITY:
                return claim.key in self.numbers
            case ClaimKind.DATE:
                return claim.key in self.dates
            case ClaimKind.PAGE:
                return claim.key in self.pages
            case ClaimKind.REVISION:
                return claim.key in self.revisions
            case ClaimKind.SECTION:
                return claim.key in self.sections


@dataclass(frozen=True, slots=True)
class Vocabulary:
    own: tuple[Shelf, ...]
    others: tuple[Shelf, ...] = ()
    old: tuple[Shelf, ...] = ()
    own_text: str = field(default="")

    def owns(self, claim: Claim) -> bool:
        return any(shelf.bears(claim) for shelf in self.own)


def vocabulary(
    resolution: Resolution, evidence: Evidence, manuals: Iterable[Manual], today: date, snapshot: Snapshot
) -> Vocabulary:
    """`manuals` are the current ones of the focus's model; `today` decides which repairs can be judged."""
    items = evidence.items
    own = [_of_item(item) for item in items if item.scope is Scope.OWN]
    machines = (resolution.focus.equipment, *resolution.focus.candidates, *resolution.focus.suggestions)
    own += [_of_machine(one) for one in machines if one]
    own += [_of_part(one) for one in evidence.parts]
    own += [_of_order(one) for one in evidence.open_orders]
    own += [_of_question(resolution.question), _of_counts(resolution, evidence, today, snapshot)]
    own += [_of_manual(one) for one in manuals]
    others = [_of_item(item) for item in items if item.scope is Scope.OTHER_MACHINE]
    return Vocabulary(
        tuple(own),
        (*others, *_of_twins_counts(resolution, evidence, today, snapshot)),
        tuple(_of_item(item) for item in items if item.scope is Scope.OLD_REVISION),
        own_text="\n".join(bare(text) for shelf in own for text in shelf.texts),
    )


def _of_item(item: EvidenceItem) -> Shelf:
    source = item.source
    if isinstance(source, MaintenanceRecord):
        return _of_record(source)
    return _of_section(source)


def _of_section(section: ManualSection) -> Shelf:
    text = source_text(section)
    pages = {str(section.page)} if section.page else set()
    return Shelf(
        section.ref,
        (text,),
        keys_of(text).codes | frozenset(map(fold_code, (*section.models, *section.codes))),
        section.codes,
        keys_of(text).quantities,
        frozenset(pages | ({section.page_label} if section.page_label else set())),
        frozenset({section.revision.lower()} if section.revision else ()),
        keys_of(text).sections | keys_of(section.ref.rpartition("#")[2]).sections,
        keys_of(text).dates,
        section.models,
        section,
    )


def _of_record(record: MaintenanceRecord) -> Shelf:
    text = source_text(record)
    minutes = f"{record.downtime_minutes}分" if record.downtime_minutes is not None else ""
    day = day_keys(record.date) if record.date else frozenset()
    return Shelf(
        record.ref,
        (text,),
        keys_of(text).codes | frozenset(map(fold_code, (record.record_id, record.error_code, record.equipment_id))),
        numbers=keys_of(f"{text}\n{minutes}").quantities,
        dates=day | keys_of(text).dates,
        owner=(record.equipment_id,),
        source=record,
    )


def _of_machine(machine: Equipment) -> Shelf:
    words = (
        machine.equipment_id,
        machine.name,
        machine.model,
        machine.line,
        machine.location,
        machine.owner,
        str(machine.status),
        machine.serial,
        machine.maker,
        machine.maker_phone,
        machine.on_call_phone,
        *machine.nicknames,
        *machine.energies,
        *machine.isolation_points,
    )
    text = "\n".join(filter(None, words))
    keys = frozenset(map(fold_code, (machine.equipment_id, machine.model, machine.serial))) | keys_of(text).codes
    days = day_keys(machine.installed_on) if machine.installed_on else frozenset()
    return Shelf(machine.ref, (text,), keys, numbers=keys_of(text).quantities, dates=days)


def _of_manual(manual: Manual) -> Shelf:
    words = "\n".join((manual.title, *manual.models))
    return Shelf(texts=(words,), keys=keys_of(words).codes, revisions=frozenset({manual.revision.lower()}))


def _of_part(part: Part) -> Shelf:
    count = f"{part.quantity}個" if part.quantity is not None else ""
    text = f"{part.part_number}\n{part.name}\n{part.shelf}"
    days = day_keys(part.as_of) if part.as_of else frozenset()
    keys = keys_of(text).codes | {fold_code(part.part_number), fold_code(part.shelf)}
    return Shelf(f"part:{part.part_number}", (text,), keys, numbers=keys_of(count).quantities, dates=days)


def _of_order(order: OpenOrder) -> Shelf:
    text = f"{order.number}\n{order.title}\n{order.state}"
    days = day_keys(order.promised_on) if order.promised_on else frozenset()
    keys = keys_of(text).codes | {fold_code(order.number)}
    return Shelf(texts=(text,), keys=keys, numbers=keys_of(text).quantities, dates=days)


def _of_question(text: str) -> Shelf:
    """What the person said may be repeated, but the names in it are looked up, not believed."""
    return Shelf(texts=(text,), numbers=keys_of(text).quantities, dates=keys_of(text).dates)


def _of_counts(resolution: Resolution, evidence: Evidence, today: date, snapshot: Snapshot) -> Shelf:
    """How many records and steps there are, how often an action held: what a summary may count."""
    return Shelf(numbers=frozenset(_counts(resolution, evidence, today, snapshot)))


def _of_twins_counts(resolution: Resolution, evidence: Evidence, today: date, snapshot: Snapshot) -> Iterator[Shelf]:
    for subject in subjects(resolution, evidence):
        for owner in {record.equipment_id for record in subject.twins}:
            records = [record for record in subject.twins if record.equipment_id == owner]
            yield Shelf(numbers=frozenset(_of_records(records, today, snapshot)), owner=(owner,))


def _counts(resolution: Resolution, evidence: Evidence, today: date, snapshot: Snapshot) -> Iterator[str]:
    yield f"{WINDOW_DAYS}日"
    yield from _counted(len(evidence.records()))
    for subject in subjects(resolution, evidence):
        yield from _of_records(subject.records, today, snapshot)
        for section in subject.sections:
            yield from _counted(len(anatomy(section).steps))


def _of_records(records: Sequence[MaintenanceRecord], today: date, snapshot: Snapshot) -> Iterator[str]:
    yield from _counted(len(records))
    yield from keys_of(f"{reliability_words(reliability(records))}{most_frequent(records)}").quantities
    for remedy in remedies_of(records, snapshot, today):
        yield f"{remedy.held}/{remedy.judged}"
        yield from (f"{days_since(one, today)}日" for one in remedy.waiting)
        for n in (len(remedy.records), remedy.held, remedy.judged):
            yield from _counted(n)


def _counted(n: int) -> tuple[str, ...]:
    return f"{n}件", f"{n}回"
