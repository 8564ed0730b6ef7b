"""Whether words stand in a source: compared after folding, without spaces and quotation marks."""

from __future__ import annotations

import re
from functools import lru_cache

from desktop.domain.ledger import MaintenanceRecord, ManualSection
from desktop.evidence.words import squeeze

_MARKS = re.compile("[「」『』\"“”'‘’]")


@lru_cache(maxsize=2048)
def bare(text: str) -> str:
    """The form in which a quotation and its source are compared."""
    return _MARKS.sub("", squeeze(text))


def stands_in(quote: str, text: str) -> bool:
    """Whether the quotation is a part of the text; an ellipsis in it may leave words out."""
    place = 0
    haystack = bare(text)
    for piece in re.split(r"…+|\.{3,}|‥+", quote):
        wanted = bare(piece)
        found = haystack.find(wanted, place)
        if found < 0:
            return False
        place = found + len(wanted)
    return bool(bare(quote))


def source_text(source: ManualSection | MaintenanceRecord) -> str:
    """All that may be quoted of a source: headings and body, or the fields of a record, each on its own line."""
    if isinstance(source, ManualSection):
        return "\n".join((*source.heading_path, source.body))
    fields = (source.error_code, source.symptom, source.cause, source.action, source.parts, source.worker)
    return "\n".join(filter(None, fields))
