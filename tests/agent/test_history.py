"""Histories that older versions and crashes left."""

from hypothesis import given, settings
from hypothesis import strategies as st

from desktop.agent.history import is_legal, repaired
from desktop.agent.messages import Message, answered_in, assistant_message, result_block, text_block, user_message
from desktop.agent.run_state import NOT_EXECUTED, Prompt, RunState

PROMPT = Prompt("anthropic", "claude-opus-5-5", "s", ())


def state(*messages: Message, done: dict | None = None) -> RunState:
    return RunState("run-1", "conv-1", PROMPT, messages, done or {})


def call(*ids: str) -> Message:
    return assistant_message([{"type": "tool_use", "id": one, "name": "search_manual", "input": {}} for one in ids])


def results(*ids: str) -> Message:
    return user_message(*(result_block(one, "結果") for one in ids))


ASK = user_message(text_block("E-12"))


def test_a_legal_history_comes_back_unchanged() -> None:
    whole = state(ASK, call("a", "b"), results("a", "b"), call("c"), done={"c": result_block("c", "結果")})
    assert repaired(whole) is whole
    assert not is_legal([])


def test_an_unanswered_call_in_the_middle_is_answered_as_not_executed() -> None:
    mended = repaired(state(ASK, call("a", "b"), user_message(result_block("b", "結果"), text_block("次の質問"))))
    first, second, spoken = mended.messages[2]["content"]
    assert (first["tool_use_id"], first["content"]) == ("a", NOT_EXECUTED)
    assert second == result_block("b", "結果")
    assert spoken == text_block("次の質問")
    assert mended.question_at == 2


def test_a_reply_that_follows_its_own_calls_gets_the_answers_in_between() -> None:
    mended = repaired(state(ASK, call("a"), assistant_message([text_block("答え")])))
    assert [message["role"] for message in mended.messages] == ["user", "assistant", "user", "assistant"]


def test_answers_to_nothing_empty_messages_and_a_headless_start_are_left_out() -> None:
    mended = repaired(state(assistant_message([text_block("?")]), ASK, results("x"), assistant_message([]), ASK))
    assert mended.messages == (ASK, ASK)
    assert is_legal(repaired(state(assistant_message([]))).messages)


def test_a_call_id_used_twice_is_left_out_the_second_time() -> None:
    mended = repaired(state(ASK, call("a"), results("a"), call("a"), results("a")))
    assert mended.messages == (ASK, call("a"), results("a"))


def test_a_call_left_open_at_the_end_stays_open() -> None:
    mended = repaired(state(assistant_message([]), ASK, call("a"), done={"a": result_block("a", "x"), "z": {}}))
    assert (list(mended.done), mended.unresolved()) == (["a"], ())


ids = st.sampled_from("abc")
anything = st.one_of(
    st.just(ASK),
    st.lists(ids, max_size=3).map(lambda found: call(*found)),
    st.lists(ids, max_size=3).map(lambda found: results(*found)),
    st.just(assistant_message([text_block("答え")])),
)


@given(st.lists(anything, max_size=8))
@settings(max_examples=300, deadline=None)
def test_whatever_it_was_afterwards_it_is_legal_and_stays_so(messages: list[Message]) -> None:
    mended = repaired(state(*messages))
    assert is_legal(mended.messages)
    assert repaired(mended) is mended
    for message in mended.messages:
        assert all(block["tool_use_id"] for block in answered_in(message).values())
