"""What is measured of one answer, as numbers; None = it does not apply."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from desktop.domain.answer import AnswerStatus, CheckedText, Scope, WarningKind
from desktop.domain.history import action_key
from desktop.domain.ledger import MaintenanceRecord, ManualSection
from desktop.domain.text import code_matches, find_codes, fold_code
from desktop.evidence.check import check_text
from desktop.evidence.claims import ClaimKind, sentences
from desktop.services.evaluation_case import Case
from desktop.services.evaluation_conditions import Condition, Told
from desktop.services.evaluation_contradictions import contradictions, returned
from desktop.services.evaluation_verdict import Miss, MissKind, misses, right_machine, said_by_model, said_by_program

if TYPE_CHECKING:
    from desktop.services.evaluation_model import Heard

Measures = Mapping[str, float | None]

FIRST_ACTIONS = 3
_FALLEN_FOR = frozenset({MissKind.MACHINE, MissKind.FORBIDDEN_WORDS, MissKind.OWNER, MissKind.PROPOSAL})
_DECEIVED = frozenset({
    WarningKind.WRONG_OWNER, WarningKind.UNKNOWN_NAME, WarningKind.OLD_REVISION, WarningKind.SAFETY,
})  # fmt: skip
_JAPANESE = re.compile("[ぁ-んァ-ヶ一-龠々]")
_IN_NO_LANGUAGE = re.compile(r"\[[^\]]*\]|[A-Za-z]+[-_.]?[A-Za-z]*[0-9][A-Za-z0-9_.-]*")
_LATIN = re.compile("[A-Za-z]")
_LEAST_JAPANESE = 0.2


@dataclass(frozen=True, slots=True)
class Judged:
    """One answer's measures, what it missed, and the text itself."""

    measures: Measures
    missed: tuple[str, ...] = ()
    text: str = ""
    stop: str = ""
    contradicted: tuple[str, ...] = field(default=())


def of_program(case: Case) -> Judged:
    """The composed answer; its own check is what it is measured with."""
    said = said_by_program(case.answer, case.resolution.focus, case.plant.snapshot)
    found = misses(case.question.expect, said)
    cited = case.answer.citations
    texts = returned((), case.evidence, case.resolution)
    answered = case.answer.status is AnswerStatus.ANSWERED
    against = contradictions("\n".join(line.text for line in case.answer.lines()), texts)
    measures: dict[str, float | None] = {
        **_counts(said.text, (warning.kind for warning in case.warnings)),
        "right": _flag(not found) if case.question.replays is None else None,
        "right_machine": _flag(right_machine(case.question.expect, said)),
        "trap_passed": _flag(not found) if case.question.traps else None,
        "contradictions": float(len(against)),
        "citations": float(len(cited)),
        "citations_valid": float(sum(citation.verified for citation in cited)),
        "uncited": _flag(not cited) if answered and case.evidence.items else None,
        "language_kept": _language_kept(case.question.text, said.text),
        "proposals": float(len(said.proposals)),
        **_replayed(case),
    }
    missed = (*map(_in_words, found), *(warning.text for warning in case.warnings), *_missed_action(case, measures))
    return Judged(measures, missed, said.text, contradicted=against)


def of_model(case: Case, condition: Condition, heard: Heard) -> Judged:
    """A model's text under one yardstick for all conditions: the program's evidence and what its own tools returned."""
    checked = check_text(
        heard.text, case.resolution, case.evidence, case.plant.snapshot, refs=heard.refs, today=case.today
    )
    said = said_by_model(checked, heard.proposals, case.plant.snapshot)
    found = misses(case.question.expect, said)
    told = condition.told is Told.FACTS
    texts = returned(heard.calls, heard.facts, case.resolution if told else None)
    against = contradictions(heard.text, texts)
    kinds = [warning.kind for warning in checked.warnings]
    usage = heard.usage
    measures: dict[str, float | None] = {
        "turns": float(usage.turns),
        "tokens": float(usage.input_tokens + usage.output_tokens),
        "seconds": usage.seconds,
        "cost": usage.cost,
        "called": _flag(bool(heard.calls)) if condition.offers_look_up and case.resolution.mentions else None,
        "proposals": float(len(heard.proposals)),
        "right": _flag(bool(heard.text) and not found) if case.question.replays is None else None,
        "right_machine": _flag(bool(heard.text) and right_machine(case.question.expect, said)),
        "trap_passed": _flag(bool(heard.text) and not _fell(found, kinds)) if case.question.traps else None,
    }
    if heard.text:
        measures |= {
            **_counts(heard.text, kinds),
            "contradictions": float(len(against)),
            **_citations(checked, case),
            "language_kept": _language_kept(case.question.text, heard.text),
            "marked": float(len(checked.marked)) if condition.checked else 0.0,
            "sent_back": _flag(heard.sent_back) if condition.checked else None,
            **_replayed_by_model(case, heard.text),
        }
    missed = (*map(_in_words, found), *(warning.text for warning in checked.warnings))
    return Judged(measures, missed, heard.text, heard.stop, against)


