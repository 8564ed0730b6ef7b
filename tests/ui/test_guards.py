"""Rules for every widget on screen: plain text, names, size for a finger, nothing cut at 100, 150 and 200 %."""

import ast
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtWidgets import QAbstractScrollArea, QApplication, QLabel, QPushButton, QWidget

import desktop.ui
import desktop.workers
from desktop.domain.work_request import Meaning
from desktop.errors import KnownError
from desktop.ui.names import _NAMES
from desktop.workers import commands
from desktop.workers.worker import failure_of
from tests.fakes.station import PIN, proposal
from tests.ui.conftest import Bench

Make = Callable[..., Bench]
Scenes = Callable[[], Iterator[str]]
SOURCES = [*Path(desktop.ui.__file__).parent.glob("*.py"), *Path(desktop.workers.__file__).parent.glob("*.py")]
CONTRACT = set(
    """questionInput sendButton cancelButton conversationView stepsView citationsView equipmentPicker equipmentTiles
    newConversationButton pendingInbox currentUser focusChip choiceCard answerMachine answerSafety answerSteps
    answerHistory outcomeFixed outcomeNotFixed sampleBand dataAge requestForm requestsPage syncStatus networkStatus
    providerStatus approvalDialog approvalEquipment approvalTitle approvalPriority approvalDetail approvalEvidence
    approverId approverPin approveButton returnButton rejectButton rejectReason deferButton manualViewer""".split()  # noqa: SIM905
)


@pytest.fixture(params=[100, 150, 200])
def scenes(request: pytest.FixtureRequest, bench: Make, look: Callable[..., None]) -> Scenes:
    """Every state of the window worth looking at, one after another, at this size of letters."""
    look(percent=request.param)
    desk = bench(with_model=True)

    def play() -> Iterator[str]:
        desk.ask("充填機でE-12")
        desk.wait_for("choiceCard")
        yield "choice"
        desk.press("newConversationButton")
        desk.station.trouble = KnownError("journal_disk_full", file=r"C:\ProgramData\HozenNavi\data\journal.db")
        desk.ask("ライン3の充填機でE-12が出た")
        desk.wait(lambda: desk.says("HN-101"))
        desk.window.show_failure(failure_of(desk.station.trouble))
        yield "failed"
        desk.press("messageClose")
        desk.station.trouble = None
        desk.press("newConversationButton")
        desk.station.outage = True
        desk.ask("ライン3の充填機でE-12が出た")
        desk.wait(lambda: desk.seen("goOnButton") and not desk.desk.page.running)
        scroll_to_end(desk.desk.page)
        yield "cut off"
        desk.station.outage, desk.station.full = False, True
        desk.find("goOnButton").click()
        desk.wait(lambda: desk.seen("carryOverButton") and not desk.desk.page.running)
        scroll_to_end(desk.desk.page)
        yield "too long"
        desk.station.full = False
        desk.find("sentButton").click()
        desk.wait_for("manualViewer")
        yield "sent"
        desk.press("closeSourceButton")
        desk.press("newConversationButton")
        desk.ask("ライン3の充填機のOリング交換を依頼して")
        desk.wait_for("approvalDialog")
        yield "dialog"
        desk.find("approvalDialog").refuse(failure_of(KnownError("pin_locked", person="田中 一郎")))
        yield "refused"
        desk.press("deferButton")
        desk.wait(lambda: not desk.desk.page.running)
        for more in desk.all("moreButton"):
            more.click()
        desk.find("draftRequestButton").click()
        desk.find("stepsButton").click()
        yield "answer"
        desk.desk.sources.show_citation(desk.find("citationChip")._citation)
        desk.wait_for("manualViewer")
        yield "source"
        desk.press("closeSourceButton")
        desk.station.decide(commands.Decide("p-1", 1, "", Meaning.RETURNED, "0401", PIN, reason="写真を付けて"))
        desk.station.proposals["p-9"] = proposal("p-9")
        desk.station.decide(commands.Decide("p-9", 1, "", Meaning.APPROVED, "0401", PIN, title="Oリング"))
        desk.station.aside["WR-P07-0001"] = failure_of(KnownError("sync_item_conflict", reason=r"\\srv\hozen\1.json"))
        desk.desk.requests.open()
        desk.wait(lambda: desk.seen("resubmitButton") and desk.says("HN-405"))
        yield "requests"
        desk.press("currentUser")
        desk.wait_for("personDialog").refuse(failure_of(KnownError("pin_change_needed", person="田中 一郎")))
        yield "person"

    return play


def scroll_to_end(area: QAbstractScrollArea) -> None:
    area.verticalScrollBar().setValue(area.verticalScrollBar().maximum())


def on_screen(kind: type) -> list:  # type: ignore[type-arg]
    tops = [top for top in QApplication.topLevelWidgets() if top.isVisible()]
    return [widget for top in tops for widget in (*top.findChildren(kind), *([top] if isinstance(top, kind) else []))
            if widget.isVisible()]  # fmt: skip


