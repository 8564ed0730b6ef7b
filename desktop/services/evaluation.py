"""The plant's acceptance test of a model on its own data: the same questions under every condition, measured alike.

    questions -> what the program makes of each -> the model under each condition -> figures, misses, a verdict on tools

Nothing is registered and nothing goes into the journal, which is only read: names to hide, money already spent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from desktop import config
from desktop.errors import KnownError, sentence
from desktop.net import Cancellation
from desktop.services.evaluation_case import Case, case_of
from desktop.services.evaluation_cells import Cell, Cells, Key
from desktop.services.evaluation_conditions import CONDITIONS, Condition
from desktop.services.evaluation_measures import Judged, of_program
from desktop.services.evaluation_questions import Question, fingerprint
from desktop.services.evaluation_summary import as_csv, summary, tools_after_facts
from desktop.services.station import Services

if TYPE_CHECKING:
    from desktop.services.evaluation_model import OpenModel
    from desktop.services.evaluation_with_model import WithModel

OFFLINE = "offline"

Document = dict[str, Any]
Answering = Callable[[Case, Condition], Judged]


@dataclass(frozen=True, slots=True)
class Order:
    """What is to be measured; `provider` "" = as set, no `conditions` = all that it can, `resume` keeps what is done.

    `say` gets sentences before and during the work, `progress` what is being asked and the share done.
    """

    questions: Sequence[Question]
    provider: str = ""
    conditions: Sequence[str] = ()
    repeat: int = 1
    resume: Path | None = None
    say: Callable[[str], None] = lambda _sentence: None
    progress: Callable[[str, float], None] = lambda _what, _share: None
    cancelled: Cancellation = field(default_factory=Cancellation)


def evaluate(services: Services, order: Order, open_model: OpenModel | None = None) -> Document:
    """Everything measured, as one document; see `summary` for its figures.

    `open_model` stands in for the provider's own. KnownErrors: no_plant_data, evaluation_needs_model,
    evaluation_other_run, evaluation_unwritable, those of choosing a provider, and of one that can't be used at all.
    A spent budget ends the work early and is told under "stopped".
    """
    provider = order.provider or services.settings.get(config.PROVIDER)
    names = _conditions(provider, order.conditions)
    plant = services.plant()
    cases = [case_of(services, plant, question) for question in order.questions]
    wanted = list(product(range(1, order.repeat + 1), names, cases))
    stopped = ""
    with _answering(services, order, provider, names, open_model) as (answering, working):
        of = {
            "provider": working.provider if working else OFFLINE,
            "model": working.model if working else "",
            "snapshot": plant.snapshot.version,
            "questions": fingerprint(order.questions),
        }
        with Cells.resume(order.resume, of) if order.resume else nullcontext(Cells()) as cells:
            missing = [one for one in wanted if _key(*one) not in cells]
            if working is not None:
                order.say(working.estimate([(case, CONDITIONS[name]) for _, name, case in missing]))
            try:
                _ask_all(order, missing, answering, cells)
            except KnownError as error:
                if error.code != "evaluation_budget_spent":
                    raise
                stopped = sentence(error)
                order.say(stopped)
            finished = [cells[key] for one in wanted if (key := _key(*one)) in cells]
    return {
        **of,
        "sample": services.sample,
        "repeat": order.repeat,
        "asked": {"questions": len(cases), "traps": sum(bool(case.question.traps) for case in cases)},
        "lockout": _lockout(cases),
        **_figures(names, finished),
        "not_run": sorted(set(CONDITIONS) - set(names)) if provider == OFFLINE else [],
        "missed": _missed(finished, cases),
        "stopped": stopped or None,
        "answers": [cell.to_json() for cell in finished],
        "csv": as_csv(finished),
    }


def _conditions(provider: str, wanted: Sequence[str]) -> tuple[str, ...]:
    """In the order of the design; without a model only what the program does by itself."""
    possible = [name for name, one in CONDITIONS.items() if provider != OFFLINE or one.without_model]
    if impossible := [name for name in wanted if name not in possible]:
        raise KnownError("evaluation_needs_model", names="、".join(impossible), possible="、".join(possible))
    return tuple(name for name in possible if not wanted or name in wanted)


@contextmanager
def _answering(
    services: Services, order: Order, provider: str, names: Sequence[str], open_model: OpenModel | None
) -> Iterator[tuple[Answering, WithModel | None]]:
    if provider == OFFLINE:
        yield lambda case, _condition: of_program(case), None
        return
    from desktop.services.evaluation_with_model import with_model  # without a model the network is never loaded

    with with_model(services, provider, names, order.cancelled, open_model) as working:
        yield working.answer, working


def _ask_all(order: Order, missing: Sequence[tuple[int, str, Case]], answering: Answering, cells: Cells) -> None:
    for done, (repeat, name, case) in enumerate(missing):
        order.progress(f"{name} {case.question.question_id}", done / len(missing))
        judged = answering(case, CONDITIONS[name])
        cells.add(Cell(name, case.question.question_id, repeat, judged))
    order.progress("", 1.0)


def _key(repeat: int, name: str, case: Case) -> Key:
    return name, case.question.question_id, repeat


def _lockout(cases: Sequence[Case]) -> Document:
    """How often the program's lock-out block stands where work is meant, and where it is not: (times, questions)."""
    fired = [(case.question.expect.safety, bool(case.answer.lockout)) for case in cases]
    work = [block for safety, block in fired if safety is True]
    rest = [block for safety, block in fired if safety is False]
    return {"work": [sum(work), len(work)], "elsewhere": [sum(rest), len(rest)]}


def _figures(names: Sequence[str], finished: Sequence[Cell]) -> Document:
    by_condition = {name: [cell for cell in finished if cell.condition == name] for name in names}
    figures = {name: summary(cells) for name, cells in by_condition.items() if cells}
    return {"conditions": figures, "tools_after_facts": tools_after_facts(figures)}


def _missed(finished: Sequence[Cell], cases: Sequence[Case]) -> list[Document]:
    texts = {case.question.question_id: case.question.text for case in cases}
    return [
        {
            "condition": cell.condition,
            "question": cell.question_id,
            "text": texts[cell.question_id],
            "repeat": cell.repeat,
            "missed": [*cell.judged.missed, *(f"結果と矛盾：{one}" for one in cell.judged.contradicted)],
        }
        for cell in finished
        if cell.judged.missed or cell.judged.contradicted
    ]
