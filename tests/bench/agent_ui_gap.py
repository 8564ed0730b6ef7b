"""The window's gap while the SDK is imported and while an answer streams: python -m tests.bench.agent_ui_gap [rounds].

A 5 ms timer on the UI thread; how late it comes, as p99, against the idle p99 of the same process. Goal: median ≤ 4.
"""

import json
import os
import statistics
import subprocess
import sys
import threading
import time

IDLE_SECONDS = 3.0


def measure() -> dict[str, list[float]]:
    """Lateness in ms of each tick: idle, while a worker opens Claude, while it streams."""
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    from PySide6.QtCore import QCoreApplication, Qt, QTimer

    from desktop.agent import loop
    from desktop.agent.models.claude import ClaudeOptions, open_claude
    from desktop.agent.run_state import Prompt, RunState
    from desktop.net import Cancellation, Route
    from tests.fakes import messages_server as api
    from tests.fakes.messages_server import MessagesServer
    from tests.fakes.plant_tools import plant_tools

    application = QCoreApplication([])
    tools = plant_tools()
    late: dict[str, list[float]] = {}

    def during(name: str, work: "threading.Thread | None") -> None:
        ticks: list[float] = []
        last = [time.perf_counter()]

        def tick() -> None:
            now = time.perf_counter()
            ticks.append(max(0.0, (now - last[0]) * 1000 - 5))
            last[0] = now
            if (work is None and now - begun > IDLE_SECONDS) or (work is not None and not work.is_alive()):
                application.quit()

        timer = QTimer()
        timer.setTimerType(Qt.TimerType.PreciseTimer)
        timer.setInterval(5)
        timer.timeout.connect(tick)
        begun = time.perf_counter()
        if work:
            work.start()
        timer.start()
        application.exec()
        late[name] = ticks

    with MessagesServer() as server:
        opened = []
        during("idle", None)
        options = ClaudeOptions(server.url, "m")
        during(
            "import", threading.Thread(target=lambda: opened.append(open_claude("k", options, Route(proxy="direct"))))
        )
        state = RunState.start("run", "conv", Prompt("anthropic", "m", "s", tools.declarations), "E-12")
        server.script(api.answer("ノズルを外して清掃してください。" * 400))
        answer = threading.Thread(target=lambda: list(loop.run(state, opened[0], tools, Cancellation())))
        during("stream", answer)
        opened[0].close()
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
            "  ".join(f"{name}: p99 {p99(values):6.1f} ms, max {max(values):6.1f} ms" for name, values in late.items())
        )
    for name, found in ratios.items():
        print(f"{name}: median of {rounds} ratios to idle p99: {statistics.median(found):.1f}")


if __name__ == "__main__":
    if sys.argv[1:] == ["--measure"]:
        print(json.dumps(measure()))
    else:
        main(int(sys.argv[1]) if len(sys.argv) > 1 else 3)
