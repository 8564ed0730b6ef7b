"""Iterative retrieval: whose each hit is, what is missing, a better second look, and when it ends."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from desktop.domain.answer import Band, EvidenceItem, Gap, Scope
from desktop.domain.ledger import MaintenanceRecord, ManualSection
from desktop.evidence.gather import CYCLES, gather
from desktop.evidence.ranking import NOISE, STRONG
from desktop.evidence.resolve import resolve
from desktop.store.search import Search
from desktop.store.snapshot import Snapshot
from tests.evidence import small_plant
from tests.evidence.conftest import Ask, bundled_questions


@pytest.fixture(scope="module")
def winders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Snapshot]:
    snapshot = small_plant.build(tmp_path_factory.mktemp("winders"))
    yield snapshot
    snapshot.close()


def own(items: tuple[EvidenceItem, ...]) -> list[EvidenceItem]:
    return [item for item in items if item.scope is Scope.OWN]


@pytest.mark.parametrize("question", bundled_questions(), ids=lambda one: one["id"])
def test_every_item_says_whose_it_is_and_why_it_is_there(ask: Ask, question: dict[str, str]) -> None:
    got = ask(question["question"], role=question.get("role", ""), preset=question.get("equipment"))
    machine = got.resolution.focus.equipment
    for item in got.evidence.items:
        assert machine is not None
        assert 0.0 <= item.score <= 1.0
        assert item.reason
        source = item.source
        match source:
            case MaintenanceRecord():
                assert (source.equipment_id == machine.equipment_id) is (item.scope is Scope.OWN)
            case ManualSection() if item.scope is not Scope.OTHER_MACHINE:
                assert machine.model in source.models
                assert source.old_revision is (item.scope is Scope.OLD_REVISION)
            case ManualSection():
                assert machine.model not in source.models
    assert all(step.cycle <= CYCLES for step in got.evidence.steps)


def test_a_code_with_everything_ends_after_one_cycle(ask: Ask) -> None:
    evidence = ask("ライン3の充填機でE-12が出た").evidence
    assert {step.cycle for step in evidence.steps} == {1}
    assert evidence.gaps == ()
    assert evidence.band is Band.HIGH
    assert all(item.score == 1.0 for item in own(evidence.items))
    assert len(evidence.records()) == 13
    assert {item.source.revision for item in evidence.items if item.scope is Scope.OLD_REVISION} == {"2"}  # type: ignore[union-attr]


def test_gaps_are_named_and_lead_to_a_second_look(ask: Ask) -> None:
    evidence = ask("EQ-003でE-03").evidence
    assert Gap.HISTORY in evidence.gaps
    assert max(step.cycle for step in evidence.steps) > 1


def test_users_words_reach_the_manuals_words(ask: Ask) -> None:
    evidence = ask("ライン1の充填機、フィルタが詰まった").evidence
    best = own(evidence.items)[0]
    assert "閉塞" in best.source.heading  # type: ignore[union-attr]
    assert "閉塞" in best.reason


def test_without_any_hit_the_second_look_uses_this_machines_own_words(ask: Ask) -> None:
    evidence = ask("EQ-003のロータリーがガクガクする").evidence
    later = [step for step in evidence.steps if step.cycle > 1]
    assert later
    assert later[0].query not in ("ロータリー ガクガク", "")


def test_noise_is_dropped_for_good(ask: Ask) -> None:
    for question in ("EQ-003から異音", "EQ-001の製品タンクの液面がおかしい", "EQ-003でE-12"):
        items = ask(question).evidence.items
        assert all(item.score >= NOISE for item in items)
        assert len({item.ref for item in items}) == len(items)


def test_where_nothing_fits_the_last_records_stand_and_answer_nothing(ask: Ask) -> None:
    evidence = ask("EQ-003でE-99が出た").evidence
    assert len(evidence.records()) == 5
    assert {item.score for item in evidence.items} == {0.0}
    assert evidence.band is Band.NONE


def test_a_reference_in_a_code_table_is_followed(ask: Ask) -> None:
    items = ask("EQ-003でE-11").evidence.items
    assert any(isinstance(item.source, ManualSection) and item.source.heading.startswith("5.1") for item in items)


def test_other_models_code_is_anothers(ask: Ask) -> None:
    items = ask("ライン3の充填機でAL-205", role="保全").evidence.items
    others = [item for item in items if item.scope is Scope.OTHER_MACHINE]
    assert {item.source.models for item in others if isinstance(item.source, ManualSection)} == {("HT-500",)}
    assert all(item.score >= STRONG for item in others)


def test_manuals_for_other_serials_are_no_evidence(winders: Snapshot) -> None:
    for machine, revision in (("WD-A", "1"), ("WD-B", "2")):
        resolution = resolve(f"{machine}でW-01", winders)
        evidence = gather(resolution, winders, Search(winders))
        assert {section.revision for section in evidence.sections()} == {revision}
        assert evidence.sections(Scope.OLD_REVISION) == ()


def test_parts_are_those_the_papers_name(ask: Ask) -> None:
    numbers = {part.part_number for part in ask("ライン3の充填機でE-12が出た").evidence.parts}
    assert {"OR-2210", "NZ-200-08", "FE-200"} <= numbers
    assert "SW-110" not in numbers


def test_records_added_on_this_pc_count_at_once(plant: Snapshot) -> None:
    added = MaintenanceRecord("M-0001", "EQ-003", None, "E-13", "液面が安定しない", "", "電極交換", made_here=True)
    resolution = resolve("EQ-003でE-13", plant)
    evidence = gather(resolution, plant, Search(plant, lambda: (added,)))
    assert "M-0001" in {record.record_id for record in evidence.records()}


def test_nobody_meant_nothing_gathered(ask: Ask) -> None:
    assert ask("充填機でE-12").evidence.items == ()
    assert ask("明日の天気は？").evidence.steps == ()