def words(widget: QWidget) -> str:
    return getattr(widget, "text", lambda: widget.objectName())()


def check_labels() -> None:
    for label in on_screen(QLabel):
        assert label.textFormat() is Qt.TextFormat.PlainText, words(label)
        if label.wordWrap():
            assert label.height() >= label.heightForWidth(label.width()), f"cut: {words(label)}"
        else:
            assert label.width() >= label.sizeHint().width(), f"cut: {words(label)}"


def check_buttons() -> None:
    for button in on_screen(QPushButton):
        assert min(button.width(), button.height()) >= 44, f"small: {words(button)}"
        room = button.fontMetrics().horizontalAdvance(button.text().replace("&&", "&"))
        assert button.width() >= room, f"cut: {words(button)}"


def check_nothing_sticks_out() -> None:
    for top in QApplication.topLevelWidgets():
        assert not top.isVisible() or (top.width() <= 1366 and top.height() <= 768), top.objectName()
    for area in on_screen(QAbstractScrollArea):
        inside = getattr(area, "widget", lambda: None)()
        if inside is not None:
            assert inside.width() <= area.viewport().width(), f"wider than its view: {area.objectName()}"
    for widget in on_screen(QWidget):
        parent = widget.parentWidget()
        if parent is not None and not widget.isWindow() and parent.layout() is not None:
            assert parent.rect().contains(widget.geometry().intersected(QRect(0, -9999, 99999, 99999))), (
                f"sticks out: {widget.objectName()} {words(widget)}"
            )


def check_no_siblings_overlap() -> None:
    for parent in on_screen(QWidget):
        if parent.layout() is None:
            continue
        children = [child for child in parent.children() if isinstance(child, QWidget) and child.isVisible()
                    and not child.isWindow() and parent.layout().indexOf(child) >= 0]  # fmt: skip
        for at, one in enumerate(children):
            for other in children[at + 1 :]:
                assert not one.geometry().intersects(other.geometry()), f"{words(one)} over {words(other)}"


def check_names() -> None:
    for widget in on_screen(QWidget):
        if widget.focusPolicy() & Qt.FocusPolicy.TabFocus and not isinstance(widget, QLabel):
            if widget.objectName().startswith("qt_") or type(widget).__name__ in {"QScrollBar", "QToolButton"}:
                continue
            assert widget.objectName() in _NAMES, f"{type(widget).__name__} {words(widget)}"
            assert widget.accessibleName(), widget.objectName()


def test_every_state_is_readable_named_and_whole(scenes: Scenes) -> None:
    for _scene in scenes():
        for _ in range(5):  # a layout inside a layout settles one level a turn
            QApplication.processEvents()
        check_labels()
        check_buttons()
        check_nothing_sticks_out()
        check_no_siblings_overlap()
        check_names()


@pytest.mark.parametrize("percent", [100, 150, 200])
def test_the_window_never_outgrows_a_small_screen(bench: Make, look: Callable[..., None], percent: int) -> None:
    look(percent=percent)
    desk = bench()
    desk.ask("ライン3の充填機のOリング交換を依頼して")
    dialog = desk.wait_for("approvalDialog")
    assert dialog.height() <= 768
    assert dialog.width() <= 1366
    desk.press("deferButton")
    smallest = desk.window.minimumSizeHint()
    assert (smallest.width() <= 1366, smallest.height() <= 720) == (True, True), smallest
    assert (desk.window.width(), desk.window.height()) == (1366, 768)


def test_machine_safety_and_two_steps_need_no_scrolling_at_125_percent(bench: Make, look: Callable[..., None]) -> None:
    look(percent=125)
    desk = bench()
    desk.ask("ライン3の充填機でE-12が出た")
    desk.wait_for("answerSteps")
    for _ in range(5):
        QApplication.processEvents()
    view = desk.desk.page.viewport()
    second = desk.all("outcomeFixed")[1]
    assert second.mapTo(view, second.rect().bottomLeft()).y() <= view.height()
    machine = desk.find("answerMachine")
    assert machine.mapTo(view, machine.rect().topLeft()).y() >= 0


def test_every_name_of_the_contract_that_this_window_has_is_known() -> None:
    assert set(_NAMES) >= CONTRACT


@pytest.mark.parametrize("file", SOURCES, ids=lambda file: file.stem)
def test_sources_keep_the_house_rules_of_qt(file: Path) -> None:
    """No lambda on any signal, no bare QLabel or message box, no nested event loop."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if name == "connect":
            assert isinstance(node.args[0], (ast.Attribute, ast.Name)), f"{file.name}:{node.lineno}"
        if file.name != "plain_label.py":
            assert name not in {"QLabel", "QMessageBox", "QToolTip", "exec", "exec_"}, f"{file.name}:{node.lineno}"
        assert name not in {"processEvents", "setHtml", "setStyleHint"}, f"{file.name}:{node.lineno}"
        assert name != "setToolTip" or file.name == "widgets.py", f"{file.name}:{node.lineno}"
