"""The document of `ask --json`, made from the events of one run."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any, TypeVar

from desktop.agent import events
from desktop.agent.events import Event, StopReason, Usage
from desktop.domain.answer import Answer, AnswerStatus, CheckedText, Focus
from desktop.domain.cited_text import numbered
from desktop.domain.ledger import Equipment
from desktop.domain.safe_text import safe_markdown
from desktop.domain.work_request import Proposal
from desktop.evidence.compose_text import QUOTE_SHOWN, markdown
from desktop.services.ask import Question
from desktop.services.station import Services
from desktop.services.steps import steps_of
from desktop.store import runs, sent

Document = dict[str, Any]
E_ = TypeVar("E_")


def report(services: Services, question: Question, run: Iterable[Event]) -> Document:
    """Takes the run to its end and tells what happened, field by field as CONTRACT names them."""
    seen = tuple(run)
    composed = _last(seen, events.AnswerComposed)
    checked = _last(seen, events.AnswerChecked)
    answer = composed.answer if composed else None
    model_text = numbered(checked.checked, lambda n: f"[{n}]") if checked else None
    text = markdown(answer, quote_shown=QUOTE_SHOWN) if answer else ""
    return {
        "question": question.text,
        "conversation_id": question.conversation_id,
        "asked_by": question.requester.person_id or None,
        "sample": services.sample,
        "snapshot": _snapshot(services),
        "provider": _provider(seen),
        "provider_why": chosen.why if (chosen := _last(seen, events.ProviderChosen)) else "",
        "model": next((event.model for event in seen if isinstance(event, events.TurnFinished)), None),
        "status": str(_status(seen, answer)),
        "stop": _stop(seen),
        "focus": _focus(seen),
        "open_requests": [asdict(item) for item in answer.open_requests] if answer else [],
        "notes": [asdict(note) for note in answer.notes] if answer else [],
        "answer": text,
        "model_answer": model_text.text if model_text else None,
        "answer_safe": safe_markdown("\n\n".join(filter(None, (text, model_text.text if model_text else "")))),
        **_sources(answer, model_text),
        "safety": [*answer.safety, *answer.lockout] if answer else [],
        "proposals": [_proposal(event.proposal) for event in seen if isinstance(event, events.ApprovalRequested)],
        "steps": [dict(step) for event in seen for step in steps_of(event)],
        "usage": asdict(_usage(seen)),
        "sent": _sent(services, question),
    }


def _provider(seen: tuple[Event, ...]) -> str:
    """Who really answered: a provider that was asked in vain has not."""
    provider = asked = "offline"
    for event in seen:
        match event:
            case events.ProviderChosen():
                asked = event.provider
            case events.TurnFinished():
                provider = asked
    return provider


def _sent(services: Services, question: Question) -> list[Document]:
    """Every body that left for this question, as it left."""
    with services.journal.reading() as tx:
        asked = runs.of_conversation(tx, question.conversation_id)
        bodies = sent.of_run(tx, asked[-1].run_id) if asked else ()
    return [{"at": one.at.isoformat(), "to": one.url, "body": one.body.decode("utf-8")} for one in bodies]


def _last(seen: tuple[Event, ...], kind: type[E_]) -> E_ | None:
    return next((event for event in reversed(seen) if isinstance(event, kind)), None)


def _snapshot(services: Services) -> Document:
    snapshot = services.plant().snapshot
    age = services.clock() - snapshot.published
    return {"version": snapshot.version, "published": snapshot.published.isoformat(), "age_days": age.days}


def _status(seen: tuple[Event, ...], answer: Answer | None) -> AnswerStatus:
    if any(isinstance(event, events.ApprovalRequested) for event in seen):
        return AnswerStatus.AWAITING_APPROVAL
    if any(isinstance(event, events.ChoiceNeeded) for event in seen):
        return AnswerStatus.NEEDS_CHOICE
    return answer.status if answer else AnswerStatus.STOPPED


def _stop(seen: tuple[Event, ...]) -> Document:
    stopped = _last(seen, events.RunStopped)
    if stopped is None:
        return {"reason": str(StopReason.END_TURN), "detail": ""}
    return {"reason": str(stopped.reason), "detail": stopped.detail}


def _focus(seen: tuple[Event, ...]) -> Document:
    resolved = _last(seen, events.FactsGathered) or _last(seen, events.ChoiceNeeded)
    focus = resolved.resolution.focus if resolved else Focus()
    return {
        "equipment": [_machine(focus.equipment)] if focus.equipment else [],
        "candidates": [_machine(machine) for machine in focus.candidates],
        "unresolved": list(focus.unresolved),
    }


def _machine(machine: Equipment) -> Document:
    return {
        "id": machine.equipment_id,
        "name": machine.name,
        "model": machine.model,
        "line": machine.line,
        "status": str(machine.status),
    }


def _sources(answer: Answer | None, model_text: CheckedText | None) -> Document:
    parts = [part for part in (answer, model_text) if part is not None]
    citations = {citation.n: citation for part in reversed(parts) for citation in part.citations}
    return {
        "citations": [asdict(citations[n]) for n in sorted(citations)],
        "warnings": [asdict(warning) for part in parts for warning in part.warnings],
    }


def _proposal(proposal: Proposal) -> Document:
    return {
        "proposal_id": proposal.proposal_id,
        "equipment_id": proposal.equipment_id,
        "title": proposal.title,
        "detail": proposal.detail,
        "priority": str(proposal.priority),
    }


def _usage(seen: tuple[Event, ...]) -> Usage:
    ended = _last(seen, events.RunFinished) or _last(seen, events.RunStopped)
    return ended.usage if ended else Usage()
