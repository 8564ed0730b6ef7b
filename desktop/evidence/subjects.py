"""What an answer speaks of: each code by itself, or the symptoms together, with the evidence that belongs to it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from desktop.domain.answer import Evidence, Mention, MentionKind, Resolution, Scope
from desktop.domain.ledger import MaintenanceRecord, ManualSection
from desktop.domain.text import code_matches, fold_code
from desktop.evidence.anatomy import anatomy
from desktop.evidence.intent import asks_for_request, names_work_only
from desktop.evidence.ranking import CERTAIN
from desktop.evidence.troubles import codes_told

REQUEST = "保全依頼"
_NUMBER = re.compile(
    r"^(?:第\s*\d{1,3}\s*章|(?P<number>\d{1,2}(?:\.\d{1,3})*)(?=[\s.．:：]))[\s.．:：]*(?=\S)|^[■●◆□][\s]*"
)


_NUMBERS = (MentionKind.RECORD, MentionKind.REQUEST)
_OF_A_PAPER = re.compile(
    "(?:内容|状況|状態|進捗|詳細|中身|件|記載|結果|予定|見せて?|処置|原因|部品|担当者?|作業者?|日付?)+"
)
_BEHIND = 0.25  # how far behind the best hit a section may be and still answer for the symptoms


@dataclass(frozen=True, slots=True)
class Subject:
    """One code or the symptoms; sections best first, records newest first, all of the focus unless named otherwise."""

    title: str
    code: Mention | None
    sections: tuple[ManualSection, ...] = ()
    records: tuple[MaintenanceRecord, ...] = ()
    twins: tuple[MaintenanceRecord, ...] = ()
    elsewhere: tuple[ManualSection, ...] = ()
    old: tuple[ManualSection, ...] = ()
    by_question: bool = False
    number: Mention | None = None

    @property
    def named(self) -> bool:
        """Whether the title names a trouble, and is not merely the question."""
        return self.number is None and not self.by_question

    @property
    def by_symptom(self) -> bool:
        return self.code is None

    @property
    def known(self) -> bool:
        """Whether this machine's papers say anything of it."""
        return bool(self.sections or self.records)

    @property
    def main(self) -> ManualSection | None:
        """The section that answers: the best one that says what to do, else the best one."""
        return next((one for one in self.sections if anatomy(one).steps), self.sections[0] if self.sections else None)


def only_a_request(resolution: Resolution) -> bool:
    """Whether a request is all that is asked for: no code, part or symptom that the papers could speak of."""
    named = any(one.kind in (MentionKind.CODE, MentionKind.PART) for one in resolution.mentions)
    return asks_for_request(resolution.question) and not named and names_work_only(resolution.symptoms)


def subjects(resolution: Resolution, evidence: Evidence) -> tuple[Subject, ...]:
    """One subject a code, in the order of the question; the symptoms where no code has anything to say."""
    if only_a_request(resolution):
        return (Subject("・".join(resolution.symptoms) or REQUEST, None),)
    numbered = tuple(_of_number(one, evidence) for one in resolution.mentions if one.kind in _NUMBERS and one.exists)
    if numbered and not resolution.codes and not absent_parts(resolution) and not _own_words(resolution):
        return numbered
    return (*numbered, *_troubles(resolution, evidence))


def _own_words(resolution: Resolution) -> tuple[str, ...]:
    """The symptoms without words that only ask what a paper says (内容, 状況)."""
    return tuple(word for word in resolution.symptoms if not _OF_A_PAPER.fullmatch(word))


def _of_number(number: Mention, evidence: Evidence) -> Subject:
    records = (one for one in evidence.records() if fold_code(one.record_id) == number.key)
    return Subject(number.text, None, records=tuple(records), number=number)


def _troubles(resolution: Resolution, evidence: Evidence) -> tuple[Subject, ...]:
    by_code = {code.key: _of_code(code, evidence) for code in resolution.codes}
    told = tuple(by_code.values())
    if any(one.known for one in told) or (told and not _of_symptoms(resolution, evidence).known):
        return told
    return (*told, _of_symptoms(resolution, evidence))


def absent_parts(resolution: Resolution) -> tuple[Mention, ...]:
    return tuple(one for one in resolution.mentions if one.kind is MentionKind.PART and not one.exists)


def name_of(section: ManualSection) -> str:
    """A heading without its section number: E-12 充填ノズル詰まり; a number that is the code itself stays."""
    found = _NUMBER.match(section.heading)
    if found is None or (found["number"] and fold_code(found["number"]) in map(fold_code, section.codes)):
        return section.heading
    return section.heading[found.end() :].strip()


def _of_code(code: Mention, evidence: Evidence) -> Subject:
    def about(section: ManualSection) -> bool:
        return any(code_matches(printed, code.key) for printed in section.codes)

    def of_it(record: MaintenanceRecord) -> bool:
        return code.key in codes_told(record)

    sections = _exact_first(code.key, filter(about, evidence.sections()))
    return Subject(
        code.text,
        code,
        sections=(*sections, *_referred_to(sections, evidence)),
        records=tuple(filter(of_it, evidence.records())),
        twins=tuple(filter(of_it, evidence.records(Scope.OTHER_MACHINE))),
        elsewhere=tuple(filter(about, evidence.sections(Scope.OTHER_MACHINE))),
        old=tuple(filter(about, evidence.sections(Scope.OLD_REVISION))),
    )


def _exact_first(key: str, sections: Iterable[ManualSection]) -> tuple[ManualSection, ...]:
    """A section about this very code goes before one about a range that holds it, even with steps."""
    found = tuple(sections)
    exact = tuple(one for one in found if any(fold_code(printed) == key for printed in one.codes))
    return exact or found


def _referred_to(sections: Iterable[ManualSection], evidence: Evidence) -> tuple[ManualSection, ...]:
    """Where a code table only says which section to read, that section."""
    rows = {f"「{one.heading}」から参照" for one in sections if not anatomy(one).steps}
    found = (item.source for item in evidence.items if item.reason in rows and item.score >= CERTAIN)
    return tuple(one for one in found if isinstance(one, ManualSection) and not one.codes)


def _of_symptoms(resolution: Resolution, evidence: Evidence) -> Subject:
    """Records that only stand there because nothing else was found (score 0) don't speak of the symptoms."""
    found = [item for item in evidence.items if item.score > 0]
    best = max((item.score for item in found if item.scope is Scope.OWN), default=0.0)
    sections = (item.source for item in found if item.scope is Scope.OWN and item.score >= best - _BEHIND)
    return Subject(
        "・".join(resolution.symptoms) or resolution.question.strip(),
        None,
        sections=tuple(one for one in sections if isinstance(one, ManualSection)) or evidence.sections(),
        records=tuple(i.source for i in found if isinstance(i.source, MaintenanceRecord) and i.scope is Scope.OWN),
        twins=evidence.records(Scope.OTHER_MACHINE),
        old=evidence.sections(Scope.OLD_REVISION),
        by_question=not resolution.symptoms,
    )
