"""The check of a composed answer: every source looked up again, every word that carries a fact made anew."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from desktop.domain.answer import (
    Answer,
    AnswerLine,
    AnswerWarning,
    Citation,
    CitationKind,
    Evidence,
    Resolution,
    Scope,
    WarningKind,
)
from desktop.domain.ledger import MaintenanceRecord, ManualSection
from desktop.domain.text import shape
from desktop.evidence import phrases
from desktop.evidence.citing import Citing, ledger_ref, part_ref
from desktop.evidence.context import ComposeContext
from desktop.evidence.expected import expected_phrases, expected_titles, footer_of
from desktop.evidence.papers import section_of
from desktop.evidence.quotes import source_text, stands_in

_QUOTED = re.compile("「([^」]*)」")
_FACT = re.compile("[0-9a-z「]")
_UNNUMBERED = ("", "・")


def check_answer(
    answer: Answer, resolution: Resolution, evidence: Evidence, context: ComposeContext
) -> tuple[AnswerWarning, ...]:
    """What in a composed answer the papers don't bear out; nothing, for an answer as `compose` made it."""
    return AnswerCheck(resolution, evidence, context).findings(answer)


def verified(answer: Answer, resolution: Resolution, evidence: Evidence, context: ComposeContext) -> Answer:
    """The answer with `verified` set on each citation that its source bears out, and a warning for all else."""
    checking = _Checking(answer, AnswerCheck(resolution, evidence, context))
    citations = tuple(replace(one, verified=checking.citation(one) is None) for one in answer.citations)
    return replace(answer, citations=citations, warnings=(*answer.warnings, *checking.findings()))


class AnswerCheck:
    """What answers to one question are checked against, made once."""

    def __init__(self, resolution: Resolution, evidence: Evidence, context: ComposeContext) -> None:
        self.evidence = evidence
        self.context = context
        self.machine = resolution.focus.equipment
        self.items = {item.ref: item for item in evidence.items}
        self.phrases = sorted(expected_phrases(resolution, evidence, context), key=len, reverse=True)
        self.entry = phrases.ledger_fact(self.machine, resolution.question) if self.machine else ""
        self.titles = expected_titles(resolution, evidence, context)
        self.sections: dict[str, bool] = {}

    def findings(self, answer: Answer) -> tuple[AnswerWarning, ...]:
        return tuple(_Checking(answer, self).findings())


