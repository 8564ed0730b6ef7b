"""A question as the program itself takes it: what it names, what the papers have, the composed answer."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from desktop.domain.answer import Answer, AnswerWarning, Evidence, Resolution
from desktop.evidence.check_answer import check_answer
from desktop.evidence.compose import ComposeContext, compose
from desktop.evidence.gather import gather
from desktop.evidence.resolve import resolve
from desktop.services.evaluation_questions import Question
from desktop.services.evaluation_replay import eve_of
from desktop.services.station import Plant, Services


@dataclass(frozen=True, slots=True)
class Case:
    """A question over the plant as it was on `today`: for a past trouble its own day, else the day the data ends."""

    question: Question
    plant: Plant
    today: date
    resolution: Resolution
    evidence: Evidence
    answer: Answer
    warnings: tuple[AnswerWarning, ...]


def case_of(services: Services, plant: Plant, question: Question) -> Case:
    """Deterministic for one snapshot: no clock, nobody's requests, no conversation before it."""
    today = plant.snapshot.data_as_of or plant.snapshot.published.date()
    if question.replays is not None:
        assert question.replays.date is not None
        plant, today = eve_of(plant, question.replays), question.replays.date
    resolution = resolve(
        question.text, plant.snapshot, preset=question.equipment_id or None, station_lines=services.station_lines
    )
    evidence = gather(resolution, plant.snapshot, plant.search)
    context = ComposeContext(plant.snapshot, today, question.role, sample=services.sample)
    answer = compose(resolution, evidence, context)
    warnings = check_answer(answer, resolution, evidence, context)
    return Case(question, plant, today, resolution, evidence, answer, warnings)
