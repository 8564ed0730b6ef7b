"""The lines of an answer: what their chips open."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from desktop import paths
from desktop.domain.answer import AnswerBlock, AnswerLine, Citation
from desktop.ui.answer_view import AnswerView
from desktop.ui.manual_viewer import ManualViewer
from desktop.workers.station import Source
from tests.fakes.station import ANSWER, CITATIONS, STEPS

WHOLE = "\n".join(f"({n}) {text}" for n, text in enumerate(STEPS, 1))
SECTION = replace(CITATIONS[0], quote=WHOLE)


@pytest.fixture
def opened(qtbot: QtBot) -> list[Citation]:
    """What the chips of the steps open, pressed from top to bottom."""
    steps = tuple(AnswerLine(text, (1,), f"({n})") for n, text in enumerate(STEPS, 1))
    block = AnswerBlock("E-12", AnswerLine("E-12", ()), steps=steps)
    view = AnswerView(replace(ANSWER, blocks=(block,), citations=(SECTION,)))
    qtbot.addWidget(view)
    view.show()
    told: list[Citation] = []
    view.citation_chosen.connect(told.append)
    for chip in view.findChild(QWidget, "answerSteps").findChildren(QWidget, "citationChip"):  # type: ignore[attr-defined]
        qtbot.mouseClick(chip, Qt.MouseButton.LeftButton)
    return told


def test_the_chip_of_a_step_opens_at_that_steps_words(opened: list[Citation]) -> None:
    assert [citation.quote for citation in opened] == list(STEPS)
    assert {replace(citation, quote=WHOLE) for citation in opened} == {SECTION}


def test_each_step_is_marked_in_its_own_place_of_the_page(qtbot: QtBot) -> None:
    viewer = ManualViewer()
    qtbot.addWidget(viewer)
    file = paths.sample_plant() / "manuals" / "fl200_r3.pdf"
    places = []
    for words in STEPS[:3]:
        viewer.show_source(Source("FL-200", words, file, 14, "5-3", WHOLE))
        places.append(viewer._target[1].y())
    viewer.release()
    assert 0 < places[0] < places[1] < places[2]


def test_the_list_of_sources_still_opens_at_the_whole_quotation(qtbot: QtBot) -> None:
    view = AnswerView(replace(ANSWER, citations=(SECTION,)))
    qtbot.addWidget(view)
    view.show()
    chip = view.findChild(QWidget, "citationsView").findChild(QWidget, "citationChip")  # type: ignore[attr-defined]
    with qtbot.waitSignal(view.citation_chosen) as told:
        qtbot.mouseClick(chip, Qt.MouseButton.LeftButton)
    assert told.args == [SECTION]
