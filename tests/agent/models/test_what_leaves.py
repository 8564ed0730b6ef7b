"""What leaves the PC: planted names and keys are searched for on the wire, in logs and in what is kept."""

import logging
from collections.abc import Iterator
from typing import Any

import pytest

from desktop import logs
from desktop.agent.events import RunFinished, ToolFinished
from desktop.agent.limits import Limits
from desktop.agent.loop import Checkpoint, Step
from desktop.agent.models.choose import Models
from desktop.agent.run_state import Prompt, RunState
from desktop.agent.tool import Passage, Tool, ToolResult, Toolset
from desktop.config import Settings
from desktop.domain.answer import CheckedText
from desktop.net import Cancellation
from desktop.services.model_leg import ModelLeg
from tests.fakes import chat_server as chat
from tests.fakes import messages_server as api
from tests.fakes.loopback import LoopbackServer
from tests.fakes.plant_tools import WORD, schema

KEY = "sk-ant-PLANTED-0123456789abcdef"
NAMES = ("山本 太郎", "田中花子")
SECRET = "社外秘の調整値は 4.7 MPa"
# 鈴木次郎 is on no roster: only the record knows him.
RECORD = Passage(
    "record:MR-0007", "保全記録 MR-0007", ("処置: ノズル清掃。担当: 山本太郎、確認: 田中花子、立会: 鈴木次郎",)
)
MANUAL = Passage("manual:FL-200#9", "FL-200 9 調整", (SECRET,), may_leave=False)


def search(given: Any) -> ToolResult:
    hits = [{"ref": RECORD.ref, "worker": "山本太郎", "witness": "鈴木次郎"}, {"ref": MANUAL.ref, "body": SECRET}]
    return ToolResult({"total": 2, "results": hits}, 2, 2, (RECORD, MANUAL), people=("", "鈴木次郎"))


TOOLS = Toolset([Tool("search_records", "記録を探す", schema(keywords=WORD), search)])


@pytest.fixture
def server() -> Iterator[LoopbackServer]:
    with LoopbackServer() as running:
        yield running


@pytest.mark.parametrize("provider", ["anthropic", "openai"])
def test_no_planted_name_key_or_withheld_page_is_on_the_wire_and_all_of_it_is_on_screen(
    server: LoopbackServer, provider: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, logger="desktop")
    sent: list[tuple[str, bytes]] = []
    addresses = {"anthropic.base_url": server.url, "openai.base_url": server.url, "openai.model": "local"}
    models = Models(Settings(addresses), lambda name: KEY, lambda url, body: sent.append((url, body)))
    if provider == "anthropic":
        server.script(
            api.answer(api.tool_use("t1", "search_records", keywords="担当A")),
            api.answer("担当Aと担当Bが清掃しました。"),
        )
    else:
        call = chat.call("t1", "search_records", keywords="担当A")
        server.script(chat.whole("", call), chat.whole("担当Aと担当Bが清掃しました。"))
    model = models.choose(provider).model
    assert model is not None
    leg = ModelLeg(model, TOOLS, lambda written: CheckedText(written.text), Limits(), NAMES, outside=True)
    prompt = Prompt(provider, model.name, "s", TOOLS.declarations)
    state = leg.begin("run", "conv", prompt, "山本太郎さんと田中花子さんはE-12をどう直した？")
    steps: list[Step] = list(leg.run(state, Cancellation()))
    models.close()

    wire = b"".join(seen.raw for seen in server.seen).decode()
    for planted in ("山本", "太郎", "田中", "花子", "鈴木", "社外秘", "4.7", KEY):
        assert planted not in wire
    assert "未送信" in wire
    assert [body for _, body in sent] == [seen.raw for seen in server.seen]
    assert all(url.startswith(server.url) for url, _ in sent)

    (ran,) = [step for step in steps if isinstance(step, ToolFinished)]
    assert SECRET in str(ran.content)
    assert ran.input == {"keywords": "山本太郎"}
    assert steps[-1] == RunFinished("山本太郎と田中花子が清掃しました。", steps[-1].usage)

    kept = "".join(step.state.to_json() for step in steps if isinstance(step, Checkpoint))
    for place in (kept, caplog.text, "".join(map(repr, steps)), repr(model), wire):
        assert KEY not in place
    for state in [step.state for step in steps if isinstance(step, Checkpoint)]:
        assert RunState.from_json(state.to_json()) == state


def test_a_key_that_got_into_a_message_is_taken_out_of_the_log() -> None:
    assert KEY not in logs.redact(f"Bearer {KEY} and {KEY}")


def test_by_default_nothing_leaves_at_all() -> None:
    assert Models(Settings(), lambda name: KEY).choose("offline").model is None
    assert Models(Settings(), lambda name: KEY).choose("auto").why == "model_cloud_not_allowed"
