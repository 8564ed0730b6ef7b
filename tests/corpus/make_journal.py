"""Writes a journal as this version makes it: `python tests/corpus/make_journal.py tests/corpus/journal_<schema>`.

A question finished, one parked with a card, requests in every state of decision and delivery, people with PINs.
"""

import json
import shutil
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import apsw

from desktop.agent.messages import assistant_message
from desktop.agent.run_state import Prompt, RunState
from desktop.domain.approval import Edits
from desktop.domain.work_request import Meaning
from desktop.services.synchronizer import Synchronizer
from desktop.store import outbox, runs
from desktop.sync.folder import Folder, name
from tests.fakes.desk import NOW, SUPERVISOR, Desk, open_desk, request_draft
from tests.fakes.keyrings import MemoryKeyring


def fill(desk: Desk, share: Path) -> None:
    ask(desk)
    accepted, refused = (desk.propose(request_draft(title=f"送った {n}")) for n in (1, 2))
    desk.decide(accepted, Meaning.APPROVED, edits=Edits(title="直した件名"))
    desk.approve(refused, SUPERVISOR)
    sync = Synchronizer(desk.journal, Folder(share, "P07", desk.journal.journal_id), clock=desk.clock)
    sync.run_once()
    answer(desk, share, accepted.proposal_id, {"status": "accepted", "number": "CM-77"})
    answer(desk, share, refused.proposal_id, {"status": "refused", "reason": "設備は廃止"})
    sync.run_once()
    desk.approve(desk.propose(request_draft(title="送信待ち")))
    desk.decide(desk.propose(request_draft(title="登録しない")), Meaning.REJECTED, reason="重複")
    returned = desk.propose(request_draft(title="差し戻した", conversation_id="c3"))
    desk.decide(returned, Meaning.RETURNED, reason="停止時刻を書いて")
    desk.approvals.resubmit(returned.proposal_id, Edits(detail="8:40 に停止"), returned.requester)
    park(desk)


def ask(desk: Desk) -> None:
    desk.start_run("r1", "c1")
    with desk.journal.transaction() as tx:
        runs.append_event(tx, "r1", "facts", {"text": "充填機"}, NOW)
        runs.finish(tx, "r1", runs.RunStatus.FINISHED, {"status": "answered"}, NOW)


def park(desk: Desk) -> None:
    prompt = Prompt("anthropic", "claude-opus-5-5", "指示", ({"name": "create_work_request"},))
    call = {"type": "tool_use", "id": "toolu_1", "name": "create_work_request", "input": {"equipment_id": "EQ-003"}}
    thinking = {"type": "thinking", "thinking": "…", "signature": "c2lnbmF0dXJl"}
    state = RunState.start("r2", "c2", prompt, "E-12が出た").with_reply(assistant_message([thinking, call]))
    desk.start_run("r2", "c2")
    draft = request_draft(title="承認待ち", conversation_id="c2", run_id="r2", tool_use_id="toolu_1")
    desk.approvals.propose([draft], state.to_json())


def answer(desk: Desk, share: Path, uid: str, body: dict[str, str]) -> None:
    with desk.journal.reading() as tx:
        item = next(queued.item for queued in outbox.unanswered(tx) if queued.item.uid == uid)
    place = share / "receipts" / "P07"
    place.mkdir(parents=True, exist_ok=True)
    (place / name(item)).write_text(json.dumps({**body, "sha256": item.sha256}), encoding="utf-8")


def main() -> None:
    target = Path(sys.argv[1])
    target.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as made:
        place, ring = Path(made), MemoryKeyring()
        (place / "share").mkdir()
        desk = open_desk(place / "data", ring=ring)
        fill(desk, place / "share")
        desk.journal.close()
        ((_, secret),) = ring.kept.items()
        (target / "key.txt").write_text(secret, encoding="utf-8")
        shutil.copy(place / "data" / "journal.key.json", target)
        shutil.copy(place / "data" / "journal.db", target / "encrypted.db")
        plain = apsw.Connection(str(place / "data" / "journal.db"))
        plain.pragma("cipher", "chacha20")
        plain.pragma("key", f"raw:{secret}")
        plain.pragma("journal_mode", "delete")
        plain.pragma("rekey", "")
        plain.close()
        shutil.copy(place / "data" / "journal.db", target / "plain.db")


if __name__ == "__main__":
    main()
