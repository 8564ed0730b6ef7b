"""Runs a question and keeps every checkpoint in a file, until somebody kills it: URL FILE PROVIDER."""

import sys
from pathlib import Path
from typing import Any

from desktop.agent import loop
from desktop.agent.loop import Checkpoint
from desktop.agent.models.claude import ClaudeOptions, open_claude
from desktop.agent.models.openai_compatible import ChatOptions, OpenAICompatible
from desktop.agent.run_state import Prompt, RunState
from desktop.net import Cancellation, Route
from tests.fakes.plant_tools import plant_tools

TOOLS = plant_tools()


def opened(url: str, provider: str) -> Any:
    if provider == "anthropic":
        return open_claude("k", ClaudeOptions(url, "m"), Route(proxy="direct"))
    return OpenAICompatible("", ChatOptions(url, "m", stream_with_tools=True), Route(proxy="direct"))


def begun(provider: str) -> RunState:
    return RunState.start("run", "conv", Prompt(provider, "m", "s", TOOLS.declarations), "ライン3の充填機でE-12")


def main(url: str, file: Path, provider: str) -> None:
    for step in loop.run(begun(provider), opened(url, provider), TOOLS, Cancellation()):
        if isinstance(step, Checkpoint):
            draft = file.with_suffix(".new")
            draft.write_text(step.state.to_json(), encoding="utf-8")
            draft.replace(file)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), sys.argv[3])
