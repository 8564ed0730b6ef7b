"""The bundled plant, read in once a session, and one way to ask it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from functools import cache
from typing import Any

import pytest

from desktop import paths
from desktop.domain.answer import Answer, Evidence, Resolution
from desktop.domain.ledger import Role
from desktop.domain.outcome import Trial
from desktop.evidence.compose import ComposeContext, compose
from desktop.evidence.gather import gather
from desktop.evidence.resolve import resolve
from desktop.paths import DataDir
from desktop.services.plant_data import ensure_sample
from desktop.store.search import Search
from desktop.store.snapshot import Snapshot

TODAY = date(2026, 11, 30)


@dataclass(frozen=True, slots=True)
class Asked:
    """One question with everything the harness made of it."""

    resolution: Resolution
    evidence: Evidence
    answer: Answer
    context: ComposeContext


Ask = Callable[..., Asked]


@pytest.fixture(scope="session")
def plant(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Snapshot]:
    data = DataDir(tmp_path_factory.mktemp("plant"))
    ensure_sample(data)
    snapshot = Snapshot.current(data.sample.snapshots)
    assert snapshot is not None
    yield snapshot
    snapshot.close()


@pytest.fixture(scope="session")
def search(plant: Snapshot) -> Search:
    return Search(plant)


@pytest.fixture(scope="session")
def ask(plant: Snapshot, search: Search) -> Ask:
    @cache
    def asked(question: str, *, role: str = "", trials: tuple[Trial, ...] = (), **known: Any) -> Asked:
        resolution = resolve(question, plant, **known)
        evidence = gather(resolution, plant, search)
        context = ComposeContext(plant, TODAY, Role(role) if role else None, trials=trials, sample=True)
        return Asked(resolution, evidence, compose(resolution, evidence, context), context)

    return asked


def bundled_questions() -> list[dict[str, Any]]:
    """The bundled questions with their right answers."""
    questions: list[dict[str, Any]] = json.loads((paths.sample_plant() / "questions.json").read_text(encoding="utf-8"))
    return questions
