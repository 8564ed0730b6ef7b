"""The product against a real model on a real llama.cpp server: python -m tests.realmodel.run FOLDER [questions].

Guided mode through chat-completions on fresh questions over the sample plant, then the Messages API by the Claude SDK
(the wire only: that server ignores schemas there). What must hold is asserted; accuracy is printed as it is.
"""

import contextlib
import json
import os
import re
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from desktop.agent import loop
from desktop.agent.events import (
    AnswerChecked,
    ApprovalRequested,
    FactsGathered,
    RunFinished,
    RunStopped,
    TextDelta,
    ToolFinished,
    TurnFinished,
)
from desktop.agent.history import is_legal
from desktop.agent.loop import Checkpoint
from desktop.agent.models.claude import ClaudeOptions, open_claude
from desktop.agent.models.openai_compatible import ChatOptions, OpenAICompatible
from desktop.agent.models.probe import probe
from desktop.agent.run_state import Prompt, RunState
from desktop.agent.tool import Toolset
from desktop.net import Cancellation, Route
from desktop.paths import DataDir
from desktop.services.ask import Question, ask
from desktop.services.station import Services
from desktop.store import requests
from desktop.wiring import open_services
from tests.fakes.plant_tools import plant_tools
from tests.realmodel.fetch import fetch

# None of these is among the sample plant's own questions, on which prompts and forms may have been tuned.
QUESTIONS = [
    ("ライン3の充填機、また詰まったみたい。E-12が点いている", "EQ-003", False),
    ("EQ-001がE-12で停止中。原因は何が多い？", "EQ-001", False),
    ("EQ-003でこれまでに何をして直した？", "EQ-003", False),
    ("EQ-001の充填量が足りない", "EQ-001", False),
    ("ライン3の充填機のE-12、部品は何を用意すればいい？", "EQ-003", False),
    ("EQ-003から変な音がする", "EQ-003", False),
    ("EQ-001でE-99が出た", "EQ-001", False),
    ("EQ-003の掃除のしかたを短く", "EQ-003", False),
    ("EQ-001のE-12の意味だけ教えて", "EQ-001", False),
    ("EQ-003のノズル交換を保全依頼に出して。優先度は高で", "EQ-003", True),
    ("EQ-003、E-12で止まった。前回と同じ処置でいい？", "EQ-003", False),
]
MACHINE = re.compile(r"EQ-\d{3}")


@contextlib.contextmanager
def running(folder: Path, model: Path, template: str) -> Iterator[str]:
    """The server's address while it runs; one thread, low priority."""
    command = [sys.executable, str(Path(__file__).with_name("serve.py")), str(model), "1", "8192", template]
    environment = {**os.environ, "PYTHONPATH": str(folder / "server")}
    with (folder / "server.log").open("w", encoding="utf-8") as log:
        process = subprocess.Popen(
            command, stdin=-1, stdout=-1, stderr=log, env=environment, text=True, encoding="utf-8"
        )
        assert process.stdout
        assert process.stdin
        try:
            for line in process.stdout:
                if line.startswith("READY"):
                    yield line.split()[1]
                    return
            raise SystemExit(f"the server did not start; see {folder / 'server.log'}")
        finally:
            process.stdin.close()
            process.kill()
            process.wait()


def guided(url: str, folder: Path, count: int) -> None:
    data = DataDir(folder / f"data-{time.time_ns()}")
    data.root.mkdir()
    settings = f'[openai]\nbase_url = "{url}"\nmodel = "local"\nmode = "guided"\nmax_tokens = 400\ntimeout = 3000\n'
    data.settings.write_text(settings + "[budget]\nquestion_seconds = 6000\n", encoding="utf-8")
    ended: dict[str, int] = {}
    clean = 0
    with open_services(data, sample=True) as services:
        for number, (text, machine, wants_request) in enumerate(QUESTIONS[:count]):
            begun = time.monotonic()
            question = Question(text, f"conv-{number}", provider="openai")
            events = list(ask(services, question, Cancellation()))
            how, is_clean = judged(events, machine, wants_request)
            ended[how] = ended.get(how, 0) + 1
            clean += is_clean
            told(text, events, how, time.monotonic() - begun)
        assert_nothing_registered(services)
    print(f"guided: {count} questions, ended {ended}, text without a finding {clean}")


