"""From a question to the texts worth reading closely: a scope's own rows, or the best of the whole index."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Literal

from desktop.domain.text import CodeInText, fold_code, printed_code
from desktop.store.search_frequencies import is_single
from desktop.store.search_question import Question
from desktop.store.search_rank import CODE_SCORES, FAMILY_SCORE, Candidate, Ranked, rank, rarity
from desktop.store.snapshot import Snapshot, beginnings
from desktop.store.snapshot_rows import Row

SCANNED_WHOLE = 3_000
"""Up to so many rows a scope is read whole; beyond, the index chooses."""

_CHOSEN = 30
_RANGE_SCORE = 0.95
_WILDCARD_SCORE = 0.85
_WIDE = 1_000
_FIRST_WORDS = 2
_BEFORE_ALL_WORDS = 100_000


class Kind(Enum):
    """What is searched, with its table, the number of its rows, and how many postings a question may cost."""

    SECTION = ("sections", "section", "heading_shape, body_shape, old_revision", 60_000)
    RECORD = ("records", "record", "'', shaped, false", 120_000)

    def __init__(self, table: str, prefix: Literal["section", "record"], columns: str, budget: int) -> None:
        self.table = table
        self.prefix = prefix
        self.number = f"{prefix}_no"
        self.columns = columns
        self.budget = budget


@dataclass(frozen=True, slots=True)
class Span:
    """Rows first to first + count - 1; with `model` (a key) only those that are for it or name no model."""

    first: int
    count: int
    model: str = ""

    def __contains__(self, number: int) -> bool:
        return self.first <= number < self.first + self.count


@dataclass(frozen=True, slots=True)
class _CodeHit:
    score: float
    code: str


_ROWS = "SELECT {number}, {columns} FROM {table} WHERE {where}"
_BEST = """
    SELECT posting >> 8 AS number, sum((posting & 255) * weight)::FLOAT AS total,
        max(if(code = 0, 0, ((posting & 255) << 8) | code))
    FROM (
        SELECT unnest(postings) AS posting, (CASE {by_term} ELSE 0 END)::FLOAT AS weight, 0 AS code
        FROM {prefix}_postings WHERE {terms}
        UNION ALL
        SELECT unnest(postings), {code_weight}::FLOAT, CASE {by_key} END FROM {prefix}_codes WHERE key IN ({keys}))
    WHERE {where} GROUP BY number ORDER BY total DESC, number LIMIT {limit}"""
_CODES = """
    SELECT key, posting >> 8, posting & 255
    FROM (SELECT key, unnest(postings) AS posting FROM {prefix}_codes WHERE key IN ({keys}))
    WHERE {where}"""
_FAMILY = """
    SELECT key, posting >> 8, posting & 255
    FROM (SELECT key, unnest(postings) AS posting FROM {prefix}_codes WHERE key >= ? AND key < ?)
    WHERE {where} LIMIT {limit}"""


def ranked(snapshot: Snapshot, kind: Kind, question: Question, spans: Sequence[Span] | None) -> list[Ranked]:
    """Everything in the spans (None = everywhere) that supports the question, best first."""
    if spans is not None and sum(span.count for span in spans) <= SCANNED_WHOLE:
        hits = _code_hits(snapshot, kind, question, spans)
        where = _within(kind.number, spans) if question.words else _one_of(kind, hits)
        return rank(question, _candidates(_rows(snapshot, kind, where, spans), hits, spans))
    every = snapshot.frequencies(kind.prefix)
    frequencies = every.of({*question.terms, *question.spelled})
    best = _best(snapshot, kind, question, frequencies, spans)
    hits = {number: hit for number, hit in best.items() if hit}
    missing = [code for code in question.codes if code.text not in {hit.code for hit in hits.values()}]
    hits |= _range_hits(snapshot, kind, question, spans) | _family_hits(snapshot, kind, missing, spans)
    rows = _rows(snapshot, kind, _one_of(kind, {*best, *hits}), spans)
    return rank(question, _candidates(rows, hits, spans or ()), frequencies, every.count)


def _one_of(kind: Kind, numbers: Collection[int]) -> str:
    return f"{kind.number} IN ({','.join(map(str, numbers)) or '-1'})"


def _rows(snapshot: Snapshot, kind: Kind, where: str, spans: Sequence[Span] | None) -> list[Row]:
    """Number, heading, body, whether of an old revision, and models where some span is shared by several."""
    shared = kind is Kind.SECTION and any(span.model for span in spans or ())
    columns = f"{kind.columns}, {'models' if shared else 'NULL'}"
    return snapshot.rows(_ROWS.format(number=kind.number, columns=columns, table=kind.table, where=where))


def _candidates(rows: Iterable[Row], hits: Mapping[int, _CodeHit], spans: Sequence[Span]) -> list[Candidate]:
    none = _CodeHit(0.0, "")
    shared = [span for span in spans if span.model]
    found = []
    for number, heading, body, behind, models in rows:
        if shared and models and _is_for_another(number, tuple(models), shared):
            continue
        hit = hits.get(number, none)
        found.append(Candidate(number, heading, body, hit.score, hit.code, behind))
    return found


def _is_for_another(number: int, models: tuple[str, ...], shared: Iterable[Span]) -> bool:
    asked = next((span.model for span in shared if number in span), None)
    return asked is not None and asked not in map(fold_code, models)


def _within(column: str, spans: Sequence[Span] | None, shift: int = 0) -> str:
    if spans is None:
        return "true"
    ranges = (
        f"{column} BETWEEN {span.first << shift} AND {((span.first + span.count) << shift) - 1}" for span in spans
    )
    return f"({' OR '.join(ranges) or 'false'})"


def _best(
    snapshot: Snapshot,
    kind: Kind,
    question: Question,
    frequencies: Mapping[int, int],
    spans: Sequence[Span] | None,
) -> dict[int, _CodeHit | None]:
    """The numbers of the texts with a code of the question or with the most of its rarest terms."""
    chosen = _chosen_terms(question, frequencies, kind.budget)
    if not chosen and not question.codes:
        return {}
    count = snapshot.frequencies(kind.prefix).count
    weights = {term: question.terms[term] * rarity(frequencies[term], count) for term in chosen}
    by_term = (f"WHEN {_is_term(term)} THEN {weight:.4f}" for term, weight in weights.items())
    statement = _BEST.format(
        prefix=kind.prefix,
        by_term=" ".join(by_term) or "WHEN false THEN 0",
        terms=_one_of_terms(weights),
        by_key=" ".join(f"WHEN key = ? THEN {place + 1}" for place in range(len(question.codes)))
        or "WHEN false THEN 0",
        keys=",".join("?" * len(question.codes)) or "NULL",
        code_weight=_BEFORE_ALL_WORDS,
        where=_within("posting", spans, shift=8),
        limit=_CHOSEN,
    )
    rows = snapshot.rows(statement, [code.key for code in question.codes] * 2)
    return {
        number: _CodeHit(CODE_SCORES[code >> 8], question.codes[(code & 255) - 1].text) if code else None
        for number, _, code in rows
    }


def _is_term(term: int) -> str:
    return f"term BETWEEN {term} AND {term | 0xFFFF}" if is_single(term) else f"term = {term}"


def _one_of_terms(terms: Collection[int]) -> str:
    """A condition that the index can answer: either all are pairs and words, or all are single letters."""
    if not terms:
        return "false"
    if any(map(is_single, terms)):
        return " OR ".join(map(_is_term, terms))
    return f"term IN ({','.join(map(str, terms))})"


def _chosen_terms(question: Question, frequencies: Mapping[int, int], budget: int) -> list[int]:
    """The terms whose postings are read: the rarest of each word, then the rarest of all, synonyms last.

    Ends where reading on would cost more than the budget; the first two words are always asked for.
    """
    known = {term: frequencies[term] for term in question.terms if term in frequencies}
    known = {term: df for term, df in known.items() if not is_single(term)} or known
    of_words = {min(found, key=known.__getitem__) for word in question.words if (found := word.terms & known.keys())}
    order = sorted(known, key=lambda term: (term not in of_words, -question.terms[term], known[term]))
    chosen: list[int] = []
    cost = 0
    for term in order:
        cost += known[term]
        if len(chosen) >= _FIRST_WORDS and cost > budget:
            break
        chosen.append(term)
    return chosen


def _code_hits(snapshot: Snapshot, kind: Kind, question: Question, spans: Sequence[Span]) -> dict[int, _CodeHit]:
    """By number the best code of the question that stands in each text of the spans."""
    if not question.codes or not spans:
        return {}
    written = {code.key: code.text for code in question.codes}
    statement = _CODES.format(
        prefix=kind.prefix, keys=",".join("?" * len(written)), where=_within("posting", spans, shift=8)
    )
    found = _range_hits(snapshot, kind, question, spans)
    exact = snapshot.rows(statement, list(written))
    for key, number, strength in exact:
        _keep_better(found, number, _CodeHit(CODE_SCORES[strength], written[key]))
    seen = {row[0] for row in exact}
    missing = [code for code in question.codes if code.key not in seen]
    for number, hit in _family_hits(snapshot, kind, missing, spans).items():
        _keep_better(found, number, hit)
    return found


def _family_hits(
    snapshot: Snapshot, kind: Kind, codes: Iterable[CodeInText], spans: Sequence[Span] | None
) -> dict[int, _CodeHit]:
    """By number where codes that stand nowhere by themselves stand with a subcode (8011 in 8011[15])."""
    found: dict[int, _CodeHit] = {}
    statement = _FAMILY.format(prefix=kind.prefix, where=_within("posting", spans, shift=8), limit=_CHOSEN)
    for code in codes:
        for _, number, strength in snapshot.rows(statement, [f"{code.key}.", f"{code.key}/"]):
            _keep_better(found, number, _CodeHit(FAMILY_SCORE * CODE_SCORES[strength], code.text))
    return found


def _range_hits(
    snapshot: Snapshot, kind: Kind, question: Question, spans: Sequence[Span] | None
) -> dict[int, _CodeHit]:
    """By number the printed range or wildcard that stands for a code of the question."""
    found: dict[int, _CodeHit] = {}
    ranges = snapshot.code_ranges(kind.prefix)
    for code in question.codes if ranges else ():
        for printed, number in (one for head in beginnings(code.key) for one in ranges.get(head, ())):
            if spans is not None and not any(number in span for span in spans):
                continue
            fitting = [one for one in printed_code(printed).ranges if one.matches(code.key)]
            if fitting:
                narrow = min(one.high - one.low for one in fitting) <= _WIDE
                _keep_better(found, number, _CodeHit(_RANGE_SCORE if narrow else _WILDCARD_SCORE, printed))
    return found


def _keep_better(found: dict[int, _CodeHit], number: int, hit: _CodeHit) -> None:
    if number not in found or found[number].score < hit.score:
        found[number] = hit
