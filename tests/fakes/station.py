"""A station without store, search or model: fixed machines and answers, so that window and workers can be driven."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from desktop import paths
from desktop.agent import events
from desktop.agent.events import Event
from desktop.domain.answer import (
    Answer,
    AnswerBlock,
    AnswerLine,
    AnswerStatus,
    AnswerWarning,
    Band,
    CheckedText,
    Citation,
    CitationKind,
    Evidence,
    Focus,
    RequestDraft,
    Resolution,
    SearchStep,
    WarningKind,
)
from desktop.domain.ledger import Equipment, Person, Role
from desktop.domain.outcome import Outcome
from desktop.domain.work_request import (
    Decision,
    Delivery,
    KeptEvidence,
    KnownBy,
    Meaning,
    Priority,
    Proposal,
    ProposalState,
    Requester,
    WorkRequest,
)
from desktop.errors import KnownError
from desktop.net import Cancellation
from desktop.workers import commands
from desktop.workers.station import (
    ApprovalSheet,
    CameBack,
    ConversationLine,
    Decided,
    PastRun,
    Reach,
    RequestLine,
    Source,
    StationState,
    Status,
    SyncRound,
)
from desktop.workers.worker import Failure

NOW = datetime(2026, 11, 30, 9, 12, tzinfo=UTC)
PIN, ISSUED_PIN = "730584", "918273"
MACHINES = (
    Equipment("EQ-001", "充填機", "FL-200", "ライン1", "第1工場 1F 南", "髙橋"),
    Equipment("EQ-003", "充填機", "FL-200", "ライン3", "第2工場 1F 東", "田中"),
    Equipment("EQ-006", "キャッパー", "CP-80", "ライン3", "第2工場 1F 東", "田中"),
    Equipment("EQ-007", "ラベラー", "LB-50", "ライン3", "第2工場 1F 中", "田中"),
)
FILLER = MACHINES[1]
PEOPLE = (
    Person("0102", "鈴木 花", Role.OPERATOR, ("ライン3",), "内線3103"),
    Person("0201", "田中 誠", Role.MAINTENANCE, (), "内線2102"),
    Person("0301", "高橋 正", Role.LEADER, ("ライン3",), "内線3301"),
    Person("0401", "中村 徹", Role.SUPERVISOR, (), "内線2001"),
)
CITATIONS = (
    Citation(
        1,
        CitationKind.MANUAL,
        "manual:FL-200_r3#5.2",
        "FL-200 取扱説明書 5.2 E-12 充填ノズル詰まり",
        "意味：いずれかの充填ノズルの流量が、設定値の80%を下回りました。",
        page=14,
        page_label="5-3",
        revision="3",
        equipment_id="EQ-003",
        verified=True,
    ),
    Citation(2, CitationKind.RECORD, "record:MR-0112", "MR-0112 2026-06-02 Oリング交換", "Oリング OR-2210 を交換",
             record_id="MR-0112", equipment_id="EQ-003", verified=True),
    Citation(3, CitationKind.RECORD, "record:MR-0087", "MR-0087 2026-03-14 逆洗", "ノズル3番を逆洗した",
             record_id="MR-0087", equipment_id="EQ-003", verified=True),
)  # fmt: skip
STEPS = (
    "機械を停止し、2.1の遮断を行い、残圧を抜く。",
    "該当するノズルを外す（対辺19mmのスパナを使う）。",
    "ノズルを水圧0.20MPa以下、90秒で逆洗し、閉塞を除く。",
    "Oリング OR-2210 を点検し、切れやへたりがあれば交換する。",
    "ノズルを締付トルク4.5N・mで取り付ける。",
    "供給フィルタ FE-200 の差圧を見て、0.03MPaを超えていれば清掃する。",
    "リターン弁 RV-200 の開度が40%であることを確かめる。",
    "カバーを閉じ、低速で1分間運転し、E-12が出ないことを確かめる。",
)
DRAFT = RequestDraft(
    "EQ-003",
    "充填ノズル Oリング交換",
    "E-12（充填ノズル詰まり）が3か月で2回発生。逆洗後も再発するため Oリング OR-2210 の交換を依頼する。",
    "中",
)
ANSWER = Answer(
    status=AnswerStatus.ANSWERED,
    equipment=FILLER,
    machine=(
        AnswerLine("ライン3 充填機 EQ-003"),
        AnswerLine("型番 FL-200・第2工場 1F 東・稼働"),
        AnswerLine("手配中：WO-26-0318 充填ノズル 全数点検(8本)（12/5予定）"),
    ),
    summary="E-12「充填ノズル詰まり」：いずれかのノズルの流量が設定値の80%未満。",
    safety=(
        "主幹NFB-3・制御盤CP-3、エアー元弁V-31、製品元弁V-32 を遮断し施錠する。",
        "電気AC200V・空圧0.5MPa・液圧（製品）0.2MPa の残圧を抜く。",
        "先端を針金で突かないこと。",
    ),
    lockout=("主幹NFB-3／制御盤CP-3 を切り施錠・札掛け", "エアー元弁V-31、製品元弁V-32 を閉め、残圧を抜く"),
    blocks=(
        AnswerBlock(
            subject="E-12",
            conclusion=AnswerLine("E-12「充填ノズル詰まり」：いずれかのノズルの流量が設定値の80%未満。", (1,)),
            steps=tuple(AnswerLine(text, (1,), f"({n})") for n, text in enumerate(STEPS, 1)),
            history=(
                AnswerLine("Oリング交換：再発なし 3/4（最終 2026-06-02）", (2,)),
                AnswerLine("逆洗：再発なし 1/3（最終 2026-03-14）", (3,)),
                AnswerLine("フィルタ清掃：経過12日・判定前", ()),
            ),
            history_total=9,
            parts=(AnswerLine("OR-2210 Oリング　棚 A-03-2　在庫12（11/27）"),),
        ),
    ),
    next_moves=(AnswerLine("逆洗で直らないときは Oリング OR-2210 を交換する。", (1, 2)),),
    request_draft=DRAFT,
    footer="台帳 11/29・マニュアル改訂3・記録 11/28まで・AI不使用",
    data_as_of=date(2026, 11, 28),
    citations=CITATIONS,
    band=Band.HIGH,
)
EVIDENCE = Evidence(
    steps=(
        SearchStep("search_equipment", "ライン3 充填機", 1, 0.01),
        SearchStep("search_manual", "FL-200 E-12", 2, 0.05),
        SearchStep("search_records", "EQ-003 E-12", 9, 0.04),
    ),
    band=Band.HIGH,
)
WHY = "社内AIサーバー 192.0.2.7 につながりません。"
MODEL_TEXT = """**結論** E-12 は充填ノズル詰まりです[ref:manual:FL-200_r3#5.2]。

1. 逆洗する
2. Oリング OR-2210 を交換する

部品 ZZ-999 も使えます。"""
_AT = MODEL_TEXT.index("ZZ-999")
CHECKED = CheckedText(
    MODEL_TEXT,
    marked=((_AT, _AT + 6),),
    warnings=(AnswerWarning(WarningKind.UNKNOWN_NAME, "「ZZ-999」は台帳・部品表にありません。", "ZZ-999"),),
    citations=(replace(CITATIONS[0], n=4),),
)
STATUS = Status(
    reach=Reach.REACHED,
    last_sync=NOW,
    data_as_of=date(2026, 11, 28),
    encrypted=True,
    station="P07",
)


def proposal(proposal_id: str = "p-1", conversation_id: str = "", *, title: str = DRAFT.title) -> Proposal:
    return Proposal(
        proposal_id=proposal_id,
        revision=1,
        state="pending",  # type: ignore[arg-type]
        equipment_id="EQ-003",
        equipment={"id": "EQ-003", "name": "充填機", "model": "FL-200", "line": "ライン3", "location": "第2工場 1F 東"},
        title=title,
        detail=DRAFT.detail,
        priority=Priority.MEDIUM,
        requester=Requester("0102", "鈴木 花", KnownBy.CHOSEN),
        drafted_by="claude-opus-5-5",
        evidence=(
            KeptEvidence(CITATIONS[0].ref, CITATIONS[0].title, CITATIONS[0].quote, 14, "5-3", "3", "0" * 64),
            KeptEvidence(CITATIONS[1].ref, CITATIONS[1].title, CITATIONS[1].quote, None, None, None, "1" * 64),
        ),
        tried=("ノズル3番の逆洗 → 直らない",),
        snapshot="20261129T060000",
        created_at=NOW,
        payload_sha256="a" * 64,
        run_id="r-1",
        conversation_id=conversation_id,
        stopped_since=NOW,
    )


def _is_cut_off(run: PastRun) -> bool:
    last = run.events[-1]
    return isinstance(last, events.RunStopped) and last.can_go_on


def _came_back(done: Decided) -> CameBack:
    closed = replace(done.proposal, state=ProposalState.RETURNED)
    return CameBack(closed, done.decision.at, done.decision.by_name, done.decision.reason)


class FakeStation:
    """`gate` holds a run between its first text delta and the rest; `calls` remembers every command."""

    def __init__(
        self,
        *,
        has_data: bool = True,
        with_model: bool = False,
        cloud: bool = False,
        outage: bool = False,
        full: bool = False,
    ) -> None:
        self.now = replace(STATUS, cloud=cloud, provider="anthropic" if cloud else "offline")
        self.sync_trouble: Exception | None = None
        self.has_data = has_data
        self.with_model = with_model or outage or full
        self.outage = outage
        self.full = full
        self.sample = False
        self.gate = threading.Event()
        self.gate.set()
        self.calls: list[object] = []
        self.threads: dict[str, str] = {}
        self.proposals: dict[str, Proposal] = {}
        self.decisions: dict[str, Decided] = {}
        self.expired: list[CameBack] = []
        self.before: dict[str, CameBack] = {}  # by proposal, what became of the revision before
        self.runs: dict[str, list[PastRun]] = {}
        self.syncs = 0
        self.trouble: Exception | None = None
        self.aside: dict[str, Failure] = {}  # by request number
        self.unread: list[str] = []  # what a support bundle could not read

    def run(self, command: commands.RunCommand, cancelled: Cancellation) -> Iterator[Event]:
        self._note("run", command)
        if self.trouble is not None:
            raise self.trouble
        kept: list[Event] = []
        question = command.text if isinstance(command, commands.Ask) else ""
        for event in self._events(command, cancelled):
            if not isinstance(event, events.TextDelta):
                kept.append(event)
            yield event
        if question:
            past = PastRun(f"r-{len(self.calls)}", question, NOW, tuple(kept))
            self.runs.setdefault(command.conversation_id, []).append(past)

    def _events(self, command: commands.RunCommand, cancelled: Cancellation) -> Iterator[Event]:
        if isinstance(command, commands.Ask):
            yield from self._answer(command)
        elif isinstance(command, commands.TellOutcome):
            done = command.trial.outcome is Outcome.FIXED
            words = "直りました。" if done else "次は Oリング OR-2210 の交換です。"
            yield events.AnswerComposed(replace(ANSWER, summary=words, lockout=(), blocks=ANSWER.blocks))
        elif isinstance(command, commands.Settle):
            yield events.RunFinished("")
        elif not self.with_model:
            yield events.RunFinished("依頼を登録しました。", events.Usage(1, 10, 10, None, 0.1))
        if self.with_model and isinstance(command, commands.Ask | commands.Continue):
            run_id = command.run_id if isinstance(command, commands.Continue) else f"r-{len(self.calls)}"
            yield from self._model_leg(cancelled, run_id)

    def _answer(self, command: commands.Ask) -> Iterator[Event]:
        if "充填機" in command.text and not command.equipment_id and "ライン3" not in command.text:
            yield events.ChoiceNeeded(Resolution(command.text, Focus(candidates=MACHINES[:2])))
            return
        yield events.FactsGathered(Resolution(command.text, Focus(FILLER)), EVIDENCE)
        yield events.AnswerComposed(ANSWER)
        if "依頼" in command.text:
            made = replace(proposal(f"p-{len(self.proposals) + 1}", command.conversation_id))
            self.proposals[made.proposal_id] = made
            yield events.ApprovalRequested(made)

    def _model_leg(self, cancelled: Cancellation, run_id: str) -> Iterator[Event]:
        yield events.ProviderChosen("anthropic", "claude-opus-5-5", run_id, outside=True, why=WHY)
        yield events.TurnStarted(1)
        if self.outage:
            stopped = events.RunStopped(events.StopReason.UNREACHABLE, "api に届きません。", can_go_on=True)
            yield stopped
            return
        yield events.Thinking("台帳を見てから、")
        yield events.Thinking("マニュアルの E-12 を確かめる。")
        for at in range(0, len(MODEL_TEXT), 7):
            if cancelled.is_set():
                yield events.RunStopped(events.StopReason.CANCELLED)
                return
            yield events.TextDelta(MODEL_TEXT[at : at + 7])
            self.gate.wait(5)
        yield events.AnswerChecked(CHECKED)
        if self.full:
            yield events.ContextNearlyFull(90_000, 100_000)
        yield events.RunFinished(MODEL_TEXT, events.Usage(2, 4812, 655, 0.02, 1.4))

    def open(self, sample: bool | None) -> StationState:
        self._note("open", sample)
        if sample is not None:
            self.sample, self.has_data = sample, True
        if not self.has_data:
            return StationState(has_data=False, sample=False, status=None)
        return StationState(
            True,
            self.sample,
            self.now,
            MACHINES,
            PEOPLE,
            tuple(self.conversations()),
            tuple(self.pending()),
            cloud_new=self.now.cloud,
        )

    def find_equipment(self, text: str) -> tuple[Equipment, ...]:
        self._note("find", text)
        return tuple(machine for machine in MACHINES if text in f"{machine.equipment_id}{machine.name}{machine.line}")

    def conversations(self) -> list[ConversationLine]:
        waiting = {made.conversation_id for made in self.pending()}
        return [
            ConversationLine(key, runs[0].question, NOW, key in waiting, cut_off=_is_cut_off(runs[-1]))
            for key, runs in self.runs.items()
        ]

    def conversation(self, conversation_id: str) -> list[PastRun]:
        self._note("conversation", conversation_id)
        return self.runs.get(conversation_id, [])

    def pending(self) -> list[Proposal]:
        over = {came.proposal.proposal_id for came in self.expired}
        return [made for key, made in self.proposals.items() if key not in self.decisions and key not in over]

    def requests(self) -> list[RequestLine]:
        made = [done.request for done in self.decisions.values() if done.request is not None]
        return [RequestLine(request, self.aside.get(request.number)) for request in made]

    def resubmittable(self) -> list[CameBack]:
        done = [done for done in self.decisions.values() if done.decision.meaning is Meaning.RETURNED]
        return [*map(_came_back, done), *self.expired]

    def resubmit(self, command: commands.Resubmit) -> Proposal:
        self._note("resubmit", command)
        if self.trouble is not None:
            raise self.trouble
        made, draft = self.proposals[command.proposal_id], command.draft
        if done := self.decisions.pop(command.proposal_id, None):
            self.before[command.proposal_id] = _came_back(done)
        again = replace(made, revision=made.revision + 1, run_id="", requester=command.requester)
        again = replace(again, title=draft.title, detail=draft.detail, priority=Priority(draft.priority))
        self.proposals[command.proposal_id] = again
        return again

    def source(self, command: commands.OpenSource) -> Source:
        self._note("source", command)
        cited = command.citation
        if cited.kind is CitationKind.MANUAL:
            file = paths.sample_plant() / "manuals" / "fl200_r3.pdf"
            return Source(cited.title, cited.quote, file, cited.page, cited.page_label, "5.2 E-12 充填ノズル詰まり")
        return Source(cited.title, cited.quote, text=f"{cited.title}\n原因：Oリング劣化\n処置：{cited.quote}")

    def sent(self, run_id: str) -> str:
        self._note("sent", run_id)
        return (
            f'1　2026-11-30 09:12:00　https://api.anthropic.com/v1/messages\n{{"model": "claude", "run": "{run_id}"}}'
        )

    def identify(self, command: commands.IdentifyPerson) -> Requester:
        self._note("identify", command)
        if command.pin == ISSUED_PIN:
            raise KnownError("pin_change_needed", person=command.person_id)
        person = next(person for person in PEOPLE if person.person_id == command.person_id)
        if command.pin and command.pin != PIN:
            raise KnownError("pin_wrong", left=4)
        return Requester(person.person_id, person.name, KnownBy.PIN if command.pin else KnownBy.CHOSEN)

    def change_pin(self, command: commands.ChangePin) -> None:
        self._note("change_pin", command)
        if command.old_pin != ISSUED_PIN:
            raise KnownError("pin_wrong", left=4)
        if command.new_pin == "123456":
            raise KnownError("pin_too_simple", shortest=6)

    def propose(self, command: commands.Propose) -> Proposal:
        self._note("propose", command)
        key = f"p-{len(self.proposals) + 1}"
        made = replace(
            proposal(key, command.conversation_id, title=command.draft.title),
            drafted_by="person",
            detail=command.draft.detail,
            run_id="",
        )
        self.proposals[key] = made
        return made

    def approval_sheet(self, proposal_id: str) -> ApprovalSheet:
        self._note("sheet", proposal_id)
        made = self.proposals[proposal_id]
        decided = self.decisions.get(proposal_id)
        duplicates = ("WO-26-0318 充填ノズル 全数点検(8本)（12/5予定）",)
        requesters = () if made.requester.known_by is KnownBy.PIN else PEOPLE
        return ApprovalSheet(
            made,
            PEOPLE[2:],
            requesters,
            duplicates,
            ("ZZ-999",),
            decided=decided.decision if decided else None,
            before=self.before.get(proposal_id),
        )

    def end_session(self) -> None:
        self._note("end_session", None)

    def decide(self, command: commands.Decide) -> Decided:
        self._note("decide", command)
        if before := self.decisions.get(command.proposal_id):
            return replace(before, first=False)
        if command.pin == ISSUED_PIN and not command.new_pin:
            raise KnownError("pin_change_needed", person=command.approver_id)
        if command.pin not in (PIN, ISSUED_PIN):
            raise KnownError("pin_wrong", left=4)
        made = self.proposals[command.proposal_id]
        by = next(person for person in PEOPLE if person.person_id == command.approver_id)
        decision = Decision(
            decision_id="d-1",
            proposal_id=made.proposal_id,
            revision=made.revision,
            meaning=command.meaning,
            by_id=by.person_id,
            by_name=by.name,
            known_by=KnownBy.PIN,
            at=NOW,
            reason=command.reason,
            payload_sha256=made.payload_sha256,
        )
        request = None
        if command.meaning is Meaning.APPROVED:
            request = WorkRequest(
                "WR-P07-0001", made.proposal_id, 1, made.equipment_id, command.title, command.detail, command.priority,
                made.requester, by.person_id, NOW, Delivery.QUEUED,
            )  # fmt: skip
        self.decisions[command.proposal_id] = Decided(decision, True, made, request, run_ready=bool(made.run_id))
        return self.decisions[command.proposal_id]

    def sync(self) -> SyncRound:
        self.syncs += 1
        self._note("sync", None)
        waiting = sum(1 for done in self.decisions.values() if done.request is not None)
        if self.sync_trouble is not None:
            raise self.sync_trouble
        return SyncRound(replace(self.now, unsent=waiting) if self.has_data else None, 3600.0)

    def status(self) -> Status:
        return self.now

    def import_files(
        self, command: commands.ImportFiles, progress: Callable[[str], None], cancelled: threading.Event
    ) -> dict[str, Any]:
        self._note("import", command)
        progress("1 / 1")
        file = {
            "path": str(command.paths[0] / "台帳.csv"),
            "kind": "ledger",
            "accepted": 57,
            "rejected": 1,
            "rows": [{"row": 31, "reason": "設備IDがありません"}],
            "warnings": [],
        }
        return {"snapshot": "v1", "files": [file], "totals": {"equipment": 57}}

    def save_bundle(self, file: Path) -> dict[str, Any]:
        if file.exists():
            raise KnownError("support_bundle_exists", file=str(file))
        file.write_bytes(b"PK")
        return {"file": str(file), "members": 1, "omitted": 0, "unread": self.unread}

    def tend(self) -> None:
        """Nothing here can fall ill or grow old."""

    def close(self) -> None:
        self._note("close", None)

    def _note(self, what: str, command: object) -> None:
        self.calls.append(command if command is not None else what)
        self.threads[what] = threading.current_thread().name
