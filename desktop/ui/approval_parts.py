"""Parts of the approval dialog: a text as tall as it is long, and the kept evidence."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QSizeF, Qt, Slot
from PySide6.QtGui import QResizeEvent, QTextBlockFormat, QTextCursor, QWheelEvent
from PySide6.QtWidgets import QSizePolicy, QTextEdit, QWidget

from desktop.domain.work_request import KeptEvidence
from desktop.ui import theme
from desktop.ui.names import named
from desktop.ui.widgets import card, label


class TallText(QTextEdit):
    """Plain text that never scrolls by itself: what has to be read before signing must not hide in a box of its own."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.setAcceptRichText(False)
        self.document().setDocumentMargin(theme.em(0.5))
        self.setPlainText(text)
        roomy = QTextBlockFormat()
        roomy.setLineHeight(130, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
        whole = self.textCursor()
        whole.select(QTextCursor.SelectionType.Document)
        whole.mergeBlockFormat(roomy)
        self.setTabChangesFocus(True)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.document().documentLayout().documentSizeChanged.connect(self._fit)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()

    @Slot(QSizeF)
    def _fit(self, _size: QSizeF | None = None) -> None:
        height = max(round(self.document().size().height()) + 6, theme.em(4))
        if self.height() != height:
            self.setFixedHeight(height)


def evidence_block(evidence: tuple[KeptEvidence, ...]) -> QWidget:
    """Every quotation as it stood when the proposal was made."""
    frame, column = card()
    named(frame, "approvalEvidence")
    for item in evidence:
        page = f" p.{item.page_label or item.page}" if item.page else ""
        revised = QCoreApplication.translate("approval", "（改訂{r}）")
        revision = revised.format(r=item.revision) if item.revision else ""
        column.addWidget(label(f"{item.title}{page}{revision}", "strong"))
        column.addWidget(label(item.quote))
    if not evidence:
        column.addWidget(label(QCoreApplication.translate("approval", "根拠として引いたものはありません。"), "muted"))
    return frame
