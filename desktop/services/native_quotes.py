"""Words that a model cited natively, held against what it was given: an API's word for them is not enough."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from desktop.agent.messages import Quote
from desktop.domain.answer import AnswerWarning, CheckedText, Citation, CitationKind, WarningKind
from desktop.domain.cited_text import MARKER, ref_of
from desktop.evidence.quotes import stands_in

_SHOWN = 40  # characters of a quotation in a warning


def with_quotes(checked: CheckedText, quotes: Sequence[Quote], given: Mapping[str, str]) -> CheckedText:
    """A finding for every quotation that is no part of its source after folding; the others become the words cited.

    `given` is the text of each source by its ref, as the model got it. A finding marks all places that cite its
    source, since a marker doesn't tell which of several quotations it stands for.
    """
    wrong = [quote for quote in quotes if not stands_in(quote.text, given.get(quote.ref, ""))]
    right = {quote.ref: quote.text for quote in reversed(quotes) if quote not in wrong}
    refs = {quote.ref for quote in wrong}
    return replace(
        checked,
        marked=tuple(sorted({*checked.marked, *_places(checked.text, refs)})),
        warnings=tuple(dict.fromkeys((*checked.warnings, *map(_finding, wrong)))),
        citations=tuple(_cited(citation, right, refs) for citation in checked.citations),
    )


def _places(text: str, refs: set[str]) -> Iterator[tuple[int, int]]:
    return (found.span() for found in MARKER.finditer(text) if ref_of(found) in refs)


def _finding(quote: Quote) -> AnswerWarning:
    words = f"{quote.text[:_SHOWN]}…" if len(quote.text) > _SHOWN else quote.text
    return AnswerWarning(WarningKind.NOT_IN_EVIDENCE, f"「{words}」は、示された資料にありません。", words)


def _cited(citation: Citation, right: Mapping[str, str], wrong: set[str]) -> Citation:
    """A record's lines carry labels of ours, so its own words stay."""
    if citation.ref in wrong:
        return replace(citation, verified=False)
    if citation.kind is CitationKind.MANUAL and citation.ref in right:
        return replace(citation, quote=right[citation.ref])
    return citation
