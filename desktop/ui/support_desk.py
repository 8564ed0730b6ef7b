"""サポート用ファイル: asks where to, has it written, and says when it is there."""

from __future__ import annotations

import platform
from datetime import datetime
from pathlib import Path

from PySide6.QtCore import QObject, QStandardPaths, Qt, Slot
from PySide6.QtWidgets import QFileDialog

from desktop.ui.main_window import MainWindow
from desktop.workers.bundle_worker import BundleFailed, BundleSaved, BundleWorker


class SupportDesk(QObject):
    def __init__(self, window: MainWindow, bundles: BundleWorker, parent: QObject) -> None:
        super().__init__(parent)
        self._window = window
        self._bundles = bundles
        window.support_wanted.connect(self._on_wanted)
        bundles.bridge.happened.connect(self._on_bundle)

    @Slot()
    def _on_wanted(self) -> None:
        documents = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
        chooser = QFileDialog(self._window, self.tr("サポート用ファイルの保存先"), documents)
        chooser.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        chooser.setNameFilter(self.tr("ZIP ファイル (*.zip)"))
        chooser.setDefaultSuffix("zip")
        chooser.setOption(QFileDialog.Option.DontConfirmOverwrite)  # nothing is overwritten, whatever is answered
        chooser.selectFile(f"HozenNavi-{platform.node() or 'PC'}-{datetime.now().astimezone():%Y%m%d-%H%M}.zip")
        chooser.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        chooser.fileSelected.connect(self._on_chosen)
        chooser.open()

    @Slot(str)
    def _on_chosen(self, name: str) -> None:
        self._window.show_message(self.tr("サポート用ファイルを作っています…（そのまま使えます）"))
        self._bundles.submit(Path(name))

    @Slot(object)
    def _on_bundle(self, happening: BundleSaved | BundleFailed) -> None:
        match happening:
            case BundleSaved(report=report):
                words = self.tr(
                    "サポート用ファイルを {file} に保存しました。鍵・人の名前・質問の中身は入れていません。"
                    "渡す前に、中の logs をご確認ください。"
                )
                if report["unread"]:
                    words += self.tr("名前の控えを読めなかったので、文章はすべて省きました。")
                self._window.show_message(words.format(file=report["file"]))
            case BundleFailed(failure=failure):
                self._window.show_failure(failure)
