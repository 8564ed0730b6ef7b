"""Parts of the approval dialog: a text as tall as it is long, the kept evidence, and a correction that came back."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QSizeF, Qt, Slot
from PySide6.QtGui import QResizeEvent, QTextBlockFormat, QTextCursor, QWheelEvent
from PySide6.QtWidgets import QFrame, QSizePolicy, QTextEdit, QVBoxLayout, QWidget

from desktop.domain.work_request import KeptEvidence, Proposal
from desktop.ui import theme
from desktop.ui.names import named
from desktop.ui.widgets import button, card, label


class TallText(QTextEdit):
    """Plain text that never scrolls by itself: what has to be read before signing must not hide in a box of its own."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.setAcceptRichText(False)
        self.document().setDocumentMargin(theme.em(0.5))
        self.write(text)
        self.setTabChangesFocus(True)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.document().documentLayout().documentSizeChanged.connect(self._fit)

    def write(self, text: str) -> None:
        self.setPlainText(text)
        roomy = QTextBlockFormat()
        roomy.setLineHeight(130, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
        whole = self.textCursor()
        whole.select(QTextCursor.SelectionType.Document)
        whole.mergeBlockFormat(roomy)

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


class RestoredNote(QFrame):
    """Hidden until an earlier correction came back: says so, and shows what was drafted when that is asked for."""

    def __init__(self) -> None:
        super().__init__()
        named(self, "approvalRestored")
        self.setProperty("role", "card")
        column = QVBoxLayout(self)
        column.setSpacing(theme.em(0.2))
        column.addWidget(label(self.tr("前回の書きかけを戻しました。"), "strong"))
        self._original = label("", selectable=True)
        self._original.hide()
        self._see = button("", "approvalOriginal", "chip")
        self._see.clicked.connect(self._on_see)
        column.addWidget(self._see, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(self._original)
        self._name()
        self.hide()

    def tell(self, proposal: Proposal) -> None:
        words = self.tr("件名：{title}（優先度 {priority}）\n内容：{detail}")
        priority = proposal.priority.value
        self._original.setText(words.format(title=proposal.title, priority=priority, detail=proposal.detail))
        self.show()

    @Slot()
    def _on_see(self) -> None:
        self._original.setVisible(self._original.isHidden())
        self._name()

    def _name(self) -> None:
        seen = not self._original.isHidden()
        self._see.setText(self.tr("元の内容を隠す") if seen else self.tr("元の内容を見る"))


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
