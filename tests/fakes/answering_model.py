"""Models for evaluations: one that does well, and one for each way in which models were seen to go wrong."""

from collections.abc import Callable, Generator
from typing import Any

from desktop.agent.events import TextDelta
from desktop.agent.language_model import Progress
from desktop.agent.messages import Reply, TokenUsage, calls_in
from desktop.agent.run_state import RunState
from desktop.net import Cancellation
from tests.fakes.scripted_model import calls, says

Behaviour = Callable[[RunState], Reply]

SECTION = "[ref:manual:FL-200-r3#5.2]"


class AnsweringModel:
    """Answers whatever it is asked by one behaviour; `asked` are the states it got, `price` what a reply costs."""

    provider = "scripted"
    name = "scripted-1"
    max_tokens = 1000
    native_citations = False
    context_tokens = None

    def __init__(self, behave: Behaviour, price: float | None = None) -> None:
        self._behave = behave
        self._price = price
        self.asked: list[RunState] = []

    def reply(self, state: RunState, cancelled: Cancellation) -> Generator[Progress, None, Reply]:
        self.asked.append(state)
        said = self._behave(state)
        if said.text:
            yield TextDelta(said.text)
        return said

    def cost(self, usage: TokenUsage) -> float | None:
        return self._price


def does_well(state: RunState) -> Reply:
    """Looks up where it can, and says what the papers say."""
    if _may_look_up(state):
        return _look_up(state)
    return says(
        f"EQ-003のE-12は充填ノズル詰まりです{SECTION}。ライン3の機械を止め、ノズルを水圧0.20MPa以下、90秒で逆洗する{SECTION}。"
        f"再発するならOリング OR-2210 を交換する{SECTION}。"
    )


def never_calls(state: RunState) -> Reply:
    """From memory, whatever tools there are."""
    return says("EQ-003のE-12は電源電圧の低下です。部品 ZZ-9999 を交換し、ZX-450 の設定を見直してください。")


def calls_and_contradicts(state: RunState) -> Reply:
    """Looks up, then says what it thought before."""
    if _may_look_up(state):
        return _look_up(state)
    return says("E-12は電源電圧の低下です。供給の水圧を0.95MPaに上げてください。E-12の記載はマニュアルにありません。")


def short_english(state: RunState) -> Reply:
    return says("Clean the nozzle and restart.")


def wrong_machine(state: RunState) -> Reply:
    """Every name is real; the machine is the twin on another line."""
    return says("EQ-001の記録 REC-0155 のとおり、ライン1の充填機のフィルタ清掃をしてください。")


def mends(state: RunState) -> Reply:
    """Wrong at first, right once it has been told."""
    told = any("【照合の結果】" in str(message["content"]) for message in state.messages)
    return does_well(state) if told else wrong_machine(state)


def drafts_a_request(state: RunState) -> Reply:
    """Asks for a request that nobody asked for, then answers."""
    if state.calls_of_question() or not state.prompt.tools:
        return does_well(state)
    return calls(("c1", "create_work_request", _REQUEST))


_REQUEST: dict[str, Any] = {"equipment_id": "EQ-003", "title": "ノズル交換", "detail": "E-12", "priority": "高"}


def _may_look_up(state: RunState) -> bool:
    offered = {tool["name"] for tool in state.prompt.tools}
    return "search_manual" in offered and not any(calls_in(message) for message in state.messages)


def _look_up(state: RunState) -> Reply:
    return calls(("c1", "search_manual", {"model": "FL-200", "keywords": "E-12"}))
