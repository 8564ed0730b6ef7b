"""The check of a text that a model or a person wrote: each name, number and quotation must be in this run's evidence,
exist, and belong to the machine meant."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from desktop.domain.answer import (
    AnswerWarning,
    CheckedText,
    Citation,
    Evidence,
    EvidenceItem,
    MentionKind,
    Resolution,
    Scope,
    WarningKind,
)
from desktop.domain.ledger import Equipment, MaintenanceRecord, ManualSection
from desktop.domain.text import fold, fold_code
from desktop.evidence.citing import Citing
from desktop.evidence.claims import Claim, ClaimKind, Sentence, sentences
from desktop.evidence.lexicon import Lexicon, kanji_digits, lexicon_of, line_key
from desktop.evidence.papers import owners_of, section_of
from desktop.evidence.rules import rules_of
from desktop.evidence.vocabulary import Shelf, Vocabulary, vocabulary
from desktop.evidence.words import squeezed
from desktop.store.snapshot import Snapshot

_ABSENT = re.compile(
    "ナシ(?:$|[。、）)])|アリマセン|見ツカリマセン|見当タ(?:リ|ラ)|見ツカラナ|存在シ(?:ナ|マセ)|(?:記載|登録|該当)(?:ガ|ハ|モ)?(?:ナ|アリマ|サレテイ(?:ナ|マセ))"
    "|載ッテイ(?:ナ|マセ)|不明|not found|no such|does not|doesn't|not in"
)
_OTHER = "別設備"
_OLD = re.compile("旧版|旧改訂|古イ(?:版|改訂)")
_LINE = re.compile(r"(?:ライン|line)([0-9]{1,3})(?![0-9])|(?<![0-9])([0-9]{1,3})(?:番)?(?:ライン|line)")
_SHORT_NAME = 3
_ANOTHER_CODE = fold("別のコード")  # a code of this model, offered as what may have been misread

Finding = tuple[AnswerWarning, tuple[int, int]]


def check_text(
    text: str,
    resolution: Resolution,
    evidence: Evidence,
    snapshot: Snapshot,
    *,
    refs: Sequence[str] = (),
    today: date | None = None,
) -> CheckedText:
    """A finished text with the places that could not be verified, and a citation for each source it names.

    Sources stand in it as `[ref:…]`; `refs` are what the tools returned beside the evidence. Another machine's item is
    allowed where its sentence says 別設備 with that machine's id, an old revision's where it says 旧版, and a name of
    the question that does not exist where the sentence says so. `today` (default: the day the snapshot was published)
    says which repairs can be judged.
    """
    items = (*evidence.items, *_looked_up(refs, resolution, evidence, snapshot))
    whole = Evidence(items, evidence.parts, evidence.open_orders)
    machine = resolution.focus.equipment
    manuals = snapshot.manuals(machine.model) if machine and machine.model else ()
    current = [manual for manual in manuals if not manual.old_revision]
    words = vocabulary(resolution, whole, current, today or snapshot.published.date(), snapshot)
    checking = _Checking(resolution, words, snapshot)
    found = sorted(checking.findings(text), key=lambda one: one[1])
    marked = tuple(dict.fromkeys(span for _, span in found))
    forbidden = tuple(dict.fromkeys(span for warning, span in found if warning.kind is WarningKind.SAFETY))
    worst_first = sorted((warning for warning, _ in found), key=lambda one: one.kind is not WarningKind.SAFETY)
    return CheckedText(text, marked, tuple(dict.fromkeys(worst_first)), checking.citations(text), forbidden)


def check_proposal(
    equipment_id: str, title: str, detail: str, resolution: Resolution, evidence: Evidence, snapshot: Snapshot
) -> tuple[AnswerWarning, ...]:
    """What in a drafted request could not be verified; also a machine other than the one the question means."""
    warnings = check_text(f"{title}\n{detail}", resolution, evidence, snapshot).warnings
    meant = resolution.focus.equipment
    if meant is not None and fold_code(equipment_id) != meant.folded:
        text = f"依頼案の設備 {equipment_id} は、質問の設備 {meant.equipment_id} ではありません。"
        return (AnswerWarning(WarningKind.WRONG_OWNER, text, equipment_id), *warnings)
    return warnings


def _looked_up(
    refs: Iterable[str], resolution: Resolution, evidence: Evidence, snapshot: Snapshot
) -> Iterator[EvidenceItem]:
    """What the tools returned, with whose it is seen from the focus."""
    known = {item.ref for item in evidence.items}
    for ref in dict.fromkeys(refs):
        source = (
            snapshot.record(ref.removeprefix("record:")) if ref.startswith("record:") else section_of(snapshot, ref)
        )
        if source is not None and ref not in known:
            yield EvidenceItem(source, 0.0, "道具の結果", _scope(source, resolution.focus.equipment))


def _scope(source: ManualSection | MaintenanceRecord, machine: Equipment | None) -> Scope:
    if isinstance(source, MaintenanceRecord):
        own = machine is not None and fold_code(source.equipment_id) == machine.folded
    else:
        own = machine is not None and fold_code(machine.model) in map(fold_code, source.models)
        if own and source.old_revision:
            return Scope.OLD_REVISION
    return Scope.OWN if own else Scope.OTHER_MACHINE


@dataclass(frozen=True, slots=True)
class _Checking:
    resolution: Resolution
    known: Vocabulary
    snapshot: Snapshot

    def findings(self, text: str) -> Iterator[Finding]:
        for sentence in sentences(text):
            yield from filter(None, (self._claim(claim, sentence) for claim in sentence.claims))
            yield from self._lines(sentence)
            yield from self._machine_names(sentence)
        for found in rules_of(self.snapshot).forbidden(text):
            words = f"安全規則が禁じる内容です（{found.ban.name}）。"
            yield AnswerWarning(WarningKind.SAFETY, words, found.ban.name), (found.start, found.end)

    def citations(self, text: str) -> tuple[Citation, ...]:
        """The sources that the text names by reference, record number or verbatim words, in its order."""
        citing = Citing(self.snapshot)
        for sentence in sentences(text):
            for claim in sentence.claims:
                for shelf in self._named_by(claim):
                    quote = claim.key if claim.kind is ClaimKind.QUOTE else _first_words(shelf.source)
                    match shelf.source:
                        case ManualSection() as section:
                            citing.section(section, quote)
                        case MaintenanceRecord() as record:
                            citing.record(record, quote)
        return tuple(_as_verified(citation) for citation in citing.citations)

    def _named_by(self, claim: Claim) -> Iterator[Shelf]:
        shelves = (*self.known.own, *self.known.others, *self.known.old)
        with_source = [shelf for shelf in shelves if shelf.source is not None]
        match claim.kind:
            case ClaimKind.REF:
                yield from (shelf for shelf in with_source if shelf.ref == claim.key)
            case ClaimKind.QUOTE:
                yield from [shelf for shelf in with_source if shelf.bears(claim)][:1]
            case ClaimKind.CODE:
                yield from (shelf for shelf in with_source if fold_code(shelf.ref.removeprefix("record:")) == claim.key)

    def _claim(self, claim: Claim, sentence: Sentence) -> Finding | None:
        if _says_nothing(claim):
            return None
        if self.known.owns(claim):
            return self._of_its_record(claim, sentence)
        folded = fold(sentence.text)
        if self._is_said_absent(claim, folded):
            return None
        if others := [shelf for shelf in self.known.others if shelf.bears(claim)]:
            if any(_is_labelled(shelf, folded) for shelf in others):
                return None
            return _finding(WarningKind.WRONG_OWNER, f"「{claim.text}」は別の設備のものです。", claim)
        if any(shelf.bears(claim) for shelf in self.known.old):
            if _OLD.search(folded):
                return None
            return _finding(WarningKind.OLD_REVISION, f"「{claim.text}」は旧版の記載です。", claim)
        return self._unknown(claim, sentence)

    def _of_its_record(self, claim: Claim, sentence: Sentence) -> Finding | None:
        """A date beside a record number must be that record's."""
        if claim.kind is not ClaimKind.DATE:
            return None
        named = [one for other in sentence.claims if other.kind is ClaimKind.CODE for one in self._named_by(other)]
        records = [shelf for shelf in named if isinstance(shelf.source, MaintenanceRecord)]
        if not records or any(shelf.bears(claim) for shelf in records):
            return None
        return _finding(WarningKind.NOT_IN_EVIDENCE, f"「{claim.text}」はその記録の日付ではありません。", claim)

    def _is_said_absent(self, claim: Claim, folded: str) -> bool:
        """A name of the question that this machine's papers don't have, in a sentence that says so."""
        if claim.kind not in (ClaimKind.CODE, ClaimKind.QUOTE) or not _ABSENT.search(folded):
            return False
        return any(claim.key in (one.key, one.text) for one in self.resolution.mentions)

    def _unknown(self, claim: Claim, sentence: Sentence) -> Finding | None:
        match claim.kind:
            case ClaimKind.CODE:
                return self._unknown_code(claim, sentence)
            case ClaimKind.QUOTE:
                words = "の引用は、どの根拠にもありません。"
            case ClaimKind.REF:
                words = "は、この質問で調べた根拠にありません。"
            case _:
                words = "は、この質問の根拠で確かめられません。"
        return _finding(WarningKind.NOT_IN_EVIDENCE, f"「{claim.text}」{words}", claim)

    def _is_of_this_model(self, claim: Claim) -> bool:
        meant = self.resolution.focus.equipment
        models = owners_of(self.snapshot, claim.key).models
        return meant is not None and fold_code(meant.model) in map(fold_code, models)

    def _unknown_code(self, claim: Claim, sentence: Sentence) -> Finding | None:
        """Real but another's is worse than invented: it looks right."""
        if _ANOTHER_CODE in fold(sentence.text) and self._is_of_this_model(claim):
            return None
        machine = self.snapshot.equipment(claim.text)
        record = self.snapshot.record(claim.text)
        part = self.snapshot.part(claim.text)
        owners = owners_of(self.snapshot, claim.key)
        is_model = claim.key in lexicon_of(self.snapshot).models
        meant = self.resolution.focus.equipment
        if machine or is_model or (record and meant and fold_code(record.equipment_id) != meant.folded):
            return _finding(WarningKind.WRONG_OWNER, f"「{claim.text}」は別の設備のものです。", claim)
        if part and meant and fold_code(meant.model) not in map(fold_code, part.models):
            return _finding(WarningKind.WRONG_OWNER, f"「{claim.text}」は別の型番の部品です。", claim)
        if owners and meant and fold_code(meant.model) not in map(fold_code, owners.models):
            return _finding(WarningKind.WRONG_OWNER, f"「{claim.text}」は別の型番のコードです。", claim)
        if record or part or owners:
            return _finding(WarningKind.NOT_IN_EVIDENCE, f"「{claim.text}」は、この質問の根拠にありません。", claim)
        return _finding(WarningKind.UNKNOWN_NAME, f"「{claim.text}」は台帳・マニュアル・記録にありません。", claim)

    def _lines(self, sentence: Sentence) -> Iterator[Finding]:
        """Lines other than the focus's, unless the papers speak of them or they are labelled or said to be absent."""
        form = squeezed(sentence.text)
        for match in _LINE.finditer(kanji_digits(form.text)):
            key = line_key(match[1] or match[2])
            if self._line_is_ours(key, match[0]) or self._other_line_allowed(key, fold(sentence.text)):
                continue
            start, end = form.source_span(*match.span())
            claim = Claim(ClaimKind.CODE, sentence.text[start:end], key, sentence.start + start, sentence.start + end)
            exists = key in lexicon_of(self.snapshot).lines
            kind = WarningKind.WRONG_OWNER if exists else WarningKind.UNKNOWN_NAME
            words = "はこの設備のラインではありません。" if exists else "は台帳にありません。"
            yield _finding(kind, f"「{claim.text}」{words}", claim)

    def _line_is_ours(self, key: str, written: str) -> bool:
        focus = self.resolution.focus
        machines = (focus.equipment, *focus.candidates, *focus.suggestions)
        return any(one and line_key(one.line) == key for one in machines) or written in self.known.own_text

    def _other_line_allowed(self, key: str, folded: str) -> bool:
        asked = any(one.kind is MentionKind.LINE and one.key == key for one in self.resolution.mentions)
        return _OTHER in folded or (asked and bool(_ABSENT.search(folded)))

    def _machine_names(self, sentence: Sentence) -> Iterator[Finding]:
        """Names of other machines that neither the papers nor the question speak of."""
        lexicon, form = lexicon_of(self.snapshot), squeezed(sentence.text)
        if _OTHER in form.text:
            return
        for name, ids in lexicon.names.items():
            if len(name) < _SHORT_NAME or name not in form.text or self._name_is_ours(name, ids, lexicon):
                continue
            for start, end in form.find(name):
                start, end = form.source_span(start, end)
                claim = Claim(
                    ClaimKind.CODE, sentence.text[start:end], name, sentence.start + start, sentence.start + end
                )
                yield _finding(WarningKind.WRONG_OWNER, f"「{claim.text}」は別の設備の名前です。", claim)

    def _name_is_ours(self, name: str, ids: Sequence[str], lexicon: Lexicon) -> bool:
        focus = self.resolution.focus
        machines = (focus.equipment, *focus.candidates, *focus.suggestions)
        ours = {one.equipment_id for one in machines if one}
        own_names = (other for other, owners in lexicon.names.items() if ours & set(owners))
        return bool(ours & set(ids)) or name in self.known.own_text or any(name in other for other in own_names)


def _is_labelled(shelf: Shelf, folded: str) -> bool:
    """別設備 with the id (or, for a manual, the model) of whose it is."""
    return _OTHER in folded and any(fold(owner) in folded for owner in shelf.owner)


def _says_nothing(claim: Claim) -> bool:
    """3D, 2F, 5S: short words that happen to hold a digit."""
    key = claim.key
    return claim.kind is ClaimKind.CODE and key[0].isdigit() and not key.isdigit() and len(key) < 3


def _finding(kind: WarningKind, text: str, claim: Claim) -> Finding:
    return AnswerWarning(kind, text, claim.text), (claim.start, claim.end)


def _first_words(source: ManualSection | MaintenanceRecord | None) -> str:
    if isinstance(source, ManualSection):
        return source.heading or source.body.split("\n")[0]
    return (source.action or source.symptom) if source else ""


def _as_verified(citation: Citation) -> Citation:
    return Citation(
        citation.n,
        citation.kind,
        citation.ref,
        citation.title,
        citation.quote,
        citation.page,
        citation.page_label,
        citation.revision,
        citation.record_id,
        citation.equipment_id,
        verified=True,
    )
