"""How the window looks to the person at this PC: light or dark, letter size, and where it stood."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from PySide6.QtCore import QByteArray, QSettings
from PySide6.QtWidgets import QApplication

from desktop.ui import theme


class Scheme(StrEnum):
    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"


@dataclass(frozen=True, slots=True)
class Look:
    scheme: Scheme = Scheme.SYSTEM
    percent: int = 100

    def dress(self, app: QApplication) -> None:
        dark = theme.system_is_dark() if self.scheme is Scheme.SYSTEM else self.scheme is Scheme.DARK
        theme.apply(app, dark=dark, percent=self.percent)


class LookFile:
    """window.ini of the data directory; what can't be read counts as not said."""

    def __init__(self, file: Path) -> None:
        self._settings = QSettings(str(file), QSettings.Format.IniFormat)

    def look(self) -> Look:
        scheme, percent = self._settings.value("scheme"), self._settings.value("percent")
        return Look(
            Scheme(scheme) if scheme in tuple(Scheme) else Scheme.SYSTEM,
            int(percent) if str(percent) in map(str, theme.PERCENTS) else 100,
        )

    def keep(self, look: Look) -> None:
        self._settings.setValue("scheme", look.scheme.value)
        self._settings.setValue("percent", look.percent)

    def geometry(self) -> QByteArray:
        found = self._settings.value("geometry")
        return found if isinstance(found, QByteArray) else QByteArray()

    def keep_geometry(self, geometry: QByteArray) -> None:
        self._settings.setValue("geometry", geometry)
        self._settings.sync()
