"""A run put away and taken up again."""

import json
from pathlib import Path

import pytest

from desktop.agent.messages import assistant_message, calls_in, clean, text_block, text_of
from desktop.agent.run_state import NOT_EXECUTED, Prompt, RunState
from desktop.errors import KnownError

CORPUS = Path(__file__).parent / "corpus"
PROMPT = Prompt("anthropic", "claude-opus-5-5", "台帳が先。", ({"name": "search_equipment", "strict": True},))
CALL = {"type": "tool_use", "id": "t1", "name": "search_equipment", "input": {"query": "ライン3"}, "caller": None}


def asked(question: str = "E-12が出た") -> RunState:
    return RunState.start("run-1", "conv-1", PROMPT, question, {"担当A": "佐藤 一郎"})


def test_writing_reading_and_writing_again_gives_the_same_bytes() -> None:
    state = asked().with_reply(assistant_message([{"type": "new", "z": 1, "a": [None, 1.50, {"深": []}]}, CALL]))
    state = state.with_result("t1", [{"type": "text", "text": "該当なし"}], is_error=True)
    text = state.to_json()
    again = RunState.from_json(text)
    assert again == state
    assert again.to_json() == text
    assert text.encode("utf-8")


@pytest.mark.parametrize("file", sorted(CORPUS.glob("*.json")), ids=lambda file: file.stem)
def test_every_run_state_ever_written_is_still_read(file: Path) -> None:
    state = RunState.from_json(file.read_text(encoding="utf-8"))
    assert [call.call_id for call in state.unresolved()] == ["t3"]
    assert state.with_result("t3", {"status": "registered", "number": "WR-0001"}).unresolved() == ()


def test_a_newer_run_state_is_refused_with_a_sentence_and_a_broken_one_too() -> None:
    newer = json.dumps({**json.loads(asked().to_json()), "schema": 99})
    with pytest.raises(KnownError) as caught:
        RunState.from_json(newer)
    assert caught.value.code == "run_state_too_new"
    for text in ("", "[]", "{}", '{"schema": 1}', asked().to_json()[:-9], '{"schema": 1, "prompt": []}'):
        with pytest.raises(KnownError) as caught:
            RunState.from_json(text)
        assert caught.value.code == "run_state_unreadable"


def test_the_next_question_with_the_same_prompt_goes_on_verbatim() -> None:
    thought = {"type": "thinking", "thinking": "", "signature": "c2ln"}
    state = asked().with_reply(assistant_message([thought, text_block("清掃。")]))
    following = state.follow_up("run-2", PROMPT, "部品は？")
    assert following.messages[:2] == state.messages
    assert (following.run_id, following.conversation_id, following.turns) == ("run-2", "conv-1", 0)
    assert text_of(following.messages[following.question_at]) == "部品は？"
    assert following.people == {"担当A": "佐藤 一郎"}


def test_with_another_prompt_only_what_both_sides_said_is_kept() -> None:
    thought = {"type": "thinking", "thinking": "ひみつ", "signature": "c2ln"}
    state = asked().with_reply(assistant_message([thought, text_block("調べます。"), CALL]))
    state = state.with_result("t1", "該当なし").with_round_closed()
    state = state.with_reply(assistant_message([text_block("清掃。")]))
    following = state.follow_up("run-2", Prompt("openai", "local", "別の指示", ()), "部品は？")
    assert [(m["role"], text_of(m)) for m in following.messages] == [
        ("user", "E-12が出た"),
        ("assistant", "調べます。\n清掃。"),
        ("user", "部品は？"),
    ]
    assert "ひみつ" not in following.to_json()


def test_calls_that_a_stop_left_open_are_answered_with_the_next_question() -> None:
    other = {**CALL, "id": "t2"}
    state = asked().with_reply(assistant_message([CALL, other])).with_result("t2", "結果")
    following = state.follow_up("run-2", PROMPT, "つづき")
    first, second, question = following.last["content"]
    assert (first["tool_use_id"], first["content"], first["is_error"]) == ("t1", NOT_EXECUTED, True)
    assert (second["tool_use_id"], second["content"]) == ("t2", "結果")
    assert question["text"] == "つづき"


def test_half_a_character_is_replaced_wherever_it_hides() -> None:
    assert clean({"a\ud800": ["x\udfff", ("\ud83d\ude00"[:1],), 1, None]}) == {"a?": ["x?", ["?"], 1, None]}
    assert asked("だめ\ud800").to_json().encode("utf-8")


def test_plain_text_content_of_foreign_histories_reads_as_one_block() -> None:
    assert text_of({"role": "user", "content": "そのまま"}) == "そのまま"
    assert calls_in({"role": "assistant", "content": "そのまま"}) == ()
