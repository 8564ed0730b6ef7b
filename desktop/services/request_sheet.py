"""A request or a proposal as a sheet of paper: all that is kept of it, for a reader who has no program of ours."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from desktop.domain.work_request import Decision, Delivery, KeptEvidence, KnownBy, Proposal, Requester
from desktop.evidence.phrases import DELIVERIES, REGISTERED
from desktop.pdf_sheet import Part, Sheet
from desktop.store.journal import Row

_SAMPLE = "見本（架空）"
_LOCAL = "端末内承認"
_KNOWN_BY = {
    KnownBy.PIN: "PINで確認",
    KnownBy.BADGE: "社員証で確認",
    KnownBy.WINDOWS: "Windowsで確認",
    KnownBy.CHOSEN: "名簿から選択・未確認",
    KnownBy.NONE: "不明",
}
_FIELDS = {"title": "件名", "detail": "内容", "priority": "優先度"}
_NONE = "なし"


def request_sheet(row: Row, proposal: Proposal, decision: Decision, changes: Mapping[str, Any], sample: bool) -> Sheet:
    """A registered request; `row` is its row of the table `requests`, `proposal` what was shown to the approver.

    No plant hub has authorised any decision again, so each is marked as this station's own.
    """
    return Sheet(
        "保全依頼書",
        row["number"],
        (*_marks(sample), _LOCAL),
        _line(proposal),
        _machine(proposal),
        (
            _wanted(proposal, row["title"], row["detail"], row["priority"]),
            _asked(proposal),
            _decided(decision, changes),
            *_evidence(proposal.evidence),
            _sent(row),
            _source(proposal),
        ),
        decision.at,
    )


def proposal_sheet(proposal: Proposal, expires_at: datetime, sample: bool) -> Sheet:
    """A proposal that nobody has decided yet."""
    return Sheet(
        "依頼案（未決定）",
        proposal.proposal_id,
        _marks(sample),
        _line(proposal),
        _machine(proposal),
        (
            _wanted(proposal, proposal.title, proposal.detail, proposal.priority),
            _asked(proposal),
            Part("決定", (("", f"まだ決まっていません（期限 {_time(expires_at)}）"),)),
            *_evidence(proposal.evidence),
            _source(proposal),
        ),
        proposal.created_at,
    )


def _marks(sample: bool) -> tuple[str, ...]:
    return (_SAMPLE,) if sample else ()


def _line(proposal: Proposal) -> str:
    return proposal.equipment.get("line") or "ラインの記載なし"


def _machine(proposal: Proposal) -> str:
    machine = proposal.equipment
    words = (machine.get("name", ""), proposal.equipment_id, machine.get("model", ""), machine.get("location", ""))
    return "　".join(filter(None, words))


def _wanted(proposal: Proposal, title: str, detail: str, priority: str) -> Part:
    stopped = _time(proposal.stopped_since) if proposal.stopped_since else "記載なし"
    tried = "\n".join(proposal.tried) or _NONE
    lines = (("件名", title), ("優先度", priority), ("停止", stopped), ("内容", detail or _NONE), ("試したこと", tried))
    return Part("依頼", lines)


def _asked(proposal: Proposal) -> Part:
    drafted = "人" if proposal.drafted_by in ("person", "") else f"AI下書き（{proposal.drafted_by}）"
    lines = (("依頼者", _who(proposal.requester)), ("起案", f"{_time(proposal.created_at)}　{drafted}"))
    return Part("依頼者", lines)


def _who(requester: Requester) -> str:
    named = " ".join(filter(None, (requester.name, requester.person_id))) or "未選択"
    return f"{named}（{_KNOWN_BY[requester.known_by]}）"


def _decided(decision: Decision, changes: Mapping[str, Any]) -> Part:
    who = f"{decision.by_name} {decision.by_id}（{_KNOWN_BY[decision.known_by]}）"
    lines = [
        ("決定", decision.meaning),
        ("決定者", who),
        ("日時", _time(decision.at)),
        ("理由", decision.reason or _NONE),
    ]
    for field, (before, after) in changes.items():
        name = _FIELDS.get(field, field)
        lines += [(f"{name} 変更前", before), (f"{name} 変更後", after)]
    if not changes:
        lines.append(("変更", "起案のまま承認"))
    return Part("決定", tuple(lines))


def _evidence(evidence: Iterable[KeptEvidence]) -> tuple[Part, ...]:
    """One part for each quotation, as it stood when the proposal was made."""
    parts = tuple(Part(f"根拠 {number}", _quoted(kept)) for number, kept in enumerate(evidence, start=1))
    return parts or (Part("根拠", (("", _NONE),)),)


def _quoted(kept: KeptEvidence) -> tuple[tuple[str, str], ...]:
    return (
        ("出典", kept.title or kept.ref),
        ("引用", kept.quote),
        ("ページ", _page(kept)),
        ("改訂", kept.revision or "記載なし"),
        ("参照", kept.ref),
        ("SHA-256", kept.sha256),
    )


def _page(kept: KeptEvidence) -> str:
    if kept.page is None:
        return kept.page_label or "記載なし"
    return f"{kept.page_label}（{kept.page} 枚目）" if kept.page_label else f"{kept.page} 枚目"


def _sent(row: Row) -> Part:
    if row["delivery"] is None:
        return Part("送信", (("状態", f"{REGISTERED}（送信先の設定なし）"), ("工場側番号", _NONE)))
    handed_over = _time(datetime.fromisoformat(row["handed_over_at"])) if row["handed_over_at"] else _NONE
    return Part(
        "送信",
        (
            ("状態", DELIVERIES[Delivery(row["delivery"])]),
            ("工場側番号", row["plant_number"] or _NONE),
            ("提出日時", handed_over),
            ("拒否の理由", row["refusal"] or _NONE),
            ("端末・通し番号", f"{row['station']}　{row['seq']}"),
            ("送信 SHA-256", row["sha256"]),
        ),
    )


def _source(proposal: Proposal) -> Part:
    lines = (
        ("依頼案の ID", f"{proposal.proposal_id}　第 {proposal.revision} 版"),
        ("台帳データ", proposal.snapshot or "記載なし"),
        ("起案の SHA-256", proposal.payload_sha256),
    )
    return Part("控え", lines)


def _time(at: datetime) -> str:
    local = at.astimezone()
    return f"{local:%Y-%m-%d %H:%M:%S}（UTC{local:%z}）"
