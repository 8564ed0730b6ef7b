"""Own data that doesn't open: what is safe, what to do meanwhile, and for IT what it is."""

from __future__ import annotations

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from desktop.ui import theme
from desktop.ui.error_note import ErrorNote
from desktop.ui.names import named
from desktop.ui.widgets import button, label
from desktop.workers.worker import Failure

_DAMAGED = frozenset({"journal_corrupt", "journal_key_file_missing", "journal_key_wrong"})  # the last two may be it too
_UNKNOWN = frozenset({"internal_error"})


class FailurePage(QWidget):
    """Stands where the first start would; `reads_on`: the journal is open, its lists can be read."""

    again_wanted = Signal()
    support_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        named(self, "failurePage")
        self.reads_on = False
        self._shown: Failure | None = None
        column = QVBoxLayout(self)
        margin = theme.em(1.5)
        column.setContentsMargins(margin, margin, margin, margin)
        column.setSpacing(theme.em(0.7))
        self._head = label("", "huge")
        self._safe = label("", "strong")
        named(self._safe, "failureSafe")
        self._works = label("")
        urgent = self.tr(
            "設備が止まっているなど急ぐときは、待たずに班長か保全へ電話してください。"
            "保全依頼は紙に書き、開いてから入力してください。"
        )
        self._urgent = label(urgent)
        self._note_head = label(self.tr("情シスへ伝えること"), "strong")
        self._note = ErrorNote("")
        self._state = label("", "muted")
        named(self._state, "failureState")
        parts = (self._head, self._safe, self._works, self._urgent, self._buttons(), self._state)
        for part in (*parts, self._note_head, self._note):
            column.addWidget(part)
        column.addStretch(1)

    def _buttons(self) -> QWidget:
        row = QWidget()
        line = QHBoxLayout(row)
        line.setContentsMargins(0, 0, 0, 0)
        self._again = button(self.tr("もう一度開く"), "openAgainButton", "main")
        self._again.clicked.connect(self._on_again)
        self.setFocusProxy(self._again)
        support = button(self.tr("サポート用ファイルを保存…"), "failureSupportButton")
        support.clicked.connect(self.support_wanted)
        line.addWidget(self._again)
        line.addWidget(support)
        line.addStretch(1)
        return row

    def show_failure(self, failure: Failure, *, reads_on: bool, retried: bool) -> None:
        """`retried`: it is tried again by itself, without a word where nothing has changed."""
        self.reads_on = reads_on
        self._again.setEnabled(True)
        waits = self.tr("数秒ごとに、自動でもう一度開いています。開けば、そのまま使えます。")
        self._state.setText(waits if retried else "")
        self._state.setVisible(retried)
        if failure == self._shown and self._note.isVisibleTo(self):
            return
        self._shown = failure
        self._head.setText(self.tr("設備データを開けません") if reads_on else self.tr("保全ナビのデータを開けません"))
        self._safe.setText(self._safe_words(failure.code, reads_on=reads_on))
        self._safe.setVisible(bool(self._safe.text()))
        works = self.tr(
            "これまでの質問と保全依頼の一覧は見られ、承認済みの依頼の送信も続きます。新しい回答と承認はできません。"
        )
        self._works.setText(works)
        self._works.setVisible(reads_on)
        self._note.tell(failure)

    def _safe_words(self, code: str, *, reads_on: bool) -> str:
        """Only what is true of this failure; of a bug nothing is known."""
        if code in _UNKNOWN:
            return ""
        if reads_on:
            return self.tr("依頼と質問の記録は無事です。設備データのファイルには手を付けていません。")
        if code == "journal_vanished":
            return self.tr(
                "依頼と質問の記録簿のファイルが見つかりません。新しく作り直してはいません。"
                "設備データには手を付けていません。"
            )
        if code in _DAMAGED:
            return self.tr("記録簿と設備データのファイルには手を付けていません。新しく作り直してもいません。")
        return self.tr("設備データと依頼は消えていません。新しく作り直してもいません。")

    @Slot()
    def _on_again(self) -> None:
        self._again.setEnabled(False)
        self._state.setText(self.tr("開いています…"))
        self._state.show()
        self.again_wanted.emit()
