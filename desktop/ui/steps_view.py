"""調べた手順: one line that grows while a question is worked on and unfolds into what was looked up."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from desktop.agent.events import (
    AnswerChecked,
    ApprovalRequested,
    Event,
    FactsGathered,
    RunFinished,
    RunStopped,
    StopReason,
    ToolFinished,
    TurnStarted,
    Usage,
)
from desktop.domain.answer import Focus, SearchStep
from desktop.ui import messages, theme
from desktop.ui.names import named
from desktop.ui.widgets import ElidedButton, clear, label

_WITHOUT_AI = frozenset({StopReason.UNREACHABLE, StopReason.ERROR})


@dataclass(frozen=True, slots=True)
class Step:
    """One thing done: short word for the line, whole words for the list."""

    short: str
    words: str
    seconds: float = 0.0
    failed: bool = False


@dataclass(slots=True)
class StepLog:
    """The steps of one run, filled from its events."""

    steps: list[Step] = field(default_factory=list)
    running: bool = False
    usage: Usage = field(default_factory=Usage)

    def add(self, event: Event) -> None:
        match event:
            case FactsGathered(resolution=resolution, evidence=evidence):
                self.steps.append(_of_focus(resolution.focus))
                self.steps += [_of_search(step) for step in evidence.steps]
            case TurnStarted(turn=turn):
                self.steps = [step for step in self.steps if not (step.failed and _asks_ai(step))]  # asked again
                self.steps.append(Step(messages.step_word("turn"), messages.turn_words(turn)))
            case ToolFinished() as tool:
                self.steps.append(_of_tool(tool))
            case AnswerChecked(checked=checked):
                words = messages.check_words(len(checked.warnings))
                self.steps.append(Step(messages.step_word("check"), words, failed=bool(checked.warnings)))
            case ApprovalRequested(proposal=proposal):
                self.steps.append(Step(messages.step_word("approval"), proposal.title))
            case RunFinished(usage=usage):
                self.usage = usage
            case RunStopped(usage=usage, reason=reason):
                self.usage = usage
                if reason in _WITHOUT_AI:
                    self._fail_ai(messages.stop_words(reason, ""))

    def _fail_ai(self, words: str) -> None:
        """The last question to the AI came to nothing; `words` where there was none."""
        asked = [at for at, step in enumerate(self.steps) if _asks_ai(step)]
        if asked:
            self.steps[asked[-1]] = replace(self.steps[asked[-1]], failed=True)
        else:
            self.steps.append(Step(messages.step_word("turn"), words, failed=True))


class StepsView(QFrame):
    """Shows one log at a time; details (words in English, tokens) only when unfolded."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        named(self, "stepsView")
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.em(0.2))
        self._list = QWidget()
        self._list.setProperty("role", "page")
        self._rows = QVBoxLayout(self._list)
        self._scroll = QScrollArea()
        self._scroll.setWidgetResizable(True)
        self._scroll.setFocusPolicy(self._scroll.focusPolicy().NoFocus)
        self._scroll.setMaximumHeight(theme.em(12))
        self._scroll.setWidget(self._list)
        self._scroll.hide()
        self._line = ElidedButton("stepsButton", "flat")
        self._line.clicked.connect(self._on_fold)
        column.addWidget(self._scroll)
        column.addWidget(self._line)
        self._log = StepLog()
        self.show_log(self._log)

    def show_log(self, log: StepLog) -> None:
        self._log = log
        self._line.set_words(self._summary())
        self.setVisible(self.has_steps)
        if self._scroll.isVisibleTo(self):
            self._fill()

    @property
    def has_steps(self) -> bool:
        return bool(self._log.steps) or self._log.running

    def _summary(self) -> str:
        arrow = "▼" if self._scroll.isVisibleTo(self) else "▶"
        shown: dict[str, bool] = {}
        for step in self._log.steps:
            shown[step.short] = shown.get(step.short, True) and not step.failed
        words = " ".join(f"{short}{'✓' if fine else '×'}" for short, fine in shown.items())
        seconds = self._log.usage.seconds or sum(step.seconds for step in self._log.steps)
        tail = self.tr("調べています…") if self._log.running else self.tr("{s}秒").format(s=f"{seconds:.1f}")
        return f"{arrow} " + self.tr("調べた手順：{words} {tail}").format(words=words, tail=tail)

    def _fill(self) -> None:
        clear(self._rows)
        for step in self._log.steps:
            mark = "×" if step.failed else "✓"
            self._rows.addWidget(label(f"{mark} {step.words}", "warn" if step.failed else ""))
        usage = self._log.usage
        if usage.turns:
            self._rows.addWidget(label(messages.usage_words(usage), "note"))
        self._rows.addStretch(1)

    @Slot()
    def _on_fold(self) -> None:
        self._scroll.setVisible(not self._scroll.isVisibleTo(self))
        self.show_log(self._log)


def _asks_ai(step: Step) -> bool:
    return step.short == messages.step_word("turn")


def _of_focus(focus: Focus) -> Step:
    machine = focus.equipment
    words = messages.focus_words(machine.equipment_id if machine else "")
    return Step(messages.step_word("equipment"), words, failed=machine is None)


def _of_search(step: SearchStep) -> Step:
    words = messages.search_words(step.name, step.query, step.count, step.seconds)
    return Step(messages.step_word(step.name), words, step.seconds)


def _of_tool(tool: ToolFinished) -> Step:
    query = " / ".join(str(value) for value in tool.input.values())
    words = messages.search_words(tool.name, query, tool.count, tool.seconds)
    return Step(messages.step_word(tool.name), tool.error or words, tool.seconds, failed=tool.error is not None)
