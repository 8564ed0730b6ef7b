"""An evaluation's questions put to a model: what it will cost, within the budgets, and how each answer measures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from desktop.agent.limits import Limits
from desktop.agent.models.choose import Chosen, limits_of
from desktop.errors import KnownError
from desktop.net import Cancellation
from desktop.services.evaluation_case import Case
from desktop.services.evaluation_conditions import Condition
from desktop.services.evaluation_cost import estimate
from desktop.services.evaluation_measures import Judged, of_model
from desktop.services.evaluation_model import Asking, OpenModel, open_all, opened
from desktop.services.model_work import Basis, spent
from desktop.services.station import Services

_PERIODS = ("今日", "今月")


@dataclass(slots=True)
class WithModel:
    """`cost` is what this evaluation has spent: it is in no journal, yet counts against the budgets."""

    services: Services
    by_condition: Mapping[str, Chosen]
    cancelled: Cancellation
    cost: float = 0.0

    @property
    def provider(self) -> str:
        return next(iter(self.by_condition.values())).provider

    @property
    def model(self) -> str:
        model = next(iter(self.by_condition.values())).model
        return model.name if model else ""

    def estimate(self, asked: Sequence[tuple[Case, Condition]]) -> str:
        limits = self._limits()
        guess = estimate([self._asking(case, condition, limits) for case, condition in asked])
        return guess.sentence(limits.cost if limits.cost_period in _PERIODS else None)

    def answer(self, case: Case, condition: Condition) -> Judged:
        """KnownErrors: evaluation_budget_spent before more is spent than is allowed, those of an unusable provider."""
        limits = self._limits()
        if limits.cost == 0.0 and limits.cost_period in _PERIODS:
            raise KnownError("evaluation_budget_spent", period=limits.cost_period, used=f"{self.cost:.2f}")
        heard = self._asking(case, condition, limits).ask(self.cancelled)
        self.cost += heard.usage.cost or 0.0
        return of_model(case, condition, heard)

    def _asking(self, case: Case, condition: Condition, limits: Limits) -> Asking:
        return Asking(
            services=self.services,
            plant=case.plant,
            basis=Basis(case.resolution, case.evidence, case.answer),
            question=case.question.text,
            today=case.today,
            condition=condition,
            chosen=self.by_condition[condition.name],
            limits=limits,
        )

    def _limits(self) -> Limits:
        return limits_of(self.services.settings, *(before + self.cost for before in spent(self.services)))


@contextmanager
def with_model(
    services: Services,
    provider: str,
    names: Sequence[str],
    cancelled: Cancellation,
    open_model: OpenModel | None = None,
) -> Iterator[WithModel]:
    """KnownErrors of choosing the provider."""
    if open_model is not None:
        yield WithModel(services, open_all(names, open_model), cancelled)
        return
    with opened(services, provider) as own:
        yield WithModel(services, open_all(names, own), cancelled)
