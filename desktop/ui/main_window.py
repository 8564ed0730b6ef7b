"""The one window: bars, the list on the left, the conversation, the source on the right, from 100 to 200 %."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QAction, QActionGroup, QKeySequence, QResizeEvent, QShortcut
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QMainWindow,
    QMenu,
    QPushButton,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from desktop.domain.ledger import Equipment
from desktop.domain.work_request import KnownBy, Requester
from desktop.errors import hn
from desktop.ui import messages, theme
from desktop.ui.choice_card import choice_words
from desktop.ui.composer import Composer
from desktop.ui.error_note import ErrorNote
from desktop.ui.failure_page import FailurePage
from desktop.ui.look import Look, Scheme
from desktop.ui.manual_viewer import ManualViewer
from desktop.ui.names import named
from desktop.ui.requests_panel import RequestsPage
from desktop.ui.side_panel import SidePanel
from desktop.ui.start_page import StartPage
from desktop.ui.status_strip import StatusStrip
from desktop.ui.steps_view import StepsView
from desktop.ui.widgets import ElidedButton, Shrinking, button, label, scrolled, unmnemonic
from desktop.workers.worker import Failure

_ALL_THREE = 104  # em of window width from which list, conversation and source fit side by side
_TWO = 56  # … and two of them


class MainWindow(QMainWindow):
    """Only places things; what happens is joined in desk.py."""

    look_changed = Signal(object)
    person_wanted = Signal()
    import_wanted = Signal()
    support_wanted = Signal()

    def __init__(self, look: Look) -> None:
        super().__init__()
        self.setWindowTitle(self.tr("保全ナビ"))
        self._look = look
        self._menu_open = False
        self._unsent: Failure | None = None
        self.side = SidePanel()
        self.start_page = StartPage()
        self.failure_page = FailurePage()
        self.failure_page.support_wanted.connect(self.support_wanted)
        self.conversations = QStackedWidget()
        named(self.conversations, "conversationView")
        self.requests_page = RequestsPage()
        self.steps = StepsView()
        self.composer = Composer()
        self.viewer = ManualViewer()
        self.viewer.closed.connect(self.close_source)
        self.status = StatusStrip()
        self._split = QSplitter(Qt.Orientation.Horizontal)
        self._split.setChildrenCollapsible(False)
        self._centre = self._build_centre()
        self._list = scrolled(self.side)
        for part in (self._list, self._centre, self.viewer):
            self._split.addWidget(part)
        self._split.setStretchFactor(1, 3)
        self._split.setStretchFactor(2, 3)
        self.viewer.hide()
        whole = QWidget()
        column = QVBoxLayout(whole)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._build_bar())
        column.addWidget(self._band)
        column.addWidget(self._split, 1)
        column.addWidget(self.status)
        self.setCentralWidget(whole)
        self._add_shortcuts()
        self.show_focus(None)
        self.show_person(Requester())
        self._arrange()

    # What stands where.

    def _build_bar(self) -> QFrame:
        bar = QFrame()
        bar.setProperty("role", "bar")
        row = QHBoxLayout(bar)
        row.setContentsMargins(theme.em(0.5), theme.em(0.3), theme.em(0.5), theme.em(0.3))
        self._menu = button(self.tr("一覧"), "menuButton")
        self._menu.clicked.connect(self._on_menu)
        self._focus = ElidedButton("focusChip", "flat")
        self._focus.clicked.connect(self._on_focus)
        self._person = button("", "currentUser")
        self._person.clicked.connect(self.person_wanted)
        view = button(self.tr("メニュー"), "viewButton")
        view.setMenu(self._view_menu(view))
        for part, stretch in ((self._menu, 0), (self._focus, 1), (self._person, 0), (view, 0)):
            row.addWidget(part, stretch)
        self._band = label(self.tr("見本（架空）：実在の設備ではありません。依頼はこの端末から出ません。"), "band")
        named(self._band, "sampleBand")
        self._band.hide()
        return bar

    def _build_centre(self) -> QWidget:
        centre = QWidget()
        column = QVBoxLayout(centre)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.em(0.2))
        self._message = Shrinking("waiting")
        row = QHBoxLayout(self._message.inside)
        self._message_text = label("", selectable=True)
        named(self._message_text, "messageBar")
        self._failure = ErrorNote()
        close = button(self.tr("閉じる"), "messageClose")
        close.clicked.connect(self._message.hide)
        row.addWidget(self._message_text, 1)
        row.addWidget(self._failure, 1)
        row.addWidget(close, 0, Qt.AlignmentFlag.AlignTop)
        self._message.hide()
        self._pages = QStackedWidget()
        long: tuple[QWidget, ...] = (self.start_page, self.failure_page, self.requests_page)
        self._scrolled: dict[QWidget, QWidget] = {page: scrolled(page) for page in long}
        for page in (self.conversations, *self._scrolled.values()):
            self._pages.addWidget(page)
        column.addWidget(self._message)
        column.addWidget(self._pages, 1)
        column.addWidget(self.steps)
        column.addWidget(self.composer)
        return centre

    def _view_menu(self, parent: QPushButton) -> QMenu:
        menu = QMenu(parent)
        schemes = QActionGroup(menu)
        for words, scheme in (
            (self.tr("自動（Windowsに合わせる）"), Scheme.SYSTEM),
            (self.tr("明るい"), Scheme.LIGHT),
            (self.tr("暗い"), Scheme.DARK),
        ):
            self._add_choice(menu, schemes, words, scheme, chosen=self._look.scheme is scheme)
        menu.addSeparator()
        sizes = QActionGroup(menu)
        for percent in theme.PERCENTS:
            words = self.tr("文字の大きさ {p}%").format(p=percent)
            self._add_choice(menu, sizes, words, percent, chosen=self._look.percent == percent)
        menu.addSeparator()
        self._import = menu.addAction(self.tr("データを取り込む…"))
        self._import.setObjectName("importData")
        self._import.triggered.connect(self.import_wanted)
        self._why_unsent = menu.addAction("")
        self._why_unsent.setObjectName("whyUnsent")
        self._why_unsent.triggered.connect(self._on_why_unsent)
        self._why_unsent.setVisible(False)
        menu.addAction(self.tr("サポート用ファイルを保存…")).triggered.connect(self.support_wanted)
        return menu

    def _add_choice(self, menu: QMenu, group: QActionGroup, words: str, value: object, *, chosen: bool) -> None:
        action = QAction(words, menu)
        action.setCheckable(True)
        action.setChecked(chosen)
        action.setData(value)
        action.triggered.connect(self._on_look)
        group.addAction(action)
        menu.addAction(action)

    def _add_shortcuts(self) -> None:
        for keys, slot in (
            (QKeySequence.StandardKey.New, self.side.new_conversation),
            (QKeySequence("Ctrl+L"), self.composer.input.setFocus),
            (QKeySequence("Ctrl+K"), self._on_focus),
        ):
            QShortcut(QKeySequence(keys), self).activated.connect(slot)

    # What is shown.

    def show_page(self, page: QWidget) -> None:
        """`conversations`, `start_page`, `failure_page` or `requests_page`; only a conversation can be written to."""
        self._pages.setCurrentWidget(self._scrolled.get(page, page))
        self.composer.setVisible(page is self.conversations)
        self.steps.setVisible(page is self.conversations and self.steps.has_steps)
        self._menu_open = False
        self._arrange()

    def show_focus(self, machine: Equipment | None) -> None:
        words = choice_words(machine) if machine is not None else self.tr("未選択")
        self._focus.set_words(self.tr("対象設備：{what}").format(what=words))
        named(self._focus, "focusChip", words)

    def show_person(self, requester: Requester) -> None:
        known = requester.known_by is not KnownBy.NONE
        words = messages.requester_words(requester) if known else self.tr("使う人を選ぶ")
        self._person.setText(unmnemonic(words))
        named(self._person, "currentUser", words)

    def show_importable(self, *, importable: bool) -> None:
        self._import.setEnabled(importable)

    def show_sample(self, *, sample: bool) -> None:
        self._band.setVisible(sample)

    def show_message(self, words: str) -> None:
        """Something to know that belongs to no question; stays until closed."""
        self._failure.clear()
        self._message_text.setText(words)
        self._message_text.show()
        self._message.setVisible(bool(words))

    @Slot(object)
    def show_failure(self, failure: Failure) -> None:
        """Something that went wrong and belongs to no question; stays until closed."""
        self._message_text.hide()
        self._failure.tell(failure)
        self._message.show()

    def show_unsent(self, failure: Failure | None) -> None:
        """What keeps requests from leaving: its number stands in the status bar, the rest a choice away."""
        self._unsent = failure
        self.status.show_trouble(failure)
        self._why_unsent.setVisible(failure is not None)
        if failure is not None:
            self._why_unsent.setText(self.tr("送れない理由（{hn}）…").format(hn=hn(failure.code)))

    @Slot()
    def _on_why_unsent(self) -> None:
        if self._unsent is not None:
            self.show_failure(self._unsent)

    def open_source(self) -> None:
        self.viewer.show()
        self._arrange()

    @Slot()
    def close_source(self) -> None:
        self.viewer.hide()
        self._arrange()
        self.composer.input.setFocus()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        """Show as many of the three columns as are readable at this width, the one last asked for first."""
        width = self.width() / theme.em()
        source = self.viewer.isVisibleTo(self._split)
        starting = self._is_starting()
        self._focus.setEnabled(not starting)
        self._person.setEnabled(not starting)
        room_for_list = width >= (_ALL_THREE if source else _TWO) and not starting
        self._menu.setVisible(not room_for_list and not starting)
        self._list.setVisible(room_for_list or self._menu_open)
        self._centre.setVisible(room_for_list or (not self._menu_open and (not source or width >= _TWO)))
        if room_for_list and not source:
            self._split.setSizes([theme.em(19), max(self.width() - theme.em(19), 1), 0])
        elif room_for_list:
            rest = self.width() - theme.em(19)
            self._split.setSizes([theme.em(19), rest // 2, rest // 2])
        else:
            self._split.setSizes([0, self.width() // 2, self.width() // 2])

    def _is_starting(self) -> bool:
        """Nothing is open yet, so there is no list, no machine and nobody to choose."""
        page = self._pages.currentWidget()
        closed = page is self._scrolled[self.failure_page] and not self.failure_page.reads_on
        return closed or page is self._scrolled[self.start_page]

    @Slot()
    def _on_menu(self) -> None:
        self._menu_open = not self._menu_open
        if self._menu_open:
            self.viewer.hide()
        self._arrange()

    @Slot()
    def _on_focus(self) -> None:
        """To the list of machines, where the next one is picked."""
        if self._is_starting():
            return
        if not self.side.isVisible():
            self._on_menu()
        self.side.focus_picker()

    @Slot()
    def _on_look(self) -> None:
        action = self.sender()
        if not isinstance(action, QAction):
            return
        value = action.data()  # Qt gives a plain str back for a Scheme
        if isinstance(value, int):
            self._look = replace(self._look, percent=value)
        else:
            self._look = replace(self._look, scheme=Scheme(value))
        self.look_changed.emit(self._look)
        self._arrange()
