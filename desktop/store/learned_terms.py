"""Words that this plant's log and its manuals use for the same trouble, learned when a snapshot is built.

A manual's heading and the log's symptoms under the same code of the same model speak of one thing in two vocabularies
(閉塞, 詰まり). Words that meet so under several codes, and rarely apart, are taken for each other.
"""

from __future__ import annotations

import csv
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from itertools import product

from desktop.domain.text import fold, fold_code
from desktop.store.duck import Connection
from desktop.store.search_question import content_words

UNLEARNED = "unlearned"
"""The plant list whose lines (word,other) are not to be learned again."""

_MOST_GROUPS = 20_000
_FEWEST_CODES = 2
_FEWEST_RECORDS = 2
_ALIKE = 0.6
_OTHERS_A_WORD = 3

_SYMPTOMS = f"""
    SELECT codes.key, model, list(symptom)[1:20]
    FROM scratch.record_codes AS codes
    JOIN scratch.numbered USING (arrival)
    JOIN equipment ON equipment.key = equipment_key
    WHERE strength = 3 AND symptom <> ''
    GROUP BY codes.key, model HAVING count(*) >= {_FEWEST_RECORDS}
    ORDER BY count(*) DESC, codes.key, model LIMIT {_MOST_GROUPS}"""
_HEADINGS = """
    SELECT key, unnest(models), heading_shape
    FROM scratch.section_codes JOIN sections USING (section_no) WHERE strength = 3"""
_UNLEARNED = "SELECT content FROM plant_lists WHERE kind = ?"
_WRITE = "INSERT INTO learned_terms VALUES (?, ?, ?)"


def learn(connection: Connection) -> None:
    """Fills learned_terms from the finished tables of a build."""
    headings: dict[tuple[str, str], set[str]] = defaultdict(set)
    for key, model, heading in connection.execute(_HEADINGS).fetchall():
        headings[key, fold_code(model)].update(_words(heading))
    groups = (
        (_said_often(symptoms), headings[key, fold_code(model)])
        for key, model, symptoms in connection.execute(_SYMPTOMS).fetchall()
        if (key, fold_code(model)) in headings
    )
    forbidden = {pair for row in connection.execute(_UNLEARNED, [UNLEARNED]).fetchall() for pair in _pairs(row[0])}
    rows = [row for row in learned(groups) if (fold(row[0]), fold(row[1])) not in forbidden]
    if rows:
        connection.executemany(_WRITE, rows)


def learned(groups: Iterable[tuple[set[str], set[str]]]) -> Iterator[tuple[str, str, float]]:
    """From (words of the log, words of the manual) under each code: word, other word, likeness 0 to 1; both ways."""
    spoken: Counter[str] = Counter()
    printed: Counter[str] = Counter()
    together: Counter[tuple[str, str]] = Counter()
    for log, manual in groups:
        spoken.update(log)
        printed.update(manual)
        together.update((one, other) for one, other in product(log - manual, manual - log))
    best: dict[str, list[tuple[float, str]]] = defaultdict(list)
    for (one, other), count in together.items():
        likeness = count / (spoken[one] * printed[other]) ** 0.5
        if count >= _FEWEST_CODES and likeness >= _ALIKE:
            best[one].append((likeness, other))
            best[other].append((likeness, one))
    for word, others in sorted(best.items()):
        yield from ((word, other, likeness) for likeness, other in sorted(others, reverse=True)[:_OTHERS_A_WORD])


def _said_often(symptoms: Iterable[str]) -> set[str]:
    said = Counter(word for symptom in symptoms for word in _words(symptom))
    return {word for word, count in said.items() if count >= _FEWEST_RECORDS}


def _words(text: str) -> set[str]:
    """The words of a text; of compounds of kanji (配管閉塞) the halves, which is how such words are made."""
    found = set(content_words(text))
    for word in tuple(found):
        if len(word) >= 4 and len(word) % 2 == 0 and all("一" <= char <= "鿿" for char in word):
            found.remove(word)
            found.update(word[at : at + 2] for at in range(0, len(word), 2))
    return found


def _pairs(content: str) -> Iterator[tuple[str, str]]:
    for row in csv.reader(content.splitlines()):
        if len(row) > 1:
            yield fold(row[0].strip()), fold(row[1].strip())
            yield fold(row[1].strip()), fold(row[0].strip())
