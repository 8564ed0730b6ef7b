"""What of a drafted request the program could not verify, for the approver to see beside it."""

from __future__ import annotations

from desktop.agent.events import FactsGathered
from desktop.domain.work_request import Proposal
from desktop.evidence.check import check_proposal
from desktop.evidence.gather import gather
from desktop.evidence.resolve import resolve
from desktop.services.run_record import stored_events
from desktop.services.station import Services


def doubts(services: Services, proposal: Proposal) -> tuple[str, ...]:
    """Sentences, each about a name, number or quotation in title or detail; checked against the run's own evidence.

    A draft without a run (a person's form) is checked against what the papers have for its machine and words.
    """
    plant = services.plant()
    facts = _facts_of_run(services, proposal)
    if facts is None:
        resolution = resolve(f"{proposal.title} {proposal.detail}", plant.snapshot, preset=proposal.equipment_id)
        facts = FactsGathered(resolution, gather(resolution, plant.snapshot, plant.search))
    found = check_proposal(
        proposal.equipment_id, proposal.title, proposal.detail, facts.resolution, facts.evidence, plant.snapshot
    )
    return tuple(warning.text for warning in found)


def _facts_of_run(services: Services, proposal: Proposal) -> FactsGathered | None:
    if not proposal.run_id:
        return None
    with services.journal.reading() as tx:
        events = stored_events(tx, proposal.run_id)
    return next((event for event in reversed(events) if isinstance(event, FactsGathered)), None)
