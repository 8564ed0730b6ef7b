"""The window's gap while the SDK is imported and while an answer streams: python -m tests.bench.agent_ui_gap [rounds].

The real window, drawn off screen, with its agent worker: a 5 ms timer on the UI thread, and how late it comes, as p99
against the idle p99 of the same process. The answer comes as 500 pieces a second for 3 s. Goal: median ≤ 4.
"""

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator

from desktop.agent import loop
from desktop.agent.events import Event, ProviderChosen
from desktop.agent.loop import Checkpoint
from desktop.agent.models.claude import ClaudeOptions, open_claude
from desktop.agent.run_state import Prompt, RunState
from desktop.net import Cancellation, Route
from desktop.workers.commands import RunCommand
from tests.fakes import messages_server as api
from tests.fakes.loopback import Handler, LoopbackServer
from tests.fakes.plant_tools import plant_tools
from tests.fakes.station import FakeStation

IDLE_SECONDS = 3.0
PIECES = 1500
PARAGRAPH = """充填ノズルの詰まりです。**主幹と元弁を遮断**し、残圧を抜いてから外します。

1. ノズルを外し、水圧 0.20 MPa 以下で 90 秒逆洗する。
2. Oリング OR-2210 に切れやへたりがあれば交換する。
3. 締付トルク 4.5 N・m で取り付ける。

"""
PAUSE = 0.002  # seconds between two pieces
PHASES = ("idle", "import", "stream")


def paced(handler: Handler) -> None:
    handler.start_stream()
    for event in api.events(PARAGRAPH * (5 * PIECES // len(PARAGRAPH))):
        handler.send_chunk(api.encoded(event))
        time.sleep(PAUSE)
    handler.end_stream()


class ClaudeStation(FakeStation):
    """Its runs open Claude and stream one answer; `phase` says what goes on now."""

    def __init__(self, url: str) -> None:
        super().__init__()
        self.url = url
        self.phase = "idle"

    def _events(self, command: RunCommand, cancelled: Cancellation) -> Iterator[Event]:
        tools = plant_tools()
        yield ProviderChosen("anthropic", "m", "r")
        self.phase = "import"
        claude = open_claude("k", ClaudeOptions(self.url, "m"), Route(proxy="direct"))
        self.phase = "stream"
        state = RunState.start("run", "conv", Prompt("anthropic", "m", "s", tools.declarations), "E-12")
        for step in loop.run(state, claude, tools, cancelled):
            if not isinstance(step, Checkpoint):
                yield step
        self.phase = "over"
        claude.close()


def measure() -> dict[str, list[float]]:
    """Lateness in ms of each tick, by phase."""
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    from PySide6.QtCore import Qt, QTimer
    from PySide6.QtWidgets import QApplication

    from desktop.ui import theme
    from desktop.ui.desk import Desk
    from desktop.ui.gc_guard import GcGuard
    from desktop.ui.look import Look
    from desktop.ui.main_window import MainWindow
    from desktop.workers.crew import Crew

    application = QApplication([])
    theme.apply(application, dark=False)
    late: dict[str, list[float]] = {phase: [] for phase in PHASES}
    with LoopbackServer() as server:
        server.script(paced)
        station = ClaudeStation(server.url)
        guard = GcGuard(application)
        crew = Crew.start(lambda: station)
        window = MainWindow(Look())
        desk = Desk(window, crew)
        window.show()
        desk.start()
        before = (time.perf_counter(), "asking")

        def tick() -> None:
            nonlocal before
            now, phase = time.perf_counter(), station.phase if desk.page.runs else "idle"
            if phase == before[1] and phase in late:
                late[phase].append(max(0.0, (now - before[0]) * 1000 - 5))
            before = (now, phase)
            if station.phase == "over":
                application.quit()

        timer = QTimer()
        timer.setTimerType(Qt.TimerType.PreciseTimer)
        timer.setInterval(5)
        timer.timeout.connect(tick)
        QTimer.singleShot(1000, timer.start)
        QTimer.singleShot(round(1000 * (1 + IDLE_SECONDS)), lambda: desk.ask("E-12"))
        application.exec()
        crew.close()
        window.viewer.release()
        del guard
    return late


def p99(values: list[float]) -> float:
    return sorted(values)[int(len(values) * 0.99)]


def main(rounds: int) -> None:
    ratios: dict[str, list[float]] = {"import": [], "stream": []}
    for _ in range(rounds):
        command = [sys.executable, "-m", "tests.bench.agent_ui_gap", "--measure"]
        done = subprocess.run(command, capture_output=True, text=True, check=True, encoding="utf-8")
        late = json.loads(done.stdout)
        for name, found in ratios.items():
            found.append(p99(late[name]) / max(p99(late["idle"]), 0.1))
        print(
            "  ".join(
                f"{name}: p99 {p99(values):6.1f} ms, max {max(values):6.1f} ms ({len(values)})"
                for name, values in late.items()
            )
        )
    for name, found in ratios.items():
        print(f"{name}: median of {rounds} ratios to idle p99: {statistics.median(found):.1f}")


if __name__ == "__main__":
    if sys.argv[1:] == ["--measure"]:
        print(json.dumps(measure()))
    else:
        main(int(sys.argv[1]) if len(sys.argv) > 1 else 3)
