"""Where the window opens: whole on a small screen, a good part of a large one, and always where it can be seen."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QByteArray, QRect
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMainWindow
from pytestqt.qtbot import QtBot

from desktop.ui import theme
from desktop.ui.placement import place

_PROGRAM = """
import sys
from PySide6.QtCore import QByteArray
from PySide6.QtWidgets import QApplication
application = QApplication(["hozen-navi"])
from desktop.ui import theme
from desktop.ui.look import Look
from desktop.ui.main_window import MainWindow
from desktop.ui.placement import place
theme.apply(application, dark=False, percent=int(sys.argv[1]))
window = MainWindow(Look())
place(window, QByteArray())
window.show()
application.processEvents()
frame = window.frameGeometry()
print(window.isMaximized(), frame.x(), frame.y(), frame.width(), frame.height())
"""


def first_start(tmp_path: Path, width: int, height: int, percent: int = 100) -> tuple[bool, QRect]:
    """Whether the real window opens maximised, and where, on a screen of this size."""
    screens = {"screens": [{"name": "one", "x": 0, "y": 0, "width": width, "height": height, "logicalDpi": 96}]}
    config = tmp_path / "screens.json"
    config.write_text(json.dumps(screens), encoding="utf-8")
    environment = {**os.environ, "QT_QPA_PLATFORM": f"offscreen:configfile={config}"}
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM, str(percent)], env=environment, capture_output=True, text=True, check=True
    )
    maximised, *box = done.stdout.split()
    return maximised == "True", QRect(*map(int, box))


@pytest.mark.parametrize("size", [(1366, 768), (1280, 720), (1280, 1024), (1024, 768)])
def test_a_small_screen_is_filled(tmp_path: Path, size: tuple[int, int]) -> None:
    assert first_start(tmp_path, *size) == (True, QRect(0, 0, *size))


@pytest.mark.parametrize(("size", "percent"), [((1920, 1080), 100), ((1920, 1080), 200), ((3840, 2160), 100)])
def test_a_large_one_to_four_fifths_in_its_middle(tmp_path: Path, size: tuple[int, int], percent: int) -> None:
    maximised, box = first_start(tmp_path, *size, percent)
    assert not maximised
    assert (box.width(), box.height()) == pytest.approx((size[0] * 0.8, size[1] * 0.8), abs=4)
    assert abs(box.center().x() - size[0] / 2) <= 4
    assert abs(box.center().y() - size[1] / 2) <= 40


@pytest.fixture
def window(qtbot: QtBot) -> QMainWindow:
    made = QMainWindow()
    qtbot.addWidget(made)
    return made


def kept_of(qtbot: QtBot, box: QRect) -> QByteArray:
    before = QMainWindow()
    qtbot.addWidget(before)
    before.setGeometry(box)
    return before.saveGeometry()


def test_it_comes_back_where_it_stood(qtbot: QtBot, window: QMainWindow) -> None:
    place(window, kept_of(qtbot, QRect(50, 60, 700, 600)))
    assert window.geometry() == QRect(50, 60, 700, 600)


@pytest.mark.parametrize(
    "box", [QRect(5000, 60, 700, 600), QRect(-690, 60, 700, 600), QRect(50, -500, 700, 600), QRect(50, 780, 700, 600)]
)
def test_from_off_the_screen_it_is_drawn_back(qtbot: QtBot, window: QMainWindow, box: QRect) -> None:
    place(window, kept_of(qtbot, box))
    assert QGuiApplication.primaryScreen().availableGeometry().contains(window.geometry())
    assert window.geometry().size() == box.size()
    assert window.geometry().top() > theme.em(1), "its title bar is out of reach"


@pytest.mark.parametrize("box", [QRect(50, 60, 120, 90), QRect(50, 60, 700, 90), QRect(790, 790, 10, 10)])
def test_one_too_small_to_use_grows(qtbot: QtBot, window: QMainWindow, box: QRect) -> None:
    place(window, kept_of(qtbot, box))
    stands = window.geometry()
    assert stands.width() >= min(theme.em(40), 800)
    assert stands.height() >= theme.em(30)
    assert QGuiApplication.primaryScreen().availableGeometry().contains(stands)


def test_one_left_maximised_stays_so(qtbot: QtBot, window: QMainWindow) -> None:
    before = QMainWindow()
    qtbot.addWidget(before)
    before.showMaximized()
    place(window, before.saveGeometry())
    assert window.isMaximized()


def test_nonsense_counts_as_a_first_start(window: QMainWindow) -> None:
    place(window, QByteArray(b"nonsense"))
    assert window.isMaximized()
