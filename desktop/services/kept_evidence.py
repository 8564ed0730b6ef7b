"""The quotations of an answer as they stand today, to be kept with a proposal (later shown as 当時の版)."""

from __future__ import annotations

from desktop.domain.answer import Answer, Citation, CitationKind
from desktop.domain.canonical import sha256
from desktop.domain.work_request import KeptEvidence
from desktop.store.snapshot import Snapshot


def kept_evidence(answer: Answer, snapshot: Snapshot) -> tuple[KeptEvidence, ...]:
    """Each citation with the hash of what it was read from: the manual's file, else the quoted text itself."""
    return tuple(
        KeptEvidence(
            ref=citation.ref,
            title=citation.title,
            quote=citation.quote,
            page=citation.page,
            page_label=citation.page_label,
            revision=citation.revision,
            sha256=_source_hash(citation, snapshot),
        )
        for citation in answer.citations
    )


def _source_hash(citation: Citation, snapshot: Snapshot) -> str:
    if citation.kind is CitationKind.MANUAL and (section := snapshot.section(citation.ref)) is not None:
        manual = snapshot.manual(section.manual_id)
        if manual is not None and manual.file_sha256:
            return manual.file_sha256
    return sha256(citation.quote.encode("utf-8"))
