"""How much of the facts a model is told, and what is kept from it."""

from desktop.domain.answer import Evidence, EvidenceItem, Focus, Resolution
from desktop.domain.ledger import MaintenanceRecord, ManualSection
from desktop.evidence.facts import BRIEF, Telling, facts_text

NOBODY = Resolution("E-12", Focus())


def section(number: int, body: str = "ノズルを外す。") -> EvidenceItem:
    ref = f"manual:A#{number}"
    return EvidenceItem(ManualSection(ref, "A", ("FL-200",), (f"章{number}",), body, number), 1.0, "コード E-12")


def record(number: int) -> EvidenceItem:
    return EvidenceItem(MaintenanceRecord(f"MR-{number}", "EQ-003", None, action="清掃"), 0.9, "コード E-12")


def test_a_small_model_gets_the_first_few_lines_and_is_told_of_the_rest() -> None:
    items = (*(section(n, "長" * 2000) for n in range(6)), *(record(n) for n in range(8)))
    whole, brief = facts_text(NOBODY, Evidence(items)), facts_text(NOBODY, Evidence(items), BRIEF)
    assert len(brief) < len(whole) / 4
    assert "manual:A#5" in whole
    assert "manual:A#2" not in brief
    assert f"{14 - BRIEF.sections - BRIEF.records}件" in brief


def test_what_may_not_leave_is_named_and_not_told() -> None:
    facts = facts_text(
        NOBODY, Evidence((section(1, "社外秘の値"), section(2))), Telling(withheld=frozenset({"manual:A#1"}))
    )
    assert "社外秘" not in facts
    assert "章1" not in facts
    assert "manual:A#1" in facts
    assert "未送信" in facts
    assert "ノズルを外す。" in facts
