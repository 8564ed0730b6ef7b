"""The evaluation tells models apart in each way in which they were seen to go wrong, and leaves nothing behind."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from desktop import config
from desktop.agent.messages import Reply, text_of
from desktop.agent.models.choose import Chosen
from desktop.agent.run_state import RunState
from desktop.config import Settings
from desktop.errors import KnownError
from desktop.services.evaluation import Order, evaluate
from desktop.services.evaluation_conditions import CONDITIONS, passages
from desktop.services.evaluation_questions import bundled
from desktop.services.station import Services
from tests.fakes.answering_model import (
    AnsweringModel,
    Behaviour,
    calls_and_contradicts,
    does_well,
    drafts_a_request,
    mends,
    never_calls,
    short_english,
    wrong_machine,
)
from tests.fakes.scripted_model import says
from tests.services.evaluation_plant import E12, evaluated, mean


@pytest.fixture
def services(bundled_services: Services) -> Services:
    return bundled_services


def everything_in(services: Services) -> dict[str, list[Any]]:
    with services.journal.reading() as tx:
        tables = [row["name"] for row in tx.rows("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        return {table: tx.rows(f"SELECT * FROM {table}") for table in tables}


def figures(services: Services, behave: Behaviour, condition: str = "tools") -> dict[str, float | None]:
    document = evaluated(services, AnsweringModel(behave), [condition])
    return {name: figure["mean"] for name, figure in document["conditions"][condition].items()}


def test_a_good_model_is_right_in_every_way(services: Services) -> None:
    got = figures(services, does_well)
    assert (got["right"], got["right_machine"], got["trap_passed"], got["called"]) == (1, 1, 1, 1)
    assert (got["unknown_names_per_1000"], got["wrong_owner"], got["contradictions"]) == (0, 0, 0)
    assert (got["citations_valid"], got["uncited"], got["language_kept"], got["unsupported"]) == (1, 0, 1, 0)


def test_one_that_never_calls_is_seen_not_to(services: Services) -> None:
    got = figures(services, never_calls)
    assert (got["called"], got["right"], got["trap_passed"], got["uncited"]) == (0, 0, 0, 1)
    assert got["unknown_names_per_1000"]
    assert got["contradictions"] == 0


def test_one_that_calls_and_contradicts_is_seen_to(services: Services) -> None:
    got = figures(services, calls_and_contradicts)
    assert (got["called"], got["right"]) == (1, 0)
    assert got["contradictions"] == 3


def test_short_english_answers_are_seen(services: Services) -> None:
    got = figures(services, short_english)
    assert (got["language_kept"], got["uncited"], got["right"]) == (0, 1, 0)
    assert (got["length"], got["wrong_owner"], got["unknown_names_per_1000"]) == (29, 0, 0)


def test_a_real_thing_of_the_wrong_machine_is_seen(services: Services) -> None:
    got = figures(services, wrong_machine)
    assert (got["right_machine"], got["trap_passed"], got["unknown_names_per_1000"]) == (0, 0, 0)
    assert got["wrong_owner"]


def test_the_check_lets_a_model_mend_and_that_shows(services: Services) -> None:
    document = evaluated(services, AnsweringModel(mends), ["tools", "checked"])
    assert mean(document, "tools", "wrong_owner")
    assert (mean(document, "checked", "wrong_owner"), mean(document, "checked", "sent_back")) == (0, 1)
    assert mean(document, "tools", "sent_back") is None


def test_what_is_not_mended_is_marked(services: Services) -> None:
    document = evaluated(services, AnsweringModel(wrong_machine), ["facts", "facts-checked"])
    assert mean(document, "facts", "marked") == 0
    assert mean(document, "facts-checked", "marked")
    assert mean(document, "facts-checked", "wrong_owner") == mean(document, "facts", "wrong_owner")


def test_a_request_is_counted_declined_and_stored_nowhere(services: Services) -> None:
    before = everything_in(services)
    model = AnsweringModel(drafts_a_request)
    document = evaluated(services, model, ["tools"])
    assert mean(document, "tools", "proposals") == 1
    assert mean(document, "tools", "trap_passed") == 0
    assert "rejected_by_user" in str(model.asked[1].messages[-1])
    assert everything_in(services) == before


def test_with_facts_a_request_can_be_drafted_where_the_product_offers_it(services: Services) -> None:
    asks_for_one = next(one for one in bundled() if one.question_id == "Q44")
    document = evaluated(services, AnsweringModel(drafts_a_request), ["full"], [E12, asks_for_one])
    assert [answer["measures"]["proposals"] for answer in document["answers"]] == [0, 1]
    assert [answer["measures"]["trap_passed"] for answer in document["answers"]] == [1, 1]


def first_prompts(services: Services, *, outside: bool = False) -> dict[str, RunState]:
    """The first state that a model gets under each condition."""
    found: dict[str, RunState] = {}

    def says_little(state: RunState) -> Reply:
        return says("わかりません。")

    model = AnsweringModel(says_little)
    evaluated(services, model, tuple(CONDITIONS), outside=outside)
    names = iter(CONDITIONS)
    for state in model.asked:
        if state.question_at == 0 and len(state.messages) == 1 and "一行に一つずつ" not in state.prompt.system:
            found[next(names)] = state
    return found


def test_each_condition_gives_what_its_name_says(services: Services) -> None:
    prompts = first_prompts(services)
    tools = {name: [tool["name"] for tool in state.prompt.tools] for name, state in prompts.items()}
    told = {name: text_of(state.messages[0]) for name, state in prompts.items()}
    system = {name: state.prompt.system for name, state in prompts.items()}
    with_tools = {"tools", "tools-short-label", "tools-more-tokens", "tools-urged", "checked", "full"}
    assert {name for name, names in tools.items() if "search_manual" in names} == with_tools
    assert tools["tools-dummy"] == ["cafeteria_menu"]
    assert {name for name, names in tools.items() if not names} == set(CONDITIONS) - with_tools - {"tools-dummy"}
    facts = {"facts-planned", "facts", "facts-checked", "full"}
    assert {name for name, text in told.items() if "<<<事実" in text} == facts
    assert {name for name, text in told.items() if "5.2 E-12" in text} == facts - {"facts-planned"} | {"in-corpus"}
    assert {name for name, text in told.items() if "【資料】" in text} == {"in-corpus"}
    assert told["none"] == told["tools"] == E12.text
    assert "調べずに答えることは許されない" in system["tools-urged"]
    assert system["tools"] == system["full"] != system["none"] == system["tools-dummy"]
    short = {tool["name"]: tool["description"] for tool in prompts["tools-short-label"].prompt.tools}
    assert short["search_manual"] == "マニュアルを探す。"


def test_a_planning_model_names_and_the_program_looks_up(services: Services) -> None:
    def plans(state: RunState) -> Reply:
        return says("EQ-003\nE-12") if "一行に一つずつ" in state.prompt.system else does_well(state)

    model = AnsweringModel(plans)
    document = evaluated(services, model, ["facts-planned"])
    assert "充填ノズル詰まり" in text_of(model.asked[1].messages[0])
    assert mean(document, "facts-planned", "turns") == 2
    assert mean(document, "facts-planned", "right") == 1


def test_only_one_condition_asks_for_longer_replies(services: Services) -> None:
    opened: list[int] = []

    def open_model(times: int) -> Chosen:
        opened.append(times)
        return Chosen("scripted", AnsweringModel(does_well))

    evaluate(services, Order([E12], "anthropic", ["tools", "tools-more-tokens"]), open_model)
    assert opened == [1, 4]


def test_people_never_leave_in_any_condition(services: Services) -> None:
    names = {"田中", "鈴木"}
    inside = str([state.messages for state in first_prompts(services).values()])
    assert any(name in inside for name in names)
    outside = first_prompts(services, outside=True)
    for name, state in outside.items():
        sent = str(state.messages)
        assert not any(person in sent for person in names), name
        assert "逆洗し、閉塞を除く" not in sent, name  # the sample's manuals may not leave


def test_whoever_a_found_record_names_is_known_to_be_hidden(services: Services) -> None:
    found = passages("E-12 ノズル詰まり", services.plant(), outside=True)
    workers = {
        one.worker for ref in found.refs if (one := services.plant().snapshot.record(ref.removeprefix("record:")))
    }
    assert workers == set(found.people) != set()


def test_repeats_give_a_spread(services: Services) -> None:
    texts = iter(["EQ-003" + "あ" * 4, "EQ-003" + "あ" * 14])
    document = evaluated(services, AnsweringModel(lambda _state: says(next(texts))), ["none"], repeat=2)
    length = document["conditions"]["none"]["length"]
    assert (length["mean"], round(length["spread"], 3), length["n"]) == (15, 7.071, 2)


def test_tools_stay_only_where_they_help(services: Services) -> None:
    def better_with_tools(state: RunState) -> Reply:
        return does_well(state) if state.prompt.tools else says("わかりません。")

    names = ["facts-checked", "full"]
    helped = evaluated(services, AnsweringModel(better_with_tools), names)
    assert helped["tools_after_facts"] == {"keep": True, "worse": [], "more_right": True}
    assert not evaluated(services, AnsweringModel(does_well), names)["tools_after_facts"]["keep"]
    assert evaluated(services, AnsweringModel(does_well), ["full"])["tools_after_facts"] is None


class Killed(Exception):
    pass


def test_a_killed_evaluation_goes_on_where_it_was(services: Services, tmp_path: Path) -> None:
    file = tmp_path / "cells.jsonl"
    questions = bundled()[:4]

    def dies(state: RunState) -> Reply:
        if len(dying.asked) > 2:
            raise Killed
        return does_well(state)

    dying = AnsweringModel(dies)
    with pytest.raises(Killed):
        evaluated(services, dying, ["none"], questions, resume=file)
    with file.open("ab") as torn:
        torn.write(b'{"condition": "none", "quest')
    going_on = AnsweringModel(does_well)
    document = evaluated(services, going_on, ["none"], questions, resume=file)
    assert len(going_on.asked) == 2
    assert len(document["answers"]) == 4
    again = AnsweringModel(does_well)
    assert evaluated(services, again, ["none"], questions, resume=file)["answers"] == document["answers"]
    assert again.asked == []
    assert [json.loads(line).get("question") for line in file.read_text(encoding="utf-8").splitlines()] == [
        None, "Q01", "Q02", "Q03", "Q04",
    ]  # fmt: skip


def test_results_of_another_evaluation_are_left_alone(services: Services, tmp_path: Path) -> None:
    file = tmp_path / "cells.jsonl"
    evaluated(services, AnsweringModel(does_well), ["none"], resume=file)
    kept = file.read_bytes()
    with pytest.raises(KnownError) as caught:
        evaluated(services, AnsweringModel(does_well), ["none"], bundled()[:2], resume=file)
    assert (caught.value.code, caught.value.detail["what"]) == ("evaluation_other_run", "質問")
    assert file.read_bytes() == kept


def test_the_cost_is_said_first_and_the_days_budget_stops_it(services: Services, tmp_path: Path) -> None:
    said: list[str] = []
    kept, services.settings = services.settings, Settings({config.BUDGET_DAY_COST.key: 0.05})
    try:
        model = AnsweringModel(does_well, price=0.03)
        document = evaluated(services, model, ["none"], bundled()[:5], say=said.append)
    finally:
        services.settings = kept
    assert "回答 5 件" in said[0]
    assert "約 0.15 ドル" in said[0]
    assert "予算の残りは 0.05 ドル" in said[0]
    assert len(model.asked) == len(document["answers"]) == 2
    assert "今日" in document["stopped"] == said[1]


def test_a_provider_out_of_reach_ends_it_and_keeps_what_is_done(services: Services, tmp_path: Path) -> None:
    def fails_later(state: RunState) -> Reply:
        if len(model.asked) > 1:
            raise KnownError("net_cut", host="api")
        return does_well(state)

    model = AnsweringModel(fails_later)
    file = tmp_path / "cells.jsonl"
    with pytest.raises(KnownError) as caught:
        evaluated(services, model, ["none"], bundled()[:3], resume=file)
    assert caught.value.code == "net_cut"
    assert len(file.read_text(encoding="utf-8").splitlines()) == 2


def test_a_run_that_ends_badly_is_an_answer_that_is_wrong(services: Services) -> None:
    document = evaluated(services, AnsweringModel(lambda _state: says("途中", stop="max_tokens")), ["none"])
    assert (mean(document, "none", "stopped"), mean(document, "none", "right")) == (1, 0)
    assert mean(document, "none", "length") is None


def test_offline_says_what_it_cannot_measure(services: Services) -> None:
    with pytest.raises(KnownError) as caught:
        evaluate(services, Order([E12], "offline", ["tools"]))
    assert caught.value.code == "evaluation_needs_model"
    document = evaluate(services, Order([E12], "offline"))
    assert set(document["conditions"]) == {"facts-checked"}
    assert set(document["not_run"]) == set(CONDITIONS) - {"facts-checked"}
