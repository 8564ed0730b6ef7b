"""Pictures of window and dialog for people to look at: `python tests/ui/screenshots.py [FOLDER]` (./screenshots).

`--readme` takes the one of the README instead: the bundled sample plant, with nothing faked.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from PySide6.QtCore import QEventLoop, QTimer  # noqa: E402
from PySide6.QtGui import QFontDatabase  # noqa: E402
from PySide6.QtWidgets import QAbstractScrollArea, QApplication, QPushButton, QWidget  # noqa: E402

from desktop.app import House  # noqa: E402
from desktop.domain.work_request import Meaning  # noqa: E402
from desktop.errors import KnownError  # noqa: E402
from desktop.paths import DataDir  # noqa: E402
from desktop.ui import theme  # noqa: E402
from desktop.ui.desk import Desk  # noqa: E402
from desktop.ui.look import Look  # noqa: E402
from desktop.ui.main_window import MainWindow  # noqa: E402
from desktop.ui.start_failure import StartFailure  # noqa: E402
from desktop.workers import commands  # noqa: E402
from desktop.workers.crew import Crew  # noqa: E402
from desktop.workers.station import Station  # noqa: E402
from desktop.workers.worker import failure_of  # noqa: E402
from tests.fakes.station import CITATIONS, PIN, FakeStation, proposal  # noqa: E402


def pause(milliseconds: int = 350) -> None:
    loop = QEventLoop()
    QTimer.singleShot(milliseconds, loop.quit)
    loop.exec()


class Studio:
    """One window at 1366×768, photographed."""

    def __init__(self, folder: Path, name: str, station: Callable[[], Station]) -> None:
        self.folder, self.name = folder, name
        self.crew = Crew.start(station)
        self.window = MainWindow(Look())
        self.desk = Desk(self.window, self.crew)
        self.window.resize(1366, 768)
        self.window.show()
        self.desk.start()
        pause()

    def shoot(self, what: str, widget: QWidget | None = None) -> None:
        pause()
        (widget or self.window).grab().save(str(self.folder / f"{what}-{self.name}.png"))

    def close(self) -> None:
        assert self.crew.close()
        self.window.viewer.release()
        self.window.close()
        self.window.deleteLater()
        pause(50)


def fake(**options: bool) -> Callable[[], Station]:
    station = FakeStation(**options)
    return lambda: station


def scroll_to_end(area: QAbstractScrollArea) -> None:
    area.verticalScrollBar().setValue(area.verticalScrollBar().maximum())


def conversation(studio: Studio) -> None:
    studio.desk.ask("ライン3の充填機でE-12が出た")
    studio.shoot("main")
    scroll_to_end(studio.desk.page)
    studio.shoot("main-end")
    studio.desk.sources.show_citation(CITATIONS[0])
    pause(500)
    studio.shoot("source")
    studio.window.close_source()


def approval(studio: Studio) -> None:
    studio.desk.ask("充填機ライン3のOリング交換を依頼して")
    pause(600)
    dialog = studio.window.findChild(QWidget, "approvalDialog")
    studio.shoot("dialog", dialog)
    studio.shoot("dialog-over")
    dialog.reject()
    scroll_to_end(studio.desk.page)
    studio.shoot("waiting")


def others(studio: Studio) -> None:
    studio.desk.new_conversation()
    studio.desk.ask("充填機でE-12")
    studio.shoot("choice")
    menu = studio.window.findChild(QPushButton, "menuButton")
    if menu.isVisible():
        menu.click()
        studio.shoot("list")
        menu.click()
    studio.window.person_wanted.emit()
    studio.shoot("person", studio.window.findChild(QWidget, "personDialog"))
    studio.window.findChild(QWidget, "personDialog").close()


def failures(studio: Studio, station: FakeStation) -> None:
    """Every place that can say that something failed."""
    full = KnownError("journal_disk_full", file=r"C:\ProgramData\HozenNavi\data\journal.db")
    station.trouble = full
    studio.desk.ask("ライン3の充填機でE-12が出た")
    studio.shoot("failed-run")
    station.trouble = None
    studio.window.show_failure(failure_of(full))
    station.now = replace(station.now, trouble=failure_of(KnownError("sync_folder_missing", reason=r"\\srv\hozen")))
    studio.crew.sync.wake()
    studio.shoot("failed-message")
    studio.window.show_message("")
    missing = failure_of(KnownError("journal_key_missing", name="journal/0190"))
    studio.window.failure_page.show_failure(missing, reads_on=False, retried=False)
    studio.window.show_page(studio.window.failure_page)
    studio.shoot("failed-data")
    studio.desk.new_conversation()
    studio.desk.ask("充填機ライン3のOリング交換を依頼して")
    pause(600)
    dialog = studio.window.findChild(QWidget, "approvalDialog")
    dialog.refuse(failure_of(KnownError("pin_locked", person="田中 一郎")))
    studio.shoot("failed-dialog-over")
    studio.shoot("failed-dialog", dialog)
    dialog.reject()
    station.decide(commands.Decide("p-1", 1, "", Meaning.RETURNED, "0401", PIN, reason="写真を付けて"))
    station.proposals["p-9"] = proposal("p-9")
    station.decide(commands.Decide("p-9", 1, "", Meaning.APPROVED, "0401", PIN, title="Oリング交換"))
    station.aside["WR-P07-0001"] = failure_of(KnownError("sync_item_conflict", reason=r"\\srv\hozen\1.json"))
    studio.desk.requests.open()
    studio.shoot("failed-requests")
    studio.window.person_wanted.emit()
    person = studio.window.findChild(QWidget, "personDialog")
    person.refuse(failure_of(KnownError("pin_wrong", left=3)))
    studio.shoot("failed-person", person)
    person.close()


def start_failure(studio: Studio) -> None:
    dialog = StartFailure(failure_of(KnownError("policy_untrusted", file=r"C:\ProgramData\HozenNavi\policy.toml")))
    dialog.open()
    studio.shoot("failed-start", dialog)
    dialog.close()


def application() -> QApplication:
    QApplication.setStyle("Fusion")
    app = QApplication(["hozen-navi"])
    for file in sorted((ROOT / "tests" / "fonts").glob("*.ttf")):
        QFontDatabase.addApplicationFont(str(file))
    return app


def readme(to: Path) -> None:
    theme.apply(application(), dark=False)
    with tempfile.TemporaryDirectory() as folder:
        house = House(DataDir(Path(folder)))
        house().open(sample=True)
        studio = Studio(to.parent, to.stem, house)
        pause(1500)
        studio.desk.ask("ライン3の充填機でE-12が出た")
        pause(3000)
        to.parent.mkdir(parents=True, exist_ok=True)
        studio.window.grab().save(str(to))
        studio.close()
        house.close()


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    app = application()
    for dark in (False, True):
        for percent in (100, 125, 150, 200):
            theme.apply(app, dark=dark, percent=percent)
            studio = Studio(folder, f"{'dark' if dark else 'light'}-{percent}", fake(with_model=True))
            conversation(studio)
            approval(studio)
            if not dark:
                others(studio)
            start_failure(studio)
            studio.close()
            station = FakeStation()
            studio = Studio(folder, f"{'dark' if dark else 'light'}-{percent}", lambda station=station: station)
            failures(studio, station)
            studio.close()
    theme.apply(app, dark=False, percent=100)
    first = Studio(folder, "light-100", fake(has_data=False))
    first.shoot("start")
    first.close()


if __name__ == "__main__":
    if "--readme" in sys.argv:
        readme(ROOT / "tests" / "ui" / "main-light.png")
    else:
        main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "screenshots")
