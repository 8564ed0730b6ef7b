"""The composed answer as components, in reading order: machine, conclusion, safety, steps, history, next move."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from desktop.domain.answer import Answer, AnswerBlock, AnswerLine, AnswerStatus, Citation
from desktop.ui import theme
from desktop.ui.answer_rows import Folded, LineRow, LockoutRow, StepRow
from desktop.ui.citation_view import CitationsView
from desktop.ui.names import named
from desktop.ui.widgets import button, card, label

_STEPS_SHOWN = 7
_HISTORY_SHOWN = 3


class AnswerView(QWidget):
    """Everything it shows was quoted or computed; nothing here was written by a model."""

    citation_chosen = Signal(object)
    outcome_told = Signal(object)
    request_wanted = Signal(object)

    def __init__(self, answer: Answer, *, old: bool = False) -> None:
        super().__init__()
        self._answer = answer
        self._sources = {citation.n: citation for citation in answer.citations}
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(theme.em(0.35))
        self._add_machine()
        if answer.summary:
            cites = answer.blocks[0].conclusion.cites if self._says_summary(answer.blocks[:1]) else ()
            self._column.addWidget(self._line(AnswerLine(answer.summary, cites), "big"))
        self._add_safety()
        for block in answer.blocks:
            self._add_block(block)
        if answer.citations:
            self._add_heading(self.tr("根拠"))
            sources = CitationsView(answer.citations)
            sources.chosen.connect(self.citation_chosen)
            self._column.addWidget(sources)
        self._add_next()
        self._add_warnings()
        if answer.footer:
            self._column.addWidget(label(answer.footer, "warn" if old else "note"))

    def _add_machine(self) -> None:
        if not self._answer.machine and self._answer.equipment is None:
            return
        box = QWidget()
        named(box, "answerMachine")
        column = QVBoxLayout(box)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.em(0.15))
        first, *others = self._answer.machine or (AnswerLine(machine_words(self._answer)),)
        column.addWidget(label(first.text, "huge", selectable=True))
        for line in others:
            column.addWidget(self._line(line))
        self._column.addWidget(box)

    def _add_safety(self) -> None:
        if not self._answer.safety:
            return
        frame, column = card("safety")
        named(frame, "answerSafety")
        row = QHBoxLayout()
        row.setSpacing(theme.em(0.8))
        row.addWidget(label(self.tr("安全"), "danger", wrap=False), 0, Qt.AlignmentFlag.AlignTop)
        lines = QVBoxLayout()
        lines.setSpacing(0)
        for line in self._answer.safety:
            lines.addWidget(label(line, selectable=True))
        row.addLayout(lines, 1)
        column.addLayout(row)
        self._column.addWidget(frame)

    def _add_block(self, block: AnswerBlock) -> None:
        if block.subject and len(self._answer.blocks) > 1:
            self._column.addWidget(label(block.subject, "big"))
        if block.conclusion.text and not self._says_summary((block,)):
            self._column.addWidget(self._line(block.conclusion, "strong"))
        self._add_steps(block)
        self._add_lines(self.tr("原因"), block.causes)
        self._add_history(block)
        self._add_lines(self.tr("同型機（別設備）"), block.same_model)
        self._add_lines(self.tr("部品"), block.parts)

    def _add_lines(self, title: str, lines: tuple[AnswerLine, ...]) -> None:
        if lines:
            self._add_heading(title)
            for line in lines:
                self._column.addWidget(self._line(line))

    def _add_steps(self, block: AnswerBlock) -> None:
        lockout = self._answer.lockout if block is self._answer.blocks[0] else ()
        if not block.steps and not lockout:
            return
        frame, column = card()
        named(frame, "answerSteps")
        if lockout:
            column.addWidget(LockoutRow(lockout))
        rows: list[QWidget] = []
        for line in block.steps:
            row = StepRow(line, self._of(line))
            row.citation_chosen.connect(self.citation_chosen)
            row.outcome_told.connect(self.outcome_told)
            rows.append(row)
        self._fold(column, rows, _STEPS_SHOWN, self.tr("続き {n}").format(n=len(rows) - _STEPS_SHOWN))
        self._column.addWidget(frame)

    def _add_history(self, block: AnswerBlock) -> None:
        if not block.history:
            return
        self._add_heading(self.tr("この設備での実績"))
        frame, column = card()
        named(frame, "answerHistory")
        others = max(block.history_total, len(block.history)) - _HISTORY_SHOWN
        rows: list[QWidget] = [self._line(line) for line in block.history]
        self._fold(column, rows, _HISTORY_SHOWN, self.tr("他 {n}件").format(n=others))
        if others > 0 and len(rows) <= _HISTORY_SHOWN:
            column.addWidget(label(self.tr("他 {n}件").format(n=others), "note"))
        self._column.addWidget(frame)

    def _add_next(self) -> None:
        asked = self._answer.status is AnswerStatus.AWAITING_APPROVAL
        draft = None if asked else self._answer.request_draft
        if not self._answer.next_moves and draft is None:
            return
        self._add_heading(self.tr("次の一手"))
        for line in self._answer.next_moves:
            self._column.addWidget(self._line(line))
        if draft is not None:
            write = button(self.tr("保全依頼を書く"), "draftRequestButton")
            write.clicked.connect(self._on_write)
            self._column.addWidget(write, 0, Qt.AlignmentFlag.AlignLeft)

    def _add_warnings(self) -> None:
        for warning in self._answer.warnings:
            self._column.addWidget(label(f"⚠ {warning.text}", "warn", selectable=True))

    def _add_heading(self, text: str) -> None:
        self._column.addWidget(label(text, "strong"))

    def _line(self, line: AnswerLine, role: str = "") -> LineRow:
        row = LineRow(line, self._of(line), role=role)
        row.citation_chosen.connect(self.citation_chosen)
        return row

    def _says_summary(self, blocks: tuple[AnswerBlock, ...]) -> bool:
        """A conclusion that only repeats the summary is shown once, with its sources."""
        return any(block.conclusion.text == self._answer.summary for block in blocks)

    def _of(self, line: AnswerLine) -> tuple[Citation, ...]:
        return tuple(self._sources[n] for n in line.cites if n in self._sources)

    def _fold(self, column: QVBoxLayout, rows: Sequence[QWidget], shown: int, words: str) -> None:
        for row in rows[:shown]:
            column.addWidget(row)
        if rest := rows[shown:]:
            column.addWidget(Folded(rest, words))

    @Slot()
    def _on_write(self) -> None:
        self.request_wanted.emit(self._answer.request_draft)


def machine_words(answer: Answer) -> str:
    """Line first, then what the machine is called."""
    machine = answer.equipment
    if machine is None:
        return ""
    return " ".join(word for word in (machine.line, machine.name, machine.equipment_id, machine.model) if word)
