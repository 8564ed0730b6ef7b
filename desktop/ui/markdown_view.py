"""Shows Markdown while it streams in, as tall as its text, with only our own citation links alive."""

from __future__ import annotations

import itertools
import re

from PySide6.QtCore import QEvent, QMimeData, QSizeF, Qt, QTimer, QUrl, Signal, Slot
from PySide6.QtGui import QImage, QTextBlockFormat, QTextCharFormat, QTextCursor, QTextDocumentFragment, QWheelEvent
from PySide6.QtWidgets import QSizePolicy, QTextBrowser, QWidget

from desktop.ui import markdown

_FLUSH_MS = 100
_LIST_ITEM = re.compile(r"\s*([-*+]|\d+[.)])\s")


class MarkdownView(QTextBrowser):
    """`feed` pieces, then `show_text` the finished whole; only the unfinished tail is parsed again at each flush."""

    citation_clicked = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "inline")
        self.setOpenLinks(False)
        self.setOpenExternalLinks(False)
        self.setUndoRedoEnabled(False)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._text = ""
        self._frozen = 0  # characters of the source that can no longer change
        self._tail_at = 0  # where the tail begins in the document
        self._timer = QTimer(self)
        self._timer.setInterval(_FLUSH_MS)
        self._timer.timeout.connect(self.flush)
        self.anchorClicked.connect(self._on_anchor)
        self._follow_height()

    def feed(self, text: str) -> None:
        self._text += text
        if not self._timer.isActive():
            self._timer.start()

    def start_again(self) -> None:
        """Forget all of it; what is fed next is the whole text."""
        self._text, self._frozen, self._tail_at = "", 0, 0
        self.clear()

    def show_text(self, text: str, marked: markdown.Spans = (), forbidden: markdown.Spans = ()) -> None:
        """The finished text, parsed once as a whole."""
        self._timer.stop()
        self._text = text
        made = markdown.document(text, self.font(), marked, forbidden)
        made.setParent(self)
        made.setDocumentMargin(self.document().documentMargin())
        self.setDocument(made)
        self._follow_height()

    @Slot()
    def flush(self) -> None:
        """Bring the document up to date with what was fed."""
        self._timer.stop()
        cut = _stable_cut(self._text, self._frozen)
        cursor = QTextCursor(self.document())
        cursor.beginEditBlock()
        self._remove_tail(cursor)
        if cut > self._frozen:
            self._insert(cursor, self._text[self._frozen : cut])
            cursor.movePosition(QTextCursor.MoveOperation.End)
            if cursor.block().text() or cursor.currentList():
                cursor.insertBlock(QTextBlockFormat(), QTextCharFormat())
            self._frozen, self._tail_at = cut, cursor.position()
        if self._text[self._frozen :].strip():
            self._insert(cursor, self._text[self._frozen :])
        cursor.endEditBlock()

    def loadResource(self, kind: int, name: QUrl | str) -> QImage:  # noqa: ARG002  Qt's signature
        return QImage()  # None would let Qt open the file or share itself

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip:
            return True  # link titles are shown as rich text
        return super().viewportEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()  # the page around it scrolls

    def createMimeDataFromSelection(self) -> QMimeData:
        copied = QMimeData()
        copied.setText(self.textCursor().selection().toPlainText())
        return copied

    def _remove_tail(self, cursor: QTextCursor) -> None:
        cursor.setPosition(self._tail_at)
        cursor.movePosition(QTextCursor.MoveOperation.End, QTextCursor.MoveMode.KeepAnchor)
        cursor.removeSelectedText()
        if (current := cursor.currentList()) is not None:
            current.remove(cursor.block())
        cursor.setBlockFormat(QTextBlockFormat())
        cursor.setBlockCharFormat(QTextCharFormat())
        cursor.setCharFormat(QTextCharFormat())

    def _insert(self, cursor: QTextCursor, text: str) -> None:
        """Insert parsed text at the empty block of the cursor; mends what insertFragment loses of the first block."""
        made = markdown.document(text, self.font())
        at, first = cursor.position(), made.firstBlock()
        cursor.insertFragment(QTextDocumentFragment(made))
        block = cursor.document().findBlock(at)
        if first.textList() and not block.text() and block.next().isValid() and not block.textList():
            QTextCursor(block).deleteChar()
        elif not first.textList() and block.text() == first.text():
            QTextCursor(block).setBlockFormat(first.blockFormat())

    def _follow_height(self) -> None:
        self.document().documentLayout().documentSizeChanged.connect(self._on_size)
        self._on_size(self.document().size())

    @Slot(QSizeF)
    def _on_size(self, size: QSizeF) -> None:
        self.setFixedHeight(max(round(size.height() + 1), 1))

    @Slot(QUrl)
    def _on_anchor(self, url: QUrl) -> None:
        if url.scheme() == "cite" and url.path().isdigit():
            self.citation_clicked.emit(int(url.path()))


def _stable_cut(source: str, start: int) -> int:
    """Up to where top-level blocks can no longer change.

    That is a blank line outside a fence, followed by a line at column 0 that does not continue a list.
    """
    in_fence = in_list = False
    offset = cut = start
    lines = source[start:].split("\n")
    for line, following in itertools.pairwise(lines):
        stripped = line.lstrip()
        in_fence ^= stripped.startswith(("```", "~~~"))
        offset += len(line) + 1
        if stripped:
            in_list = bool(_LIST_ITEM.match(line)) or (in_list and line[:1].isspace())
        elif not in_fence and _starts_block(following) and not (in_list and _LIST_ITEM.match(following + " ")):
            cut = offset
    return cut


def _starts_block(line: str) -> bool:
    return len(line) >= 3 and not line[0].isspace()
