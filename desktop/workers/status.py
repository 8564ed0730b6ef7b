"""The status bar's facts, from settings, queue and plant data."""

from __future__ import annotations

from desktop import config
from desktop.domain.work_request import Delivery
from desktop.errors import KnownError
from desktop.services.station import Services
from desktop.services.synchronizer import SyncReport
from desktop.store.snapshot_files import pointed_at
from desktop.workers import journal_reads
from desktop.workers.station import Reach, Status
from desktop.workers.worker import failure_of

_PLAIN = "plain"


def reach_of(services: Services, report: SyncReport) -> Reach:
    """What one round of sending found out; another process at it leaves the question open."""
    if services.transport == "none":
        return Reach.NOT_SET
    if report.busy:
        return Reach.UNKNOWN
    return Reach.UNREACHED if report.problem else Reach.REACHED


def status_of(services: Services, reach: Reach | None = None) -> Status:
    queue = services.synchronizer.status()
    trouble = plant_trouble(services)
    snapshot = None if trouble else services.plant().snapshot
    if snapshot and pointed_at(services.data.snapshots) is None:
        trouble = KnownError("snapshot_fallback", published=f"{snapshot.published.astimezone():%Y-%m-%d}")
    get = services.settings.get
    provider = get(config.PROVIDER)
    return Status(
        reach=reach or (Reach.NOT_SET if services.transport == "none" else Reach.UNKNOWN),
        provider=provider,
        model=get(config.OPENAI_MODEL) if provider == "openai" else get(config.ANTHROPIC_MODEL),
        cloud=_may_leave(services),
        unsent=queue.unsent,
        needs_attention=queue.counts.get(Delivery.NEEDS_ATTENTION, 0),
        last_sync=queue.last_success_at,
        data_as_of=snapshot.data_as_of if snapshot else None,
        data_old=snapshot is not None and snapshot.is_old(services.clock()),
        encrypted=services.journal.encryption_mode != _PLAIN,
        station=get(config.STATION_CODE),
        trouble=journal_reads.told(queue.problem),
        data_trouble=failure_of(trouble) if trouble else None,
    )


def plant_trouble(services: Services) -> KnownError | None:
    """Why the plant data of an opened station doesn't open; the journal, and what it has to send, need none of it."""
    try:
        services.plant()
    except KnownError as error:
        gone = KnownError("snapshot_missing", file=str(services.data.snapshots))
        return gone if error.code == "no_plant_data" else error
    return None


def _may_leave(services: Services) -> bool:
    """Whether questions can reach a provider outside the plant: one is set, and an admin has consented."""
    get = services.settings.get
    if not get(config.CLOUD_CONSENT):
        return False
    provider, encrypted = get(config.PROVIDER), get(config.OPENAI_BASE_URL).startswith("https")
    return provider in {"anthropic", "auto"} or (provider == "openai" and encrypted)
