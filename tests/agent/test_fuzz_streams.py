"""Five hundred of the random event streams; `python -m tests.agent.fuzz_streams` runs ten thousand."""

import pytest

from tests.agent import fuzz_streams


@pytest.mark.filterwarnings("ignore:Pydantic serializer warnings")  # the SDK's, about values of a wrong kind
def test_no_stream_breaks_a_rule() -> None:
    ended = fuzz_streams.run(500, seed=20261130)
    assert sum(ended.values()) == 500
    assert {"RunFinished", "Checkpoint", "model_reply_broken", "model_reply_cut"} <= ended.keys()
