"""The language of the window: Japanese is the source, every other language than it gets English."""

from __future__ import annotations

from PySide6.QtCore import QLibraryInfo, QLocale, QTranslator
from PySide6.QtWidgets import QApplication

from desktop import paths


def language() -> str:
    """ "ja" or "en", as errors.LANGUAGES has them."""
    japanese = QLocale.system().language() in (QLocale.Language.Japanese, QLocale.Language.C)
    return "ja" if japanese else "en"


def translate(application: QApplication) -> list[QTranslator]:
    """Every text from now on; Qt's own buttons follow. What was installed must be kept as long as the window."""
    qt_folder = QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
    wanted = [(f"qtbase_{language()}", qt_folder)]
    if language() != "ja":
        wanted.append(("hozen_en", str(paths.resource("i18n"))))
    installed = []
    for name, folder in wanted:
        translator = QTranslator(application)
        if translator.load(name, folder):
            application.installTranslator(translator)
            installed.append(translator)
    return installed
