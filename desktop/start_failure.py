"""Says on screen why the window did not open: HozenNavi.exe has no console, and may have no working Qt either."""

from __future__ import annotations

import logging
import os
import sys

from desktop import errors
from desktop.errors import KnownError, for_it, sentence
from desktop.event_log import EventLog

_BAD_INPUT = 3  # exit codes from here on are nothing that a person did
_log = logging.getLogger(__name__)


def tell(error: KnownError) -> None:
    """In a dialog of ours, else in one of Windows, and to IT what is IT's to mend; returns once it is closed."""
    if errors.exit_code(error) >= _BAD_INPUT:
        EventLog().tell(error)
    if not _has_screen():
        return
    try:
        _in_dialog(error)
    except Exception:  # noqa: BLE001  the last border: what kept the window from opening may keep this dialog from it
        _log.exception("the start's failure could not be told by our own dialog")
        _in_native_box("\n\n".join(_words(error, language) for language in errors.LANGUAGES))


def _has_screen() -> bool:
    """Without one Qt ends the process on Unix."""
    named = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    return sys.platform in ("win32", "darwin") or any(os.environ.get(name) for name in named)


def _in_dialog(error: KnownError) -> None:
    from PySide6.QtWidgets import QApplication

    from desktop.ui.language import translate
    from desktop.ui.look import Look
    from desktop.ui.start_failure import StartFailure
    from desktop.workers.worker import failure_of

    application = QApplication.instance()
    if not isinstance(application, QApplication):
        QApplication.setStyle("Fusion")
        application = QApplication(sys.argv[:1])
    for half_built in application.topLevelWidgets():
        half_built.hide()
    translators = translate(application)
    Look().dress(application)
    dialog = StartFailure(failure_of(error))
    dialog.finished.connect(application.quit)
    dialog.open()
    application.exec()
    translators.clear()


def _words(error: KnownError, language: str) -> str:
    return f"{sentence(error, language)}\n{for_it(error, language)}"


def _in_native_box(text: str) -> None:
    if sys.platform == "win32":
        import ctypes

        ctypes.windll.user32.MessageBoxW(None, text, "Hozen Navi", 0x10)  # MB_ICONERROR
