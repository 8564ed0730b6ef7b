"""One-off reads and decisions on a thread of their own, so that they never wait for a streaming answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from desktop.workers import commands
from desktop.workers.commands import Query
from desktop.workers.station import Station
from desktop.workers.worker import Bridge, Failure, Worker, failure_of


@dataclass(frozen=True, slots=True)
class Answered:
    """`value` is what `Station` returns for this query."""

    query: Query
    value: Any


@dataclass(frozen=True, slots=True)
class Refused:
    query: Query
    failure: Failure


class Queries:
    """In the order asked; every query ends in one Answered or Refused."""

    def __init__(self, station: Callable[[], Station]) -> None:
        self._station = station
        self._worker: Worker[Query] = Worker("queries", self._handle)

    @property
    def bridge(self) -> Bridge:
        return self._worker.bridge

    def ask(self, query: Query) -> None:
        self._worker.put(query)

    def close(self, timeout: float = 3.0) -> bool:
        return self._worker.close(timeout)

    def _handle(self, query: Query) -> None:
        try:
            value = _answer(self._station(), query)
        except Exception as error:  # noqa: BLE001  the border: a query may fail, the window may not
            self._worker.emit(Refused(query, failure_of(error)))
        else:
            self._worker.emit(Answered(query, value))


def _answer(station: Station, query: Query) -> Any:
    calls: dict[type[Query], Callable[[Any], Any]] = {
        commands.OpenStation: lambda q: station.open(q.sample),
        commands.FindEquipment: lambda q: station.find_equipment(q.text),
        commands.ListConversations: lambda _: station.conversations(),
        commands.OpenConversation: lambda q: station.conversation(q.conversation_id),
        commands.ListPending: lambda _: station.pending(),
        commands.ListRequests: lambda _: station.requests(),
        commands.ListResubmittable: lambda _: station.resubmittable(),
        commands.Resubmit: station.resubmit,
        commands.OpenSource: station.source,
        commands.OpenSent: lambda q: station.sent(q.run_id),
        commands.IdentifyPerson: station.identify,
        commands.ChangePin: station.change_pin,
        commands.Propose: station.propose,
        commands.PrepareApproval: lambda q: station.approval_sheet(q.proposal_id),
        commands.EndSession: lambda _: station.end_session(),
        commands.Decide: station.decide,
    }
    return calls[type(query)](query)
