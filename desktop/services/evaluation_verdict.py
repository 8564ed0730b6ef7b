"""From what was expected to what was missed: the one judge of answers, for the tests and for `evaluate`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from desktop.domain.answer import Answer, CheckedText, Citation, CitationKind, Focus
from desktop.domain.text import find_codes, shape
from desktop.evidence.claims import ClaimKind, Sentence, sentences
from desktop.evidence.compose_text import markdown
from desktop.evidence.resolve import resolve
from desktop.services.evaluation_questions import Expectation, WantedSource
from desktop.store.snapshot import Snapshot

OTHER = "別設備"


class MissKind(StrEnum):
    STATUS = "status"
    MACHINE = "machine"
    WORDS = "words"
    FORBIDDEN_WORDS = "forbidden_words"
    SAFETY = "safety"
    SOURCE = "source"
    OWNER = "owner"
    PROPOSAL = "proposal"


@dataclass(frozen=True, slots=True)
class Miss:
    """One expectation not met; `text` says what was wanted or what should not have been there."""

    kind: MissKind
    text: str


@dataclass(frozen=True, slots=True)
class CitedSection:
    models: tuple[str, ...]
    headings: tuple[str, ...]
    revision: str | None
    page_label: str | None


@dataclass(frozen=True, slots=True)
class Said:
    """An answer in the terms in which it is judged; `status` and `safety` None = the program's to say, not this text's.

    `machines` are those it settles on; `records` the machines whose records it cites, `unlabelled` those of them in
    lines that don't say 別設備; `safety` whether the lock-out block and the safety lines stand, each; `proposals` the
    machines of the requests it drafts.
    """

    text: str
    machines: tuple[str, ...] = ()
    candidates: tuple[str, ...] = ()
    sections: tuple[CitedSection, ...] = ()
    records: frozenset[str] = frozenset()
    unlabelled: frozenset[str] = frozenset()
    status: str | None = None
    safety: frozenset[bool] | None = None
    proposals: tuple[str, ...] = ()

    @property
    def by_model(self) -> bool:
        return self.status is None


def said_by_program(answer: Answer, focus: Focus, snapshot: Snapshot) -> Said:
    """The composed answer."""
    owner = {one.n: one.equipment_id for one in answer.citations if one.record_id and one.equipment_id}
    lines = [(line, {owner[n] for n in line.cites if n in owner}) for line in answer.lines()]
    asked = answer.status == "awaiting_approval" and answer.request_draft is not None
    return Said(
        text=markdown(answer),
        machines=(focus.equipment.equipment_id,) if focus.equipment else (),
        candidates=tuple(sorted(one.equipment_id for one in focus.candidates)),
        sections=_sections(answer.citations, snapshot),
        records=frozenset(owner.values()),
        unlabelled=frozenset(one for line, owners in lines if OTHER not in line.text for one in owners),
        status=answer.status,
        safety=frozenset({bool(answer.lockout), bool(answer.safety)}),
        proposals=(answer.request_draft.equipment_id,) if asked and answer.request_draft else (),
    )


def said_by_model(checked: CheckedText, proposals: tuple[str, ...], snapshot: Snapshot) -> Said:
    """A model's text after the check, which found its citations."""
    owners = {one.ref: one.equipment_id for one in checked.citations if one.record_id and one.equipment_id}
    unlabelled = {
        owners[claim.key]
        for sentence in sentences(checked.text)
        if OTHER not in sentence.text
        for claim in sentence.claims
        if claim.kind is ClaimKind.REF and claim.key in owners
    }
    return Said(
        text=checked.text,
        machines=tuple(sorted({*_machines_in(checked.text, snapshot), *unlabelled})),
        sections=_sections(checked.citations, snapshot),
        records=frozenset(owners.values()),
        unlabelled=frozenset(unlabelled),
        proposals=proposals,
    )


def misses(expect: Expectation, said: Said) -> tuple[Miss, ...]:
    """Every expectation that the answer does not meet; () = it is right.

    A model is asked for half of the wanted words: safety, line and place stand in the program's own answer above it.
    """
    return tuple(_misses(expect, said))


