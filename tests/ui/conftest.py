"""The window under a person's hands: over a fake station, or over the real house."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QFontDatabase, QInputMethodEvent
from PySide6.QtWidgets import QApplication, QDialog, QLabel, QWidget
from pytestqt.qtbot import QtBot

from desktop.ui import theme
from desktop.ui.desk import Desk
from desktop.ui.look import Look
from desktop.ui.main_window import MainWindow
from desktop.workers.crew import Crew
from desktop.workers.station import Station
from tests.fakes.station import FakeStation

FONTS = Path(__file__).parent.parent / "fonts"


@pytest.fixture(scope="session")
def qapp_args() -> list[str]:
    return ["hozen-navi"]


@pytest.fixture(scope="session", autouse=True)
def _dressed(qapp: QApplication) -> None:
    QApplication.setStyle("Fusion")
    for file in sorted(FONTS.glob("*.ttf")):
        assert QFontDatabase.addApplicationFont(str(file)) >= 0
    qapp.setCursorFlashTime(0)
    theme.apply(qapp, dark=False)


@pytest.fixture
def look(qapp: QApplication) -> Iterator[Callable[..., None]]:
    """Dress the program otherwise for one test."""

    def dress(*, dark: bool = False, percent: int = 100) -> None:
        theme.apply(qapp, dark=dark, percent=percent)

    yield dress
    theme.apply(qapp, dark=False)


class Hands:
    """A window with its desk and crew, and a person who types and clicks in it."""

    def __init__(self, qtbot: QtBot, station: Callable[[], Station]) -> None:
        self.qtbot = qtbot
        self.closed = False
        self.crew = Crew.start(station)
        self.window = MainWindow(Look())
        self.desk = Desk(self.window, self.crew)
        self.window.resize(1366, 768)
        self.window.show()
        self.desk.start()

    def all(self, name: str, kind: type = QWidget) -> list:  # type: ignore[type-arg]
        return self.window.findChildren(kind, name)

    def find(self, name: str, kind: type = QWidget):  # type: ignore[no-untyped-def]
        found = self.all(name, kind)
        assert found, f"no {name} in the window"
        return found[-1]

    def seen(self, name: str) -> bool:
        return any(widget.isVisible() for widget in self.all(name))

    def wait(self, condition: Callable[[], bool], seconds: float = 15) -> None:
        self.qtbot.waitUntil(condition, timeout=round(seconds * 1000))

    def wait_for(self, name: str):  # type: ignore[no-untyped-def]
        self.wait(lambda: self.seen(name))
        return next(widget for widget in reversed(self.all(name)) if widget.isVisible())

    def words(self, name: str) -> str:
        """All that is written on a widget, top to bottom."""
        return "\n".join(label.text() for label in self.find(name).findChildren(QLabel))

    def says(self, words: str) -> bool:
        """Whether the window or one of its dialogs shows these words."""
        return any(words in label.text() for label in self.window.findChildren(QLabel))

    def commit(self, text: str, name: str = "questionInput") -> None:
        """Type as a Japanese input method does; keyClicks aborts the process on non-ASCII."""
        event = QInputMethodEvent()
        event.setCommitString(text)
        QApplication.sendEvent(self.find(name), event)

    def type(self, text: str, name: str) -> None:
        self.qtbot.keyClicks(self.find(name), text)

    def press(self, name: str) -> None:
        self.qtbot.mouseClick(self.find(name), Qt.MouseButton.LeftButton)

    def ask(self, text: str) -> None:
        self.commit(text)
        self.qtbot.keyClick(self.find("questionInput"), Qt.Key.Key_Return)

    def close(self) -> None:
        if self.closed:
            return
        self.closed = True
        for dialog in self.window.findChildren(QDialog):
            dialog.close()
        assert self.crew.close()
        self.window.viewer.release()
        self.window.close()
        self.window.deleteLater()
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        QApplication.processEvents()
        gc.collect()


class Bench(Hands):
    """Hands on a window over a fake station."""

    def __init__(self, qtbot: QtBot, station: FakeStation) -> None:
        self.station = station
        station.threads.clear()
        super().__init__(qtbot, lambda: station)
        self.wait(lambda: "sync" in station.threads and "open" in station.threads)
        self.wait(lambda: self.find("dataAge").text() != "読み込み中…")

    def close(self) -> None:
        self.station.gate.set()
        super().close()


@pytest.fixture
def bench(qtbot: QtBot) -> Iterator[Callable[..., Bench]]:
    """Open windows, each over a new station or, as after a restart, over a known one."""
    made: list[Bench] = []

    def make(*, station: FakeStation | None = None, **options: bool) -> Bench:
        made.append(Bench(qtbot, station or FakeStation(**options)))
        return made[-1]

    yield make
    for one in made:
        one.close()
    assert [top.objectName() for top in QApplication.topLevelWidgets() if top.isVisible()] == []
