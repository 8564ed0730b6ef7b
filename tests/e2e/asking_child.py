"""A process that asks one question of the sample plant and waits to be killed once a proposal stands."""

import sys
import threading
from pathlib import Path

from desktop import wiring
from desktop.agent.events import ApprovalRequested
from desktop.domain.work_request import KnownBy, Requester
from desktop.net import Cancellation
from desktop.paths import DataDir
from desktop.services.ask import Question, ask


def main(root: str, conversation_id: str, text: str) -> None:
    with wiring.open_services(DataDir(Path(root)), sample=True) as services:
        requester = Requester("0202", "田中 美咲", KnownBy.PIN)
        for event in ask(services, Question(text, conversation_id, requester=requester), Cancellation()):
            if isinstance(event, ApprovalRequested):
                print(event.proposal.proposal_id, flush=True)
                threading.Event().wait()


if __name__ == "__main__":
    main(*sys.argv[1:])
