"""A question's focus, the evidence gathered for it, and the answer made of that evidence."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum

from desktop.domain.ledger import Equipment, MaintenanceRecord, ManualSection, OpenOrder, Part
from desktop.domain.machine_note import MachineNote


class MentionKind(StrEnum):
    EQUIPMENT_ID = "equipment_id"
    EQUIPMENT_NAME = "equipment_name"
    LINE = "line"
    PLACE = "place"
    MODEL = "model"
    CODE = "code"
    PART = "part"
    RECORD = "record"
    REQUEST = "request"


@dataclass(frozen=True, slots=True)
class Mention:
    """A name found in the question: `text` as typed, `key` its search form, `owners` what it belongs to.

    For a code the owners are model names whose manuals have it; for a part its models; for a name or line the
    equipment ids. `suggestions` are near spellings that exist; they are shown, never taken.
    """

    text: str
    kind: MentionKind
    key: str
    exists: bool
    owners: tuple[str, ...] = ()
    suggestions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Focus:
    """Which machine is meant: one in `equipment`, several in `candidates`, or neither."""

    equipment: Equipment | None = None
    candidates: tuple[Equipment, ...] = ()
    unresolved: tuple[str, ...] = ()
    suggestions: tuple[Equipment, ...] = ()
    carried_over: bool = False


@dataclass(frozen=True, slots=True)
class Resolution:
    """What `evidence.resolve` found in a question; `symptoms` are its words that are no names.

    `about` is the conversation's question that this one goes on about, "" where it stands by itself.
    """

    question: str
    focus: Focus
    mentions: tuple[Mention, ...] = ()
    symptoms: tuple[str, ...] = ()
    about: str = ""

    @property
    def asked(self) -> str:
        """The question with the trouble in it."""
        return self.about or self.question

    @property
    def codes(self) -> tuple[Mention, ...]:
        return tuple(m for m in self.mentions if m.kind is MentionKind.CODE)

    @property
    def absent(self) -> tuple[Mention, ...]:
        return tuple(m for m in self.mentions if not m.exists)


class Scope(StrEnum):
    """Whose a piece of evidence is, seen from the focus."""

    OWN = "own"
    OTHER_MACHINE = "other_machine"
    OLD_REVISION = "old_revision"


class Gap(StrEnum):
    """What an answer needs and the evidence lacks."""

    MEANING = "meaning"
    CAUSE = "cause"
    REMEDY = "remedy"
    SAFETY = "safety"
    PART = "part"
    HISTORY = "history"


class Band(StrEnum):
    """How well supported; the value is the word on screen."""

    HIGH = "高"
    MEDIUM = "中"
    LOW = "低"
    NONE = "なし"


@dataclass(frozen=True, slots=True)
class EvidenceItem:
    """One thing that may be cited: its source, a relevance of 0 to 1 and the reason in words."""

    source: ManualSection | MaintenanceRecord
    score: float
    reason: str
    scope: Scope = Scope.OWN
    cycle: int = 1

    @property
    def ref(self) -> str:
        return self.source.ref


@dataclass(frozen=True, slots=True)
class SearchStep:
    """One look-up of the harness, as shown under 調べた手順."""

    name: str
    query: str
    count: int
    seconds: float
    cycle: int = 1


@dataclass(frozen=True, slots=True)
class Evidence:
    """All that a run may cite, best first; `gaps` is what stayed missing."""

    items: tuple[EvidenceItem, ...] = ()
    parts: tuple[Part, ...] = ()
    open_orders: tuple[OpenOrder, ...] = ()
    gaps: tuple[Gap, ...] = ()
    steps: tuple[SearchStep, ...] = ()
    band: Band = Band.NONE

    def sections(self, scope: Scope = Scope.OWN) -> tuple[ManualSection, ...]:
        return tuple(i.source for i in self.items if i.scope is scope and isinstance(i.source, ManualSection))

    def records(self, scope: Scope = Scope.OWN) -> tuple[MaintenanceRecord, ...]:
        return tuple(i.source for i in self.items if i.scope is scope and isinstance(i.source, MaintenanceRecord))


class CitationKind(StrEnum):
    MANUAL = "manual"
    RECORD = "record"
    LEDGER = "ledger"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Citation:
    """A numbered source; `quote` is a substring of it after folding, `page` counts from 1."""

    n: int
    kind: CitationKind
    ref: str
    title: str
    quote: str
    page: int | None = None
    page_label: str | None = None
    revision: str | None = None
    record_id: str | None = None
    equipment_id: str | None = None
    verified: bool = False


class WarningKind(StrEnum):
    UNKNOWN_NAME = "unknown_name"
    NOT_IN_EVIDENCE = "not_in_evidence"
    WRONG_OWNER = "wrong_owner"
    OLD_REVISION = "old_revision"
    MISSING_TEXT = "missing_text"
    SAFETY = "safety"


@dataclass(frozen=True, slots=True)
class AnswerWarning:
    """What the check or the data could not vouch for; `name` is the word concerned."""

    kind: WarningKind
    text: str
    name: str = ""


class AnswerStatus(StrEnum):
    ANSWERED = "answered"
    NEEDS_CHOICE = "needs_choice"
    NOT_FOUND = "not_found"
    REFUSED = "refused"
    AWAITING_APPROVAL = "awaiting_approval"
    STOPPED = "stopped"


@dataclass(frozen=True, slots=True)
class AnswerLine:
    """One line of an answer with the numbers of its citations; `label` is its own number or tag, as printed."""

    text: str
    cites: tuple[int, ...] = ()
    label: str = ""


@dataclass(frozen=True, slots=True)
class OpenRequest:
    """Work already asked for on the machine; `source` is request (ours) or order (the plant's own)."""

    number: str
    title: str
    state: str
    source: str = "request"


@dataclass(frozen=True, slots=True)
class AnswerBlock:
    """What is said of one code or symptom. All lines are here; the screen folds past 7 steps and 3 history rows."""

    subject: str
    conclusion: AnswerLine
    steps: tuple[AnswerLine, ...] = ()
    history: tuple[AnswerLine, ...] = ()
    history_total: int = 0
    same_model: tuple[AnswerLine, ...] = ()
    parts: tuple[AnswerLine, ...] = ()
    causes: tuple[AnswerLine, ...] = ()


@dataclass(frozen=True, slots=True)
class RequestDraft:
    """A repair request not yet proposed: what the form starts with; priority is 高, 中 or 低."""

    equipment_id: str
    title: str
    detail: str
    priority: str


@dataclass(frozen=True, slots=True)
class Answer:
    """The composed answer, in the order it is read; `safety` is never collapsed, `lockout` is step 0 in full.

    `request_draft` prefills a form wherever a request is possible; only status AWAITING_APPROVAL says one was asked.
    """

    status: AnswerStatus
    equipment: Equipment | None = None
    machine: tuple[AnswerLine, ...] = ()
    summary: str = ""
    safety: tuple[str, ...] = ()
    lockout: tuple[str, ...] = ()
    blocks: tuple[AnswerBlock, ...] = ()
    next_moves: tuple[AnswerLine, ...] = ()
    request_draft: RequestDraft | None = None
    footer: str = ""
    data_as_of: date | None = None
    citations: tuple[Citation, ...] = ()
    warnings: tuple[AnswerWarning, ...] = ()
    band: Band = Band.NONE
    open_requests: tuple[OpenRequest, ...] = ()
    notes: tuple[MachineNote, ...] = ()

    def lines(self) -> Iterator[AnswerLine]:
        """Every line that carries citations, top to bottom."""
        yield from self.machine
        for block in self.blocks:
            yield block.conclusion
            yield from (*block.causes, *block.steps, *block.history, *block.same_model, *block.parts)
        yield from self.next_moves


@dataclass(frozen=True, slots=True)
class CheckedText:
    """A finished model text after the check: `marked` are (start, end) spans of words that could not be verified.

    `forbidden` are those of them that a safety rule forbids, whole sentences; their warnings come first.
    """

    text: str
    marked: tuple[tuple[int, int], ...] = ()
    warnings: tuple[AnswerWarning, ...] = ()
    citations: tuple[Citation, ...] = field(default_factory=tuple)
    forbidden: tuple[tuple[int, int], ...] = ()

    @property
    def clean(self) -> bool:
        return not self.warnings
