"""Events as JSON and back, so that a conversation can be shown again after a restart."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from functools import cache
from typing import Any, cast

from cattrs import Converter
from cattrs.strategies import configure_tagged_union

from desktop.agent.events import Event
from desktop.domain.ledger import MaintenanceRecord, ManualSection

_SourceOfEvidence = ManualSection | MaintenanceRecord


def to_json(event: Event) -> dict[str, Any]:
    """Plain JSON values; `event` names the class."""
    return cast(dict[str, Any], _converter().unstructure(event, unstructure_as=Event))


def from_json(body: Mapping[str, Any]) -> Event:
    """The event that `to_json` made; fields added since then take their defaults."""
    return cast(Event, _converter().structure(dict(body), cast(Any, Event)))


@cache
def _converter() -> Converter:
    converter = Converter()
    for moment in (datetime, date):
        converter.register_unstructure_hook(moment, lambda value: value.isoformat())
        converter.register_structure_hook(moment, lambda text, kind: kind.fromisoformat(text))
    converter.register_structure_hook_func(lambda kind: kind is object, lambda value, _: value)
    configure_tagged_union(_SourceOfEvidence, converter, tag_name="source")
    configure_tagged_union(Event, converter, tag_name="event")
    return converter
