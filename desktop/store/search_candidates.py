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

_CHOSEN = 40
_ENOUGH_CODED = 10
_RANGE_SCORE = 0.95
_WILDCARD_SCORE = 0.85
_WIDE = 1_000
_FIRST_WORDS = 2
_BEFORE_ALL_WORDS = 100_000


class Kind(Enum):
    """What is searched: its table and columns, how many postings a question may cost, how large a scope is read whole.

    Beyond that the index chooses, which is then quicker.
    """

    SECTION = ("sections", "section", "heading_shape, body_shape, old_revision", 60_000, 400)
    RECORD = ("records", "record", "'', shaped, false", 120_000, 1_500)

    def __init__(
        self, table: str, prefix: Literal["section", "record"], columns: str, budget: int, scanned_whole: int
    ) -> None:
        self.table = table
        self.prefix = prefix
        self.number = f"{prefix}_no"
        self.columns = columns
        self.budget = budget
        self.scanned_whole = scanned_whole


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
_WORDS_OF = """
    SELECT posting >> 8 AS number, (posting & 255) * weight AS impact
    FROM (
        SELECT unnest(postings) AS posting, (CASE {by_term} END)::FLOAT AS weight
        FROM {prefix}_postings WHERE {terms})
    WHERE {where}"""
_BEST = f"""
    SELECT number, sum(impact)::FLOAT AS total FROM ({_WORDS_OF})
    GROUP BY number ORDER BY total DESC, number LIMIT {{limit}}"""
_BEST_CODED = f"""
    WITH coded AS (
        SELECT posting >> 8 AS number, max(posting & 255) AS strength, arg_max(key, posting & 255) AS key
        FROM (SELECT key, unnest(postings) AS posting FROM {{prefix}}_codes WHERE key IN ({{keys}}))
        WHERE {{where}} GROUP BY number)
    SELECT coded.number, {{code_weight}} * any_value(strength) + coalesce(sum(impact), 0)::FLOAT AS total,
        any_value(strength), any_value(key)
    FROM coded LEFT JOIN ({_WORDS_OF}) AS words ON coded.number = words.number
    GROUP BY coded.number ORDER BY total DESC, coded.number LIMIT {{limit}}"""
_CODES = """
    SELECT key, posting >> 8, posting & 255
    FROM (SELECT key, unnest(postings) AS posting FROM {prefix}_codes WHERE key IN ({keys}))
    WHERE {where} LIMIT {limit}"""
_FAMILY = """
    SELECT key, posting >> 8, posting & 255
    FROM (SELECT key, unnest(postings) AS posting FROM {prefix}_codes WHERE key >= ? AND key < ?)
    WHERE {where} LIMIT {limit}"""


def ranked(snapshot: Snapshot, kind: Kind, question: Question, spans: Sequence[Span] | None) -> list[Ranked]:
    """Everything in the spans (None = everywhere) that supports the question, best first."""
    if spans is not None and sum(span.count for span in spans) <= kind.scanned_whole:
        hits = _code_hits(snapshot, kind, question, spans, kind.scanned_whole)
        where = _within(kind.number, spans) if question.words else _one_of(kind, hits)
        return rank(question, _candidates(_rows(snapshot, kind, where, spans), hits, spans))
    every = snapshot.frequencies(kind.prefix)
    frequencies = every.of({*question.terms, *question.spelled})
    numbers, hits = _chosen(snapshot, kind, question, frequencies, spans)
    rows = _rows(snapshot, kind, _one_of(kind, {*numbers, *hits}), spans)
    return rank(question, _candidates(rows, hits, spans or ()), frequencies, every.count)


def _chosen(
    snapshot: Snapshot,
    kind: Kind,
    question: Question,
    frequencies: Mapping[int, int],
    spans: Sequence[Span] | None,
) -> tuple[list[int], dict[int, _CodeHit]]:
    """The texts worth reading closely: those with the code, by their words if they are many; else those by words."""
    hits = _code_hits(snapshot, kind, question, spans, _CHOSEN + 1)
    if len(hits) > _CHOSEN:
        written = {code.key: code.text for code in question.codes}
        best = _best(snapshot, kind, question, frequencies, spans, coded=True)
        return [], {row[0]: _CodeHit(CODE_SCORES[row[2]], written[row[3]]) for row in best}
    if len(hits) >= _ENOUGH_CODED:
        return [], hits
    return [row[0] for row in _best(snapshot, kind, question, frequencies, spans, coded=False)], hits


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
    *,
    coded: bool,
) -> list[Row]:
    """The texts with the most of the question's words: number, total; with `coded`, only those with its code."""
    chosen = _chosen_terms(question, frequencies, kind.budget)
    if not chosen and not coded:
        return []
    count = snapshot.frequencies(kind.prefix).count
    weights = {term: question.terms[term] * rarity(frequencies[term], count) for term in chosen}
    by_term = (f"WHEN {_is_term(term)} THEN {weight:.4f}" for term, weight in weights.items())
    keys = [code.key for code in question.codes] if coded else []
    statement = (_BEST_CODED if coded else _BEST).format(
        prefix=kind.prefix,
        by_term=" ".join(by_term) or "WHEN true THEN 0",
        terms=_one_of_terms(weights),
        keys=",".join("?" * len(keys)),
        code_weight=_BEFORE_ALL_WORDS,
        where=_within("posting", spans, shift=8),
        limit=_CHOSEN,
    )
    return snapshot.rows(statement, keys)


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


def _code_hits(
    snapshot: Snapshot, kind: Kind, question: Question, spans: Sequence[Span] | None, limit: int
) -> dict[int, _CodeHit]:
    """By number the best code of the question that stands in each text of the spans, of about `limit` texts."""
    if not question.codes or spans == []:
        return {}
    written = {code.key: code.text for code in question.codes}
    where = _within("posting", spans, shift=8)
    statement = _CODES.format(prefix=kind.prefix, keys=",".join("?" * len(written)), where=where, limit=limit)
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
