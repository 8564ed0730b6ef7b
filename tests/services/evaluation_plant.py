"""The bundled plant as services, and one way to evaluate a scripted model on it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from desktop.agent.models.choose import Chosen
from desktop.services.evaluation import Order, evaluate
from desktop.services.evaluation_questions import Question, bundled
from desktop.services.station import Services
from tests.fakes.answering_model import AnsweringModel

E12 = bundled()[0]


def evaluated(
    services: Services,
    model: AnsweringModel,
    conditions: Sequence[str],
    questions: Sequence[Question] = (E12,),
    *,
    outside: bool = False,
    **order: Any,
) -> dict[str, Any]:
    chosen = Chosen("scripted", model, outside=outside)
    asked = Order(questions, provider="anthropic", conditions=conditions, **order)
    return evaluate(services, asked, lambda _times: chosen)


def mean(document: dict[str, Any], condition: str, figure: str) -> float | None:
    value: float | None = document["conditions"][condition][figure]["mean"]
    return value
