"""The administrator's consent to an AI outside the plant goes on the audit trail when it is first made use of."""

from __future__ import annotations

from desktop import config
from desktop.agent.models.choose import ANTHROPIC, OPENAI, Chosen
from desktop.services.station import Services
from desktop.store import audit

_ACTION = "cloud_consent"


def is_new(services: Services) -> bool:
    """Whether a consent stands that no question has made use of."""
    consent = services.settings.get(config.CLOUD_CONSENT)
    with services.journal.reading() as tx:
        told = [audit.latest(tx, _ACTION, provider) for provider in (ANTHROPIC, OPENAI)]
    return bool(consent) and all(row is None or row["consent"] != consent for row in told)


def note(services: Services, chosen: Chosen) -> None:
    """One row for each wording of the setting (who, when) and provider; Models.choose has made sure there is one."""
    told = {"consent": services.settings.get(config.CLOUD_CONSENT), "provider": chosen.provider}
    with services.journal.transaction() as tx:
        if audit.latest(tx, _ACTION, chosen.provider) != told:
            audit.append(tx, services.clock(), "", _ACTION, chosen.provider, told)
