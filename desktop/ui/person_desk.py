"""Knows who sits at this PC, and forgets after ten idle minutes."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, QTimer, Signal, Slot
from PySide6.QtGui import QGuiApplication, QWindow

from desktop.domain.ledger import Person
from desktop.domain.work_request import Requester
from desktop.ui.main_window import MainWindow
from desktop.ui.person_dialog import PersonDialog
from desktop.workers import commands
from desktop.workers.queries import Answered, Queries, Refused

_IDLE_MS = 10 * 60 * 1000
_ACTIVITY = frozenset({QEvent.Type.KeyPress, QEvent.Type.MouseButtonPress, QEvent.Type.TouchBegin, QEvent.Type.Wheel})


class PersonDesk(QObject):
    """`changed` is emitted when another person, or nobody, sits here."""

    changed = Signal()

    def __init__(self, window: MainWindow, queries: Queries, parent: QObject) -> None:
        super().__init__(parent)
        self.requester = commands.NOBODY
        self._window = window
        self._queries = queries
        self._people: Sequence[Person] = ()
        self._dialog: PersonDialog | None = None
        self._idle = QTimer(self)
        self._idle.setSingleShot(True)
        self._idle.setInterval(_IDLE_MS)
        self._idle.timeout.connect(self.forget)
        window.person_wanted.connect(self._on_wanted)
        queries.bridge.happened.connect(self._on_answered)
        window.composer.input.textChanged.connect(self._on_active)  # an input method's keys are not seen as keys
        # On windows, not on the application: a filter in Python there would see every event of every widget.
        QGuiApplication.instance().focusWindowChanged.connect(self._on_window)  # type: ignore[union-attr]

    def show_people(self, people: Sequence[Person]) -> None:
        self._people = people

    @Slot()
    def forget(self) -> None:
        self._become(commands.NOBODY)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in _ACTIVITY:
            self._on_active()
        return super().eventFilter(watched, event)

    def _become(self, requester: Requester) -> None:
        if requester == self.requester:
            return
        self.requester = requester
        if requester == commands.NOBODY:
            self._idle.stop()
        else:
            self._idle.start()
        self._queries.ask(commands.EndSession())
        self._window.show_person(requester)
        self.changed.emit()

    @Slot()
    def _on_active(self) -> None:
        if self._idle.isActive():
            self._idle.start()

    @Slot(QWindow)
    def _on_window(self, window: QWindow | None) -> None:
        if window is not None:
            window.installEventFilter(self)  # a second time moves it, it is never there twice

    @Slot()
    def _on_wanted(self) -> None:
        self._dialog = PersonDialog(self._people, self._window)
        self._dialog.identified.connect(self._queries.ask)
        self._dialog.pin_changed.connect(self._queries.ask)
        self._dialog.nobody.connect(self.forget)
        self._dialog.finished.connect(self._on_closed)
        self._dialog.open()

    @Slot(object)
    def _on_answered(self, happening: Answered | Refused) -> None:
        match happening:
            case Answered(query=commands.IdentifyPerson(), value=Requester() as requester):
                self._become(requester)
                if self._dialog is not None:
                    self._dialog.accept()
            case Answered(query=commands.ChangePin(person_id=person_id, new_pin=pin)):
                self._queries.ask(commands.IdentifyPerson(person_id, pin))
            case Refused(query=commands.IdentifyPerson() | commands.ChangePin(), failure=failure):
                if self._dialog is not None:
                    self._dialog.refuse(failure)

    @Slot()
    def _on_closed(self) -> None:
        if self._dialog is not None:
            self._dialog.deleteLater()
            self._dialog = None
        self._window.composer.input.setFocus()