class _Checking:
    def __init__(self, answer: Answer, against: AnswerCheck) -> None:
        self._answer = answer
        self._evidence = against.evidence
        self._context = against.context
        self._machine = against.machine
        self._items = against.items
        self._judged: dict[Citation, AnswerWarning | None] = {}
        self._sections = against.sections
        self._cited = {citation.n: citation for citation in answer.citations}
        self._phrases = against.phrases
        self._titles = against.titles
        self._entry = against.entry

    def findings(self) -> Iterator[AnswerWarning]:
        for citation in self._answer.citations:
            if problem := self.citation(citation):
                yield problem
        yield from filter(None, map(self._line, self._answer.lines()))
        steps = [line for block in self._answer.blocks for line in (*block.steps, *block.causes)]
        yield from filter(None, map(self._quoted_whole, steps))
        warned = (one.text for one in self._answer.warnings)
        texts = (self._answer.summary, *self._answer.safety, *self._answer.lockout, *warned)
        yield from filter(None, (self._text(text, self._answer.citations) for text in texts))
        yield from self._draft()
        if self._answer.equipment not in (self._machine, None):
            yield AnswerWarning(WarningKind.WRONG_OWNER, "回答の設備が質問の設備と違います。")
        yield from (_unborne(block.subject) for block in self._answer.blocks if block.subject not in self._titles)
        if self._answer.footer != footer_of(self._machine, self._context):
            yield _unborne(self._answer.footer)

    def citation(self, citation: Citation) -> AnswerWarning | None:
        """What is wrong with a citation, if anything: it must be what citing its source anew would give."""
        if citation not in self._judged:
            self._judged[citation] = self._judge(citation)
        return self._judged[citation]

    def _judge(self, citation: Citation) -> AnswerWarning | None:
        again = self._cited_again(citation)
        if again is None:
            return AnswerWarning(WarningKind.NOT_IN_EVIDENCE, f"{citation.title}は根拠にありません。", citation.ref)
        if replace(again, n=citation.n, verified=citation.verified) != citation:
            return AnswerWarning(WarningKind.NOT_IN_EVIDENCE, f"{citation.title}の記載が原本と違います。", citation.ref)
        source = self._items[citation.ref].source if citation.ref in self._items else None
        if source is not None and not stands_in(citation.quote, source_text(source)):
            return AnswerWarning(WarningKind.NOT_IN_EVIDENCE, f"引用が{citation.title}にありません。", citation.ref)
        return self._ownership(citation)

    def _cited_again(self, citation: Citation) -> Citation | None:
        citing = Citing(self._context.snapshot)
        match citation.kind:
            case CitationKind.NOTE:
                for note in self._context.notes:
                    if note.ref == citation.ref:
                        citing.note(note)
            case CitationKind.LEDGER:
                if self._machine and citation.ref == ledger_ref(self._machine) and self._entry:
                    citing.ledger(self._machine, self._entry)
                for part in self._evidence.parts:
                    if part_ref(part) == citation.ref:
                        citing.part(part)
            case _:
                self._cite_item(citing, citation)
        return citing.citations[0] if citing.citations else None

    def _cite_item(self, citing: Citing, citation: Citation) -> None:
        item = self._items.get(citation.ref)
        match item.source if item else None:
            case ManualSection() as section if self._stands_in_snapshot(section):
                citing.section(section, citation.quote)
            case MaintenanceRecord() as record:
                citing.record(record, citation.quote)

    def _stands_in_snapshot(self, section: ManualSection) -> bool:
        if section.ref not in self._sections:
            self._sections[section.ref] = section_of(self._context.snapshot, section.ref) == section
        return self._sections[section.ref]

    def _ownership(self, citation: Citation) -> AnswerWarning | None:
        """Another machine's source only in lines that name it as such."""
        item = self._items.get(citation.ref)
        if item is None or item.scope is Scope.OWN:
            return None
        lines = [line for line in self._answer.lines() if citation.n in line.cites]
        if item.scope is Scope.OTHER_MACHINE and lines and all("別設備" in line.text for line in lines):
            return None
        kind = WarningKind.OLD_REVISION if item.scope is Scope.OLD_REVISION else WarningKind.WRONG_OWNER
        return AnswerWarning(kind, f"{citation.title}はこの設備のものではありません。", citation.ref)

    def _line(self, line: AnswerLine) -> AnswerWarning | None:
        if any(n not in self._cited for n in line.cites):
            return _unborne(line.text)
        return self._text(line.text, [self._cited[n] for n in line.cites])

    def _quoted_whole(self, line: AnswerLine) -> AnswerWarning | None:
        """A step is the manual's own words under the manual's own number."""
        cited = [self._cited[n] for n in line.cites if n in self._cited]
        numbered = line.text if line.label in _UNNUMBERED else f"{line.label} {line.text}"
        if not cited or any(self._bears(one, numbered) for one in cited):
            return None
        return _unborne(numbered)

    def _text(self, text: str, cited: Iterable[Citation]) -> AnswerWarning | None:
        """A line is its phrases and its quotations; nothing else in it may carry a number, a code or a quotation."""
        rest = text
        for phrase in self._phrases:
            rest = rest.replace(phrase, "")
        sources = tuple(cited)
        if rest and any(self._bears(one, rest) for one in sources):
            return None
        for quote in _QUOTED.findall(rest):
            if any(self._bears(one, quote) for one in sources):
                rest = rest.replace(f"「{quote}」", "")
        return _unborne(text) if _FACT.search(shape(rest)) else None

    def _bears(self, citation: Citation, words: str) -> bool:
        item = self._items.get(citation.ref)
        return stands_in(words, source_text(item.source) if item else citation.quote)

    def _draft(self) -> Iterator[AnswerWarning]:
        draft = self._answer.request_draft
        if draft is None:
            return
        if self._machine is None or draft.equipment_id != self._machine.equipment_id:
            yield AnswerWarning(WarningKind.WRONG_OWNER, "依頼案の設備が質問の設備と違います。", draft.equipment_id)
        if draft.title not in self._titles:
            yield _unborne(draft.title)
        sources = {phrases.source_words(one) for one in self._answer.citations if self.citation(one) is None}
        self._phrases = sorted((*self._phrases, *sources), key=len, reverse=True)
        lines = (self._text(line, self._answer.citations) for line in draft.detail.split("\n"))
        yield from filter(None, lines)


def _unborne(text: str) -> AnswerWarning:
    return AnswerWarning(WarningKind.NOT_IN_EVIDENCE, f"根拠で確かめられない記載があります：{text}", text)
