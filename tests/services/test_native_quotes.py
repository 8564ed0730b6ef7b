"""What a model cites natively must stand in what it was given."""

from collections.abc import Iterator

import pytest

from desktop.agent.events import AnswerChecked, AnswerSentBack
from desktop.agent.messages import Quote
from desktop.agent.models.claude import ClaudeOptions, open_claude
from desktop.agent.run_state import Prompt
from desktop.domain.answer import CheckedText, Citation, CitationKind, WarningKind
from desktop.net import Cancellation, Route
from desktop.services.model_leg import ModelLeg
from desktop.services.native_quotes import with_quotes
from tests.fakes import messages_server as api
from tests.fakes.messages_server import MessagesServer
from tests.fakes.plant_tools import plant_tools

REF = "manual:FL-200#5.2"
TEXT = f"逆洗する[ref:{REF}]。"
CITED = CheckedText(TEXT, citations=(Citation(1, CitationKind.MANUAL, REF, "5.2", "E-12", verified=True),))
GIVEN = {REF: "ノズルを外し、\n水圧０.２０ＭＰａ以下で逆洗する。"}


@pytest.mark.parametrize("words", ["水圧0.20MPa以下で逆洗する", "ノズルを外し、水圧0.20MPa以下", "水圧… 逆洗"])
def test_words_that_stand_in_the_source_become_what_the_citation_opens(words: str) -> None:
    checked = with_quotes(CITED, [Quote(REF, words)], GIVEN)
    assert checked.clean
    assert [(one.quote, one.verified) for one in checked.citations] == [(words, True)]


@pytest.mark.parametrize("quote", [Quote(REF, "水圧2.0MPaで逆洗する"), Quote(REF, ""), Quote(REF, "清掃" * 40)])
def test_words_that_do_not_are_a_finding_where_the_source_is_cited(quote: Quote) -> None:
    checked = with_quotes(CITED, [quote], GIVEN)
    (warning,) = checked.warnings
    assert warning.kind is WarningKind.NOT_IN_EVIDENCE
    assert [TEXT[start:end] for start, end in checked.marked] == [f"[ref:{REF}]"]
    assert [one.verified for one in checked.citations] == [False]


def test_a_source_that_was_never_given_bears_nothing_out() -> None:
    assert not with_quotes(CITED, [Quote("manual:else#1", "逆洗")], GIVEN).clean
    assert with_quotes(CITED, [], GIVEN) == CITED


@pytest.fixture
def server() -> Iterator[MessagesServer]:
    with MessagesServer() as running:
        yield running


def test_over_the_wire_an_invented_quotation_goes_back_and_a_true_one_passes(server: MessagesServer) -> None:
    model, tools = open_claude("k", ClaudeOptions(server.url, "m"), Route(proxy="direct")), plant_tools()
    leg = ModelLeg(model, tools, lambda written: CheckedText(written.text))
    server.script(
        api.answer(api.tool_use("t1", "search_manual", model="FL-200", keywords="E-12")),
        api.answer(api.text("強く叩く。", api.cited(REF, "ハンマーで強く叩く"))),
        api.answer(api.text("外す。", api.cited(REF, "E-12 はノズル詰まり。ノズルを外して清掃する。"))),
    )
    state = leg.begin("r", "c", Prompt("anthropic", "m", "s", tools.declarations), "E-12は？")
    steps = list(leg.run(state, Cancellation()))
    model.close()
    (back,) = [step for step in steps if isinstance(step, AnswerSentBack)]
    assert [warning.name for warning in back.checked.warnings] == ["ハンマーで強く叩く"]
    (told,) = [step for step in steps if isinstance(step, AnswerChecked)]
    assert (told.checked.clean, told.checked.text) == (True, f"外す。[ref:{REF}]")