def right_machine(expect: Expectation, said: Said) -> bool:
    """Whether it settles on the machine that is meant, or on none where none is."""
    if expect.equipment is None:
        return True
    if not said.by_model:
        return said.machines == expect.equipment
    if not expect.equipment:
        return len(said.machines) != 1
    if not said.machines:
        return bool(said.sections)  # names no machine, but speaks from the papers of its model
    return said.machines == expect.equipment


def _misses(expect: Expectation, said: Said) -> Iterator[Miss]:
    if expect.status and not said.by_model and said.status != expect.status:
        yield Miss(MissKind.STATUS, f"{said.status}（正：{expect.status}）")
    if not right_machine(expect, said):
        wanted = "、".join(expect.equipment or ()) or "決めない"
        yield Miss(MissKind.MACHINE, f"{'、'.join(said.machines) or 'なし'}（正：{wanted}）")
    if expect.candidates is not None and not said.by_model and said.candidates != tuple(sorted(expect.candidates)):
        yield Miss(MissKind.MACHINE, f"候補 {'、'.join(said.candidates)}（正：{'、'.join(expect.candidates)}）")
    yield from _words(expect, said)
    if expect.safety is not None and said.safety is not None and said.safety != {expect.safety}:
        yield Miss(MissKind.SAFETY, "安全の囲みがない" if expect.safety else "要らない安全の囲み")
    for wanted_source in expect.cites:
        if not any(_is(section, wanted_source) for section in said.sections):
            yield Miss(MissKind.SOURCE, f"{wanted_source.model} {wanted_source.section}")
    yield from _owner(expect, said)
    yield from _proposal(expect, said)


def _words(expect: Expectation, said: Said) -> Iterator[Miss]:
    text = _unspaced(said.text)
    lacking = [wanted for wanted in expect.contains if _unspaced(wanted) not in text]
    if lacking and (not said.by_model or len(lacking) * 2 > len(expect.contains)):
        yield from (Miss(MissKind.WORDS, wanted) for wanted in lacking)
    for unwanted in expect.must_not_contain:
        if _unspaced(unwanted) in text:
            yield Miss(MissKind.FORBIDDEN_WORDS, unwanted)


def _owner(expect: Expectation, said: Said) -> Iterator[Miss]:
    """Another machine's record stands only in a line that says so."""
    if not expect.records_of:
        return
    for other in sorted(said.unlabelled - {expect.records_of}):
        yield Miss(MissKind.OWNER, f"{other} の記録")
    if not said.by_model and expect.records_of not in said.records:
        yield Miss(MissKind.OWNER, f"{expect.records_of} の記録がない")


def _proposal(expect: Expectation, said: Said) -> Iterator[Miss]:
    if not expect.status:
        return
    wanted = (expect.equipment or ()) if expect.status == "awaiting_approval" else ()
    if said.proposals != wanted:
        drafted, right = ("、".join(machines) or "なし" for machines in (said.proposals, wanted))
        yield Miss(MissKind.PROPOSAL, f"依頼案 {drafted}（正：{right}）")


def _is(section: CitedSection, wanted: WantedSource) -> bool:
    return (
        wanted.model == section.models[0]
        and any(shape(heading).startswith(f"{wanted.section} ") for heading in section.headings)
        and (section.revision, section.page_label) == (wanted.revision, wanted.page_label)
    )


def _sections(citations: tuple[Citation, ...], snapshot: Snapshot) -> tuple[CitedSection, ...]:
    cited = [(one, snapshot.section(one.ref)) for one in citations if one.kind is CitationKind.MANUAL]
    return tuple(
        CitedSection(section.models, section.heading_path, one.revision, one.page_label)
        for one, section in cited
        if section is not None
    )


def _machines_in(text: str, snapshot: Snapshot) -> set[str]:
    """Machines that a text settles on: by id outside of sentences about other machines, else by line and name."""
    own = [sentence for sentence in sentences(text) if OTHER not in sentence.text]
    named = {machine for sentence in own for machine in _ids_in(sentence, snapshot)}
    if named:
        return named
    machine = resolve("\n".join(sentence.text for sentence in own), snapshot).focus.equipment
    return {machine.equipment_id} if machine else set()


def _ids_in(sentence: Sentence, snapshot: Snapshot) -> Iterator[str]:
    for code in find_codes(sentence.text):
        if machine := snapshot.equipment(code.text):
            yield machine.equipment_id


def _unspaced(text: str) -> str:
    return "".join(text.split())
