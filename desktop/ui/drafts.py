"""What is typed and not sent: questions, half-filled requests, and corrections before an approval."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from desktop.domain.answer import RequestDraft

_SOON_MS = 2000
_TEXT = "text"


class Kind(StrEnum):
    """What a draft is of; its key is the kind and the ids it belongs to, with spaces between."""

    QUESTION = "question"  # by conversation
    SENT = "sent"  # by conversation; a question the journal may not have yet
    REQUEST = "request"  # by conversation and machine
    RESUBMISSION = "resubmission"  # by proposal and the revision that came back
    APPROVAL = "approval"  # by proposal and revision


class Drafts(QObject):
    """The last changed comes last; `due` carries all of them, key to fields, within two seconds of a first change."""

    due = Signal(object)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._kept: dict[str, Mapping[str, str]] = {}
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(_SOON_MS)
        self._soon.timeout.connect(self.flush)

    def restore(self, kept: Mapping[str, Mapping[str, str]]) -> None:
        """What an earlier window left. A question that may never have reached the journal is one to send again."""
        self._kept = {**kept, **self._kept}
        for key in [key for key in self._kept if key.startswith(f"{Kind.SENT} ")]:
            conversation_id = key.partition(" ")[2]
            typed = filter(None, (self.get(key).get(_TEXT, ""), self.question(conversation_id)))
            self.keep_question(conversation_id, "\n".join(typed))
            self.put(key, {})

    def all(self) -> Mapping[str, Mapping[str, str]]:
        return dict(self._kept)

    def get(self, key: str) -> Mapping[str, str]:
        return self._kept.get(key, {})

    def put(self, key: str, fields: Mapping[str, str]) -> None:
        """No fields: it is given up."""
        if fields == self.get(key):
            return
        self._kept.pop(key, None)
        if fields:
            self._kept[key] = fields
        if not self._soon.isActive():
            self._soon.start()

    def question(self, conversation_id: str) -> str:
        return self.get(key_of(Kind.QUESTION, conversation_id)).get(_TEXT, "")

    def keep_question(self, conversation_id: str, text: str) -> None:
        self.put(key_of(Kind.QUESTION, conversation_id), {_TEXT: text} if text.strip() else {})

    def keep_sent(self, conversation_id: str, text: str) -> None:
        """Until the journal has it (""): a crash before would lose it."""
        self.put(key_of(Kind.SENT, conversation_id), {_TEXT: text} if text else {})

    @Slot(str, object)
    def keep_request(self, conversation_id: str, draft: RequestDraft) -> None:
        self.put(key_of(Kind.REQUEST, conversation_id, draft.equipment_id), fields_of(draft))

    @Slot(str, str)
    def give_up_request(self, conversation_id: str, equipment_id: str) -> None:
        self.put(key_of(Kind.REQUEST, conversation_id, equipment_id), {})

    def requests(self, conversation_id: str) -> list[RequestDraft]:
        """Half-filled in this conversation."""
        begin = key_of(Kind.REQUEST, conversation_id, "")
        return [
            draft_of(key.removeprefix(begin), fields) for key, fields in self._kept.items() if key.startswith(begin)
        ]

    def conversations(self) -> list[str]:
        """Those with something typed, the last changed last."""
        keys = [key.split(" ") for key in self._kept]
        found = [key[1] for key in keys if key[0] in (Kind.QUESTION, Kind.REQUEST)]
        return list(dict.fromkeys(reversed(found)))[::-1]

    @Slot()
    def flush(self) -> None:
        """Now, where there is something new."""
        self._soon.stop()
        self.due.emit(self.all())


def key_of(kind: Kind, *ids: object) -> str:
    return " ".join(map(str, (kind, *ids)))


def fields_of(draft: RequestDraft) -> Mapping[str, str]:
    return {"title": draft.title, "detail": draft.detail, "priority": draft.priority}


def draft_of(equipment_id: str, fields: Mapping[str, str]) -> RequestDraft:
    return RequestDraft(equipment_id, *(fields.get(name, "") for name in ("title", "detail", "priority")))
