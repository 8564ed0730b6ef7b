"""Typing Japanese: an unfinished word is never sent, Enter sends a finished line, Shift+Enter breaks it."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QInputMethodEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop.ui.question_input import QuestionInput


@pytest.fixture
def field(qtbot: QtBot) -> QuestionInput:
    made = QuestionInput()
    qtbot.addWidget(made)
    made.resize(400, 60)
    made.show()
    return made


def compose(field: QuestionInput, unfinished: str, finished: str = "") -> None:
    event = QInputMethodEvent(unfinished, [])
    if finished:
        event.setCommitString(finished)
    QApplication.sendEvent(field, event)


def test_enter_sends_and_shift_enter_breaks_the_line(qtbot: QtBot, field: QuestionInput) -> None:
    sent = []
    field.submitted.connect(lambda: sent.append(field.toPlainText()))
    compose(field, "", "ライン3の充填機")
    qtbot.keyClick(field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    compose(field, "", "E-12")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert sent == ["ライン3の充填機\nE-12"]


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Enter])
def test_enter_on_an_unfinished_word_neither_sends_nor_breaks(qtbot: QtBot, field: QuestionInput, key: Qt.Key) -> None:
    sent = []
    field.submitted.connect(lambda: sent.append(field.toPlainText()))
    compose(field, "じゅうてんき")
    qtbot.keyClick(field, key)
    assert (sent, field.toPlainText()) == ([], "")
    compose(field, "", "充填機")
    assert field.toPlainText() == "充填機"
    qtbot.keyClick(field, key)
    assert sent == ["充填機"]


def test_it_grows_from_one_line_to_five(field: QuestionInput) -> None:
    heights = []
    for lines in range(1, 8):
        field.setPlainText("\n".join(["あ"] * lines))
        heights.append(field.sizeHint().height())
    assert heights[0] >= 44
    assert heights == sorted(heights)
    assert heights[4] == heights[6] > heights[1]