def judged(events: list[Any], machine: str, wants_request: bool) -> tuple[str, bool]:
    """How it ended and whether the check found nothing; asserts what must hold whatever the model says."""
    facts = next(event for event in events if isinstance(event, FactsGathered))
    assert facts.resolution.focus.equipment
    assert facts.resolution.focus.equipment.equipment_id == machine
    assert all(event.error is None for event in events if isinstance(event, ToolFinished))
    cards = [event for event in events if isinstance(event, ApprovalRequested)]
    assert not cards or wants_request, "a request that nobody asked for"
    for card in cards:
        assert card.proposal.equipment_id == machine
    checked = [event.checked for event in events if isinstance(event, AnswerChecked)]
    for found in checked:
        for name in MACHINE.finditer(found.text):
            marked = any(start < name.end() and name.start() < end for start, end in found.marked)
            labelled = "別設備" in found.text
            assert name[0] == machine or marked or labelled, f"unmarked wrong name {name[0]}"
    stop = next((event for event in events if isinstance(event, RunStopped)), None)
    assert stop is None or stop.code not in ("model_reply_broken",), "a form that does not fit its schema"
    how = "card" if cards else stop.code if stop else "answered"
    return how, bool(checked) and checked[-1].clean


def told(text: str, events: list[Any], how: str, seconds: float) -> None:
    calls = [(event.name, dict(event.input), event.count) for event in events if isinstance(event, ToolFinished)]
    said = next((event.text for event in events if isinstance(event, RunFinished)), "")
    turns = sum(isinstance(event, TurnFinished) for event in events)
    print(f"- {text}  [{how}, {turns} forms, {seconds:.0f} s]")
    for name, given, count in calls:
        print(f"    {name} {json.dumps(given, ensure_ascii=False)} -> {count}")
    for event in events:
        if isinstance(event, AnswerChecked):
            findings = [f"{warning.kind}:{warning.name}" for warning in event.checked.warnings]
            print(f"    sent back: {event.sent_back}, findings: {findings}")
        if isinstance(event, ApprovalRequested):
            print(f"    card: {event.proposal.title} / {event.proposal.priority} / {event.proposal.detail}")
    print(f"    {said[:300]}", flush=True)


def assert_nothing_registered(services: Services) -> None:
    with services.journal.reading() as tx:
        assert not list(requests.work_requests(tx)), "a write without approval"


def messages_api(url: str) -> None:
    """The SDK against the same server: a stream arrives, calls come whole, one user message goes back per round."""
    tools = Toolset([tool for name in ("search_manual",) if (tool := plant_tools().find(name))])
    options = ClaudeOptions(url, "local", max_tokens=200, basic=True, read_timeout=900.0)
    model = open_claude("none", options, Route(proxy="direct"))
    system = "保全係です。型番 FL-200 のエラー E-12 を search_manual で調べてから、一文で答えます。"
    state = RunState.start(
        "run", "conv", Prompt("anthropic", "local", system, tools.declarations), "FL-200のE-12とは？"
    )
    begun, steps = time.monotonic(), []
    for step in loop.run(state, model, tools, Cancellation()):
        steps.append(step)
        if isinstance(step, Checkpoint):
            assert is_legal(step.state.messages)
    deltas = sum(isinstance(step, TextDelta) for step in steps)
    turns = [step.stop_reason for step in steps if isinstance(step, TurnFinished)]
    calls = [(step.name, dict(step.input), step.error) for step in steps if isinstance(step, ToolFinished)]
    print(f"messages api: turns {turns}, calls {calls}, {deltas} deltas, {time.monotonic() - begun:.0f} s")
    print(f"    {steps[-1]}")
    assert turns, "no turn finished"
    assert isinstance(steps[-1], (RunFinished, RunStopped))
    assert not isinstance(steps[-1], RunStopped) or not steps[-1].code.startswith(("net_", "model_request")), steps[-1]
    model.close()


def calling_template(model: Path, folder: Path) -> str:
    """The model's own template with a ```json block as the mark of a call: that is what this model writes."""
    head = model.open("rb").read(12_000_000)
    at = head.index(b"tokenizer.chat_template") + len(b"tokenizer.chat_template") + 4
    (length,) = struct.unpack("<Q", head[at : at + 8])
    template = head[at + 8 : at + 8 + length].decode("utf-8")
    template = template.replace("within <tool_call></tool_call> XML tags", "within a ```json block")
    template = template.replace("<tool_call>\\n", "```json\\n").replace("\\n</tool_call>", "\\n```")
    file = folder / "calling.jinja"
    file.write_text(template, encoding="utf-8")
    return str(file)


def main(folder: Path, count: int) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    model = fetch(folder)
    with running(folder, model, calling_template(model, folder)) as url:
        print(f"server {url}")
        local = OpenAICompatible(
            "", ChatOptions(url, "local", max_tokens=100, read_timeout=900.0), Route(proxy="direct")
        )
        print("\n".join(probe(local).lines()), flush=True)
        local.close()
        guided(url, folder, count)
        messages_api(url)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else len(QUESTIONS))
