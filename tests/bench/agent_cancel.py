"""How long a stop takes while the server is silent: python -m tests.bench.agent_cancel [times]. Goal: ≤ 100 ms."""

import statistics
import sys
import threading
import time
from typing import Any

from desktop.agent import loop
from desktop.agent.events import Retrying
from desktop.agent.models.claude import ClaudeOptions, open_claude
from desktop.agent.models.failure import Patience
from desktop.agent.models.openai_compatible import ChatOptions, OpenAICompatible
from desktop.agent.run_state import Prompt, RunState
from desktop.net import Cancellation, Route
from tests.fakes import chat_server as chat
from tests.fakes import messages_server as api
from tests.fakes.loopback import LoopbackServer, say_nothing
from tests.fakes.plant_tools import plant_tools

TOOLS = plant_tools()
DIRECT = Route(proxy="direct")
PATIENT = Patience(first=600.0, cap=600.0)
PLACES = ("before headers", "in the middle of text", "while backing off")


def script(place: str, provider: str) -> Any:
    if place == "before headers":
        return say_nothing
    if provider == "anthropic":
        middle = api.broken("ノズルを外して清掃", end="hold", after=5)
        return middle if place == "in the middle of text" else api.error(529, "overloaded_error")
    middle = chat.streamed("ノズルを外して清掃", end="hold", after=2)
    return middle if place == "in the middle of text" else chat.error(503)


def once(server: LoopbackServer, model: Any, place: str) -> float:
    """Milliseconds from the stop until the run has said that it stopped."""
    server.script(script(place, model.provider))
    server.holding.clear()
    stop, waiting, ended = Cancellation(), threading.Event(), [0.0]

    def work() -> None:
        state = RunState.start("run", "conv", Prompt(model.provider, "m", "s", TOOLS.declarations), "E-12")
        for step in loop.run(state, model, TOOLS, stop):
            if isinstance(step, Retrying):
                waiting.set()
        ended[0] = time.perf_counter()

    worker = threading.Thread(target=work)
    worker.start()
    (waiting if place == "while backing off" else server.holding).wait()
    begun = time.perf_counter()
    stop.set()
    worker.join()
    server.let_go.set()
    server.let_go.clear()
    return (ended[0] - begun) * 1000


def main(times: int) -> None:
    with LoopbackServer() as server:
        models = [
            open_claude("k", ClaudeOptions(server.url, "m", patience=PATIENT), DIRECT),
            OpenAICompatible("", ChatOptions(server.url, "m", stream_with_tools=True, patience=PATIENT), DIRECT),
        ]
        for model in models:
            for place in PLACES:
                taken = [once(server, model, place) for _ in range(times)]
                figures = f"median {statistics.median(taken):6.1f} ms  max {max(taken):6.1f} ms"
                print(f"{model.provider:10} {place:24} {figures}")
            model.close()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20)
