"""The first start: try the bundled plant, or read in one's own."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from PySide6.QtCore import QCoreApplication, Qt, Signal, Slot
from PySide6.QtWidgets import QFileDialog, QPlainTextEdit, QVBoxLayout, QWidget

from desktop.ui import theme
from desktop.ui.error_note import ErrorNote
from desktop.ui.names import named
from desktop.ui.widgets import button, label
from desktop.workers.worker import Failure


class StartPage(QWidget):
    sample_wanted = Signal()
    import_wanted = Signal(object)
    opened = Signal()
    left = Signal()

    def __init__(self) -> None:
        super().__init__()
        named(self, "startPage")
        column = QVBoxLayout(self)
        margin = theme.em(1.5)
        column.setContentsMargins(margin, margin, margin, margin)
        column.setSpacing(theme.em(0.8))
        self._head = label("", "huge")
        self._what = label("")
        column.addWidget(self._head)
        column.addWidget(self._what)
        self._sample = button(self.tr("見本（架空）のプラントで試す"), "startSampleButton", "main")
        self._sample.clicked.connect(self._on_sample)
        self.setFocusProxy(self._sample)
        column.addWidget(self._sample)
        own = self.tr("自分のデータを取り込む（台帳・マニュアル・記録のフォルダー）")
        self._import = button(own, "startImportButton")
        self._import.clicked.connect(self._on_import)
        column.addWidget(self._import)
        self._state = label("", "muted")
        self._failure = ErrorNote()
        column.addWidget(self._state)
        column.addWidget(self._failure)
        self._report = QPlainTextEdit()
        self._report.setReadOnly(True)
        named(self._report, "importReport")
        self._report.hide()
        column.addWidget(self._report, 5)
        self._open = button(self.tr("使いはじめる"), "startOpenButton", "main")
        self._open.clicked.connect(self.opened)
        self._open.hide()
        column.addWidget(self._open)
        self._back = button(self.tr("戻る"), "startBackButton")
        self._back.clicked.connect(self.left)
        column.addWidget(self._back)
        column.addStretch(1)
        self.show_choice(has_data=False, sample=False)

    def show_choice(self, *, has_data: bool, sample: bool) -> None:
        """At the first start both ways; later only the import, which ends the sample or adds to own data."""
        self._head.setText(self.tr("データを取り込む") if has_data else self.tr("保全ナビをはじめる"))
        if not has_data:
            self._what.setText(self.tr("まだ設備のデータがありません。どちらかを選んでください。"))
        elif sample:
            self._what.setText(self.tr("自分のデータを取り込むと、見本は表示されなくなります。"))
        else:
            self._what.setText(self.tr("前に取り込んだデータに加えます。変わったファイルだけを読み直します。"))
        self._what.show()
        self._import.show()
        self._sample.setVisible(not has_data)
        self._back.setVisible(has_data)
        self._report.hide()
        self._open.hide()
        self._busy("")

    def import_folder(self, folder: str) -> None:
        """Read a folder in; the buttons rest meanwhile."""
        self._busy(self.tr("取り込んでいます…"))
        self.import_wanted.emit((Path(folder),))

    def show_progress(self, words: str) -> None:
        self._state.setText(words)
        self._state.setVisible(bool(words))

    def show_report(self, report: Mapping[str, Any]) -> None:
        self._busy("")
        self._head.setText(self.tr("取り込みました。"))
        for part in (self._what, self._sample, self._import):
            part.hide()
        self._report.setPlainText(report_words(report))
        self._report.show()
        self._open.show()
        self._open.setFocus()

    def show_failure(self, failure: Failure) -> None:
        self._busy("")
        self._failure.tell(failure)

    def _busy(self, words: str) -> None:
        self._failure.clear()
        self.show_progress(words)
        self._sample.setEnabled(not words)
        self._import.setEnabled(not words)

    @Slot()
    def _on_sample(self) -> None:
        self._busy(self.tr("見本を用意しています…"))
        self.sample_wanted.emit()

    @Slot()
    def _on_import(self) -> None:
        chooser = QFileDialog(self, self.tr("データのフォルダー"))
        chooser.setFileMode(QFileDialog.FileMode.Directory)
        chooser.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        chooser.fileSelected.connect(self.import_folder)
        chooser.open()


def report_words(report: Mapping[str, Any]) -> str:
    """The import report of CONTRACT as lines: what was taken, what was refused and why, what did not come in at all."""
    taken = QCoreApplication.translate("import", "{name}：{kind}　受入 {accepted}・除外 {rejected}")
    refused = QCoreApplication.translate("import", "　{row}行目：{reason}")
    failed = QCoreApplication.translate("import", "{name}：取り込めませんでした。{message}")
    lines = []
    for file in report.get("files", ()):
        name = Path(file["path"]).name
        if error := file.get("error"):
            lines += [failed.format(name=name, message=error["message"]), f"　{error['for_it']}"]
            continue
        lines.append(taken.format_map({**file, "name": name}))
        lines += [refused.format_map(row) for row in file.get("rows", ())]
        lines += [f"　{warning}" for warning in file.get("warnings", ())]
    return "\n".join(lines)
