"""What a server can do, found out by asking."""

from collections.abc import Iterator

import pytest

from desktop.agent.models.failure import Patience
from desktop.agent.models.openai_compatible import ChatOptions, OpenAICompatible
from desktop.agent.models.probe import Capabilities, probe
from desktop.errors import KnownError
from desktop.net import Route
from tests.fakes.chat_server import ChatServer, call, error, whole
from tests.fakes.loopback import SIGN_IN_PAGE, json_body

SEVEN, EIGHT = call("a", "report_number", number=7), call("b", "report_number", number=8)
FIND = whole("", call("c", "find_machine", name="検査機"))
HISTORY = whole("", call("d", "machine_history", machine_id="ZX-731"))
BLUE = whole('{"colour": "青"}')
VLLM = json_body({"data": [{"id": "other", "max_model_len": 1}, {"id": "local", "max_model_len": 32768}]})
LLAMA = json_body({"data": [{"id": "/models/q4.gguf", "meta": {"n_ctx": 6144}}]})


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer() as running:
        yield running


def ask(server: ChatServer, *steps: object) -> Capabilities:
    server.script(*steps)
    options = ChatOptions(server.url, "local", patience=Patience(attempts=1))
    return probe(OpenAICompatible("", options, Route(proxy="direct")))


def test_a_server_that_can_do_everything(server: ChatServer) -> None:
    found = ask(server, VLLM, whole("", SEVEN, EIGHT), FIND, HISTORY, BLUE)
    assert found == Capabilities(("other", "local"), 32768, tools=True, parallel=True, chains=True, forms=True)
    assert found.mode == "tools"
    assert "32768" in "".join(found.lines())


@pytest.mark.parametrize(
    ("said", "mode"),
    [
        ((whole('{"name": "report_number", "arguments": {"number": 7}}'), BLUE), "guided"),
        ((whole("7と8です"), whole("青いです")), None),
        ((whole("", ("a", "report_number", "{")), whole('{"colour": "緑"}')), None),
        ((whole("", SEVEN), FIND, HISTORY, whole("[]")), "tools"),
        ((whole("", SEVEN), whole("", call("d", "machine_history", machine_id="EQ-1")), BLUE), "guided"),
        ((whole("", SEVEN), FIND, whole("", call("e", "machine_history", machine_id="検査機")), BLUE), "guided"),
    ],
    ids=["calls as prose", "neither", "broken arguments", "one call at a time", "invents an id", "ignores the id"],
)
def test_a_server_that_can_do_less(server: ChatServer, said: tuple[object, ...], mode: str | None) -> None:
    found = ask(server, LLAMA, *said)
    assert (found.mode, found.context_tokens, found.parallel) == (mode, 6144, False)
    assert len(found.lines()) == 6


def test_a_server_that_refuses_tools_is_described_with_its_words(server: ChatServer) -> None:
    found = ask(server, json_body({"data": []}), error(400, '"auto" tool choice requires --enable-auto-tool-choice'))
    assert "--enable-auto-tool-choice" in found.problem
    assert found.mode is None


def test_a_server_that_is_none_is_named(server: ChatServer) -> None:
    with pytest.raises(KnownError) as caught:
        ask(server, SIGN_IN_PAGE)
    assert caught.value.code == "net_captive_portal"
