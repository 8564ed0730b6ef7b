"""Markdown of models and files as a document that can load nothing, open nothing and hide nothing."""

from __future__ import annotations

from PySide6.QtGui import QColor, QFont, QTextCharFormat, QTextCursor, QTextDocument, QTextFragment

from desktop.domain.safe_text import safe_markdown
from desktop.ui import theme

_FEATURES = QTextDocument.MarkdownFeature.MarkdownDialectGitHub | QTextDocument.MarkdownFeature.MarkdownNoHTML
_MARK, _MARK_END = "\ufdd2", "\ufdd3"  # no text may use these (nor \ufdd0 and \ufdd1, which Qt takes for frames)
_DANGER = "\ufdd4"  # instead of _MARK before what is forbidden
_NO_MARKS = str.maketrans("", "", f"\ufdd0\ufdd1{_MARK}{_MARK_END}{_DANGER}")

Spans = tuple[tuple[int, int], ...]


def document(text: str, font: QFont, marked: Spans = (), forbidden: Spans = ()) -> QTextDocument:
    """Parsed while attached to no view, then cleaned.

    `marked` spans of `text` get the colour of doubt, `forbidden` ones that of danger.
    """
    made = QTextDocument()
    made.setUndoRedoEnabled(False)
    made.setDefaultFont(font)
    made.setMarkdown(safe_markdown(_with_marks(text, marked, forbidden)), _FEATURES)
    _disarm(made)
    shades = theme.tokens()
    _paint(made, _MARK, shades.warn_soft, shades.warn)
    _paint(made, _DANGER, shades.danger_soft, shades.danger)
    return made


def _with_marks(text: str, marked: Spans, forbidden: Spans) -> str:
    """A doubted word inside of what is forbidden gets no mark of its own."""
    doubted = [span for span in marked if not any(span[0] < end and start < span[1] for start, end in forbidden)]
    pieces, last = [], 0
    for start, end, mark in sorted([(*span, _MARK) for span in doubted] + [(*span, _DANGER) for span in forbidden]):
        if start < last:
            continue
        pieces += [text[last:start].translate(_NO_MARKS), mark, text[start:end].translate(_NO_MARKS), _MARK_END]
        last = end
    return "".join((*pieces, text[last:].translate(_NO_MARKS)))


def _disarm(made: QTextDocument) -> None:
    """Second wall behind the sanitiser: no image, no tool tip, no link but our own survives in the document."""
    cursor = QTextCursor(made)
    for fragment in reversed(_fragments(made)):
        shape = fragment.charFormat()
        cursor.setPosition(fragment.position())
        cursor.setPosition(fragment.position() + fragment.length(), QTextCursor.MoveMode.KeepAnchor)
        if shape.isImageFormat():
            cursor.insertText("［画像］", QTextCharFormat())
            continue
        shape.clearProperty(QTextCharFormat.Property.TextToolTip)
        if shape.isAnchor() and not shape.anchorHref().startswith("cite:"):
            shape.setAnchor(False)
            shape.clearProperty(QTextCharFormat.Property.AnchorHref)
            shape.clearForeground()
            shape.setFontUnderline(False)
        elif shape.isAnchor():
            shape.setBackground(QColor(theme.tokens().accent_soft))
            shape.setForeground(QColor(theme.tokens().accent))
            shape.setFontUnderline(False)
        cursor.setCharFormat(shape)


def _fragments(made: QTextDocument) -> list[QTextFragment]:
    """Those that are images or links or carry a tool tip."""
    found = []
    block = made.begin()
    while block.isValid():
        pieces = block.begin()
        while not pieces.atEnd():
            fragment = pieces.fragment()
            shape = fragment.charFormat()
            if shape.isImageFormat() or shape.isAnchor() or shape.toolTip():
                found.append(fragment)
            pieces += 1
        block = block.next()
    return found


def _paint(made: QTextDocument, mark: str, ground: str, colour: str) -> None:
    shape = QTextCharFormat()
    shape.setBackground(QColor(ground))
    shape.setForeground(QColor(colour))
    shape.setUnderlineStyle(QTextCharFormat.UnderlineStyle.WaveUnderline)
    while not (opening := made.find(mark)).isNull():
        start = opening.selectionStart()
        opening.removeSelectedText()
        closing = made.find(_MARK_END, start)
        if closing.isNull():
            return
        end = closing.selectionStart()
        closing.removeSelectedText()
        word = QTextCursor(made)
        word.setPosition(start)
        word.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
        word.mergeCharFormat(shape)