def _fell(found: Iterable[Miss], kinds: Iterable[WarningKind]) -> bool:
    """A trap is about being misled, not about leaving something out."""
    return any(miss.kind in _FALLEN_FOR for miss in found) or any(kind in _DECEIVED for kind in kinds)


def _counts(text: str, kinds: Iterable[WarningKind]) -> dict[str, float | None]:
    found = Counter(kinds)
    return {
        "length": float(len(text)),
        "unknown_names": float(found[WarningKind.UNKNOWN_NAME]),
        "wrong_owner": float(found[WarningKind.WRONG_OWNER]),
        "old_revision": float(found[WarningKind.OLD_REVISION]),
        "unsupported": float(found[WarningKind.NOT_IN_EVIDENCE]),
    }


def _citations(checked: CheckedText, case: Case) -> dict[str, float | None]:
    refs = [claim for one in sentences(checked.text) for claim in one.claims if claim.kind is ClaimKind.REF]
    marked = set(checked.marked)
    return {
        "citations": float(len(refs)),
        "citations_valid": float(sum((claim.start, claim.end) not in marked for claim in refs)),
        "uncited": _flag(not refs and not checked.citations) if case.evidence.items else None,
    }


def _language_kept(question: str, text: str) -> float:
    return _flag(_is_japanese(question) == _is_japanese(text))


def _is_japanese(text: str) -> bool:
    """By its letters, codes and references left out: a code is in no language."""
    words = _IN_NO_LANGUAGE.sub(" ", text)
    japanese, latin = len(_JAPANESE.findall(words)), len(_LATIN.findall(words))
    return japanese >= _LEAST_JAPANESE * (japanese + latin)


def _replayed(case: Case) -> dict[str, float | None]:
    record = case.question.replays
    if record is None:
        return {}
    shown = _first_actions(case)
    return {
        "code_found": _flag(_code_found(case, record)) if record.error_code else None,
        "action_in_three": _flag(any(action_key(record.action) in action_key(line) for line in shown)),
        "action_known": _flag(_was_done_before(case, record)),
    }


def _replayed_by_model(case: Case, text: str) -> dict[str, float | None]:
    record = case.question.replays
    if record is None:
        return {}
    codes = {code.key for code in find_codes(text)}
    return {
        "code_found": _flag(fold_code(record.error_code) in codes) if record.error_code else None,
        "action_in_three": _flag(action_key(record.action) in action_key(text)),
        "action_known": _flag(_was_done_before(case, record)),
    }


def _first_actions(case: Case) -> tuple[str, ...]:
    """What the answer recommends first: this machine's own actions, then its twins'."""
    blocks = case.answer.blocks
    own = [line.text for block in blocks for line in block.history]
    return (*own, *(line.text for block in blocks for line in block.same_model))[:FIRST_ACTIONS]


def _code_found(case: Case, record: MaintenanceRecord) -> bool:
    key = fold_code(record.error_code)
    own = [item.source for item in case.evidence.items if item.scope is Scope.OWN]
    return any(
        any(code_matches(code, key) for code in source.codes)
        if isinstance(source, ManualSection)
        else fold_code(source.error_code) == key
        for source in own
    )


def _was_done_before(case: Case, record: MaintenanceRecord) -> bool:
    """What nobody had ever done on this machine can't be recommended from its log."""
    wanted = action_key(record.action)
    return any(action_key(one.action) == wanted for one in case.plant.snapshot.records_of(record.equipment_id))


def _missed_action(case: Case, measures: Measures) -> tuple[str, ...]:
    record = case.question.replays
    if record is None or measures["action_in_three"]:
        return ()
    first = "" if measures["action_known"] else "（この設備では初めての処置）"
    return (f"処置「{record.action}」{first}：{' ／ '.join(_first_actions(case)) or '実績なし'}",)


def _in_words(miss: Miss) -> str:
    return f"{miss.kind}：{miss.text}"


def _flag(holds: bool) -> float:
    return 1.0 if holds else 0.0
