"""The source behind a citation: the page of the original with the words marked, or the text of section or record."""

from __future__ import annotations

from PySide6.QtCore import QPointF, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QColor, QTextCharFormat, QTextCursor
from PySide6.QtPdf import QPdfDocument, QPdfSearchModel
from PySide6.QtPdfWidgets import QPdfView
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPlainTextEdit, QStackedWidget, QVBoxLayout, QWidget

from desktop.errors import KnownError
from desktop.ui import theme
from desktop.ui.error_note import ErrorNote
from desktop.ui.names import named
from desktop.ui.widgets import button, label
from desktop.workers.station import Source
from desktop.workers.worker import failure_of

_SEARCHED = 20  # characters of the quotation; a longer one rarely survives the line breaks of a page


class ManualViewer(QFrame):
    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        named(self, "manualViewer")
        self.setProperty("role", "card")
        column = QVBoxLayout(self)
        column.setContentsMargins(theme.em(0.4), theme.em(0.4), theme.em(0.4), theme.em(0.4))
        head = QHBoxLayout()
        self._title = label("", "strong")
        close = button(self.tr("閉じる"), "closeSourceButton")
        close.clicked.connect(self.closed)
        head.addWidget(self._title, 1)
        for words, key, slot in (("＋", "zoomInButton", self._on_larger), ("－", "zoomOutButton", self._on_smaller)):
            zoom = button(words, key)
            zoom.clicked.connect(slot)
            head.addWidget(zoom, 0, Qt.AlignmentFlag.AlignTop)
        head.addWidget(close, 0, Qt.AlignmentFlag.AlignTop)
        column.addLayout(head)
        self._note = label("", "warn")
        self._note.hide()
        self._failure = ErrorNote("warn")
        column.addWidget(self._note)
        column.addWidget(self._failure)
        self._document = QPdfDocument(self)
        self._pages = QPdfView(self)
        named(self._pages, "manualPages")
        self._pages.setPageMode(QPdfView.PageMode.MultiPage)
        self._pages.setZoomMode(QPdfView.ZoomMode.FitToWidth)
        self._pages.setDocument(self._document)
        self._search = QPdfSearchModel(self)
        self._search.setDocument(self._document)
        self._pages.setSearchModel(self._search)
        self._text = QPlainTextEdit()
        self._text.setReadOnly(True)
        named(self._text, "manualText")
        self._target = (0, QPointF())
        self._shown = QTimer(self)
        self._shown.setSingleShot(True)
        self._shown.timeout.connect(self._jump)
        self._stack = QStackedWidget()
        self._stack.addWidget(self._pages)
        self._stack.addWidget(self._text)
        column.addWidget(self._stack, 1)

    @property
    def page(self) -> int:
        """The page shown, from 1; 0 while a text is."""
        showing = self._stack.currentWidget() is self._pages
        return self._pages.pageNavigator().currentPage() + 1 if showing else 0

    def show_source(self, source: Source) -> None:
        self._title.setText(source.title)
        self._failure.clear()
        self._note.setVisible(source.gone)
        self._note.setText(self.tr("原本のファイルはこの端末にありません。取り込んだ文章を表示します。"))
        if source.file is not None and self._load(source):
            self._stack.setCurrentWidget(self._pages)
        else:
            self._stack.setCurrentWidget(self._text)
            self._text.setPlainText(source.text or source.quote)
            self._mark(source.quote)

    def _load(self, source: Source) -> bool:
        """False when the file can't be read; its text is shown then."""
        if self._document.load(str(source.file)) is not QPdfDocument.Error.None_:
            self._failure.tell(failure_of(KnownError("original_unreadable", title=source.title)))
            return False
        page = max((source.page or 1) - 1, 0)
        self._search.setSearchString("")
        where = QPointF()
        for words in _search_words(source.quote):
            self._search.setSearchString(words)
            if found := self._search.resultsOnPage(page):
                where = found[0].location()
                break
        self._target = (page, where)
        self._shown.start()  # a view that was never shown forgets where it was sent
        return True

    @Slot()
    def _jump(self) -> None:
        page, where = self._target
        self._pages.pageNavigator().jump(page, where, 0)

    @Slot()
    def _on_larger(self) -> None:
        self._zoom(1.25)

    @Slot()
    def _on_smaller(self) -> None:
        self._zoom(0.8)

    def _zoom(self, factor: float) -> None:
        if self._pages.zoomMode() is not QPdfView.ZoomMode.Custom:
            points = self._document.pagePointSize(self._target[0]).width() or 1.0
            shown = self._pages.viewport().width() / (points * self.logicalDpiX() / 72)
            self._pages.setZoomFactor(shown)
            self._pages.setZoomMode(QPdfView.ZoomMode.Custom)
        self._pages.setZoomFactor(min(max(self._pages.zoomFactor() * factor, 0.3), 6.0))
        self._shown.start()

    def _mark(self, quote: str) -> None:
        """Colour the quotation in the text and bring it into view."""
        document = self._text.document()
        found = QTextCursor()
        for words in (quote, *_search_words(quote)):
            found = document.find(words)
            if not found.isNull():
                break
        if found.isNull():
            return
        colour = QTextCharFormat()
        colour.setBackground(QColor(theme.tokens().warn_soft))
        colour.setForeground(QColor(theme.tokens().warn))
        found.mergeCharFormat(colour)
        found.clearSelection()
        self._text.setTextCursor(found)
        self._text.ensureCursorVisible()

    def release(self) -> None:
        """Let go of the file, before the window goes."""
        self._document.close()


def _search_words(quote: str) -> list[str]:
    """The beginning of each line of the quotation, longest first within 20 characters."""
    lines = [line.strip()[:_SEARCHED] for line in quote.splitlines()]
    return sorted((line for line in lines if len(line) >= 2), key=len, reverse=True)
