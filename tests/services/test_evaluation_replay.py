"""A past trouble is asked again over what was known before it, and nothing of it or later shows through."""

from __future__ import annotations

from datetime import timedelta
from itertools import chain

import pytest

from desktop.domain.ledger import EquipmentStatus, MaintenanceRecord
from desktop.domain.text import fold_code
from desktop.errors import KnownError
from desktop.services.evaluation import Order, evaluate
from desktop.services.evaluation_case import case_of
from desktop.services.evaluation_replay import eve_of, from_records
from desktop.services.station import Plant, Services
from desktop.store.snapshot import Snapshot
from tests.fakes.answering_model import AnsweringModel
from tests.fakes.scripted_model import says
from tests.services.evaluation_plant import evaluated, mean


@pytest.fixture
def services(bundled_services: Services) -> Services:
    return bundled_services


@pytest.fixture
def plant(services: Services) -> Plant:
    return services.plant()


def record(plant: Plant, record_id: str) -> MaintenanceRecord:
    found = plant.snapshot.record(record_id)
    assert found is not None
    return found


def everything(plant: Plant) -> list[MaintenanceRecord]:
    return list(
        chain.from_iterable(plant.snapshot.records_of(one.equipment_id) for one in plant.snapshot.all_equipment())
    )


def test_the_newest_troubles_of_machines_in_the_ledger_are_asked(plant: Plant) -> None:
    questions = from_records(plant.snapshot, 20)
    days = [one.replays.date for one in questions if one.replays and one.replays.date]
    assert len(days) == 20
    assert days == sorted(days, reverse=True)
    for one in questions:
        (machine_id,) = one.expect.equipment or ()
        machine = plant.snapshot.equipment(machine_id)
        assert machine
        assert machine.status is not EquipmentStatus.RETIRED
        assert one.replays
        assert one.replays.equipment_id == machine_id
        assert one.replays.record_id not in one.text
        assert one.replays.action not in one.text


def test_the_eve_of_a_trouble_knows_nothing_of_it_or_later(plant: Plant) -> None:
    every = everything(plant)
    dated = sorted((one for one in every if one.date), key=lambda one: one.date or 0, reverse=True)
    middle = dated[len(dated) // 2]
    assert middle.date
    eve = eve_of(plant, middle)
    known = {one.record_id for one in every if one.date and one.date < middle.date}
    assert 20 < len(known) < len(every) - 20
    assert {one.record_id for one in everything(eve)} == known
    for one in every:
        assert (eve.snapshot.record(one.record_id) is not None) is (one.record_id in known)
    for one in every[::8]:
        words = " ".join((one.error_code, one.symptom))
        for found in (eve.search.records(one.equipment_id, words, 50), eve.search.records(one.equipment_id, "", 50)):
            assert {hit.record.record_id for hit in found.hits} <= known
        owners = eve.snapshot.code_owners(fold_code(one.error_code)).equipment_ids if one.error_code else ()
        earlier = {other.equipment_id for other in every if other.record_id in known and _same_code(other, one)}
        assert set(owners) == earlier
    assert {hit.record.record_id for hit in eve.search.records_anywhere("E-12 異音", 50).hits} <= known
    assert eve.snapshot.open_orders("EQ-003") == ()
    assert plant.snapshot.open_orders("EQ-003") != ()
    assert eve.snapshot.data_as_of == middle.date - timedelta(days=1) != plant.snapshot.data_as_of


def test_words_learned_from_the_log_are_not_known_on_the_eve(plant: Plant, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Snapshot, "learned_terms", lambda _self: {"フンムキ": ("充填ノズル",)})
    newest, *_ = plant.search.records("EQ-003", "E-12", 1).hits
    assert eve_of(plant, newest.record).snapshot.learned_terms() == {}


def _same_code(one: MaintenanceRecord, other: MaintenanceRecord) -> bool:
    return bool(other.error_code) and fold_code(one.error_code) == fold_code(other.error_code)


def test_the_best_hits_stay_although_later_ones_are_taken_out(plant: Plant) -> None:
    newest, *_ = plant.search.records("EQ-003", "E-12", 50).hits
    whole = plant.search.records("EQ-003", "E-12", 50)
    eve = eve_of(plant, newest.record).search.records("EQ-003", "E-12", 3)
    assert [hit.record for hit in eve.hits] == [
        hit.record for hit in whole.hits if hit.record.date != newest.record.date
    ][:3]
    assert eve.total < whole.total


def test_no_answer_shows_the_trouble_itself_or_later(services: Services, plant: Plant) -> None:
    for question in from_records(plant.snapshot, 60)[::8]:
        case = case_of(services, plant, question)
        shown = [*case.evidence.records(), *(item.source for item in case.evidence.items)]
        days = [one.date for one in shown if isinstance(one, MaintenanceRecord)]
        assert all(day is not None and day < case.today for day in days), case.question.question_id
        assert case.warnings == ()


def test_replays_tell_the_machine_the_code_and_the_action(services: Services, plant: Plant) -> None:
    document = evaluate(services, Order(from_records(plant.snapshot, 8), "offline"))
    assert mean(document, "facts-checked", "right_machine") == 1
    assert mean(document, "facts-checked", "code_found") == 1
    action, known = (mean(document, "facts-checked", name) for name in ("action_in_three", "action_where_known"))
    assert action is not None
    assert known is not None
    assert 0.5 < action <= known <= 1
    assert mean(document, "facts-checked", "right") is None
    missed = [one for one in document["missed"] if any("処置「" in text for text in one["missed"])]
    assert len(missed) == round((1 - action) * 8)


def test_a_models_text_is_measured_by_the_recorded_action(services: Services, plant: Plant) -> None:
    (question,) = from_records(plant.snapshot, 1)
    assert question.replays
    knows = AnsweringModel(lambda _state: says(f"{question.expect.equipment}：{question.replays.action}"))  # type: ignore[union-attr]
    guesses = AnsweringModel(lambda _state: says(f"{question.expect.equipment}：様子を見る。"))
    assert mean(evaluated(services, knows, ["none"], [question]), "none", "action_in_three") == 1
    assert mean(evaluated(services, guesses, ["none"], [question]), "none", "action_in_three") == 0


def test_a_plant_without_troubles_says_so(plant: Plant) -> None:
    first = min((one for one in everything(plant) if one.date), key=lambda one: str(one.date))
    with pytest.raises(KnownError) as caught:
        from_records(eve_of(plant, first).snapshot, 5)
    assert caught.value.code == "evaluation_nothing_to_ask"
