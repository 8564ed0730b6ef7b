"""How well a section or a record answers a question, from 0 to 1, and why."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from desktop.domain.ledger import MaintenanceRecord, ManualSection
from desktop.domain.text import fold, fold_code, printed_code
from desktop.evidence.troubles import codes_told
from desktop.evidence.words import squeeze

STRONG = 0.7
CERTAIN = 0.9
NOISE = 0.2
_RANGE = 0.95
_ALL_TOGETHER = 0.72  # every one of several words, wherever they stand
_MENTIONED = 0.6  # the code stands in the text of something else
_IN_HEADING, _IN_BODY = 1.0, 0.62
_IN_SYMPTOM, _IN_REST = 1.0, 0.75
_NOUN_VERB = re.compile("^([一-龠々]{2,})(?:シ|ス|サ|セ|デキ)[ァ-ヴ]*$")
_SOUND = re.compile("([ァ-ヴー]{2,3})\\1(?:音|と?(?:鳴る|いう|言う))?|[ァ-ヴー]{2,6}音")
_KANJI_VERB = re.compile("^([一-龠々]+[ァ-ヴ])[ァ-ヴ]*$")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a question asks of the papers: codes by key (with their words), and words each with its other names."""

    codes: Mapping[str, str]
    words: Sequence[tuple[str, tuple[str, ...]]]

    def __bool__(self) -> bool:
        return bool(self.codes or self.words)


@dataclass(frozen=True, slots=True)
class Relevance:
    score: float
    reason: str


def wanted(codes: Mapping[str, str], words: Iterable[str], same: Mapping[str, tuple[str, ...]]) -> Wanted:
    """Words with what the plant's synonym list calls them; 詰まった and 詰まり are one by their stem."""
    by_stem: dict[str, set[str]] = {}
    for word, others in same.items():
        by_stem.setdefault(stem(word), set()).update(others)
    return Wanted(codes, [(word, tuple(sorted(by_stem.get(stem(word), set()) - {word}))) for word in words])


def noise(word: str) -> set[str]:
    """What a log calls a sound that is written as it is heard (キュルキュル); a manual may write it so itself."""
    return {"異音"} if _SOUND.fullmatch(word) else set()


def of_section(section: ManualSection, asked: Wanted) -> Relevance:
    """1.0 = the section is about the code; words count more in the heading than in the body."""
    by_code = _code_relevance(section, asked)
    if by_code.score >= _RANGE or not asked.words:
        return by_code
    heading, body = squeeze(section.heading), squeeze(section.body)
    by_words = _coverage(asked, ((heading, _IN_HEADING), (body, _IN_BODY)))
    return max(by_code, by_words, key=lambda found: found.score)


def of_record(record: MaintenanceRecord, asked: Wanted) -> Relevance:
    """1.0 = the record has the code; words count most in its symptom."""
    key = fold_code(record.error_code)
    if key and key in asked.codes:
        return Relevance(1.0, f"コード{asked.codes[key]}の記録")
    if told := next((asked.codes[one] for one in sorted(codes_told(record)) if one in asked.codes), ""):
        return Relevance(1.0, f"現象欄にコード{told}")
    if not asked.words:
        return Relevance(0.0, "")
    rest = squeeze(" ".join((record.cause, record.action, record.parts)))
    heard = Wanted(asked.codes, [(word, (*others, *sorted(noise(word)))) for word, others in asked.words])
    return _coverage(heard, ((squeeze(record.symptom), _IN_SYMPTOM), (rest, _IN_REST)))


@lru_cache(maxsize=4096)
def stem(word: str) -> str:
    """A word's unchanging beginning: 詰まった and 詰まり give 詰マ, 着火しない 着火, ずれる ズレ; nouns stay whole."""
    form = squeeze(word)
    if match := _NOUN_VERB.match(form) or _KANJI_VERB.match(form):
        return match[1]
    if len(form) > 2 and all("ァ" <= char <= "ヴ" for char in form) and _typed_in_hiragana(word):
        return form[:2]
    return form


def _typed_in_hiragana(word: str) -> bool:
    return all("ぁ" <= char <= "ん" for char in word)


def _code_relevance(section: ManualSection, asked: Wanted) -> Relevance:
    if not asked.codes:
        return Relevance(0.0, "")
    best = Relevance(0.0, "")
    for printed in section.codes:
        code = printed_code(printed)
        for key, text in asked.codes.items():
            if key in code.keys:
                return Relevance(1.0, f"コード{text}の章")
            if code.matches(key):
                best = Relevance(_RANGE, f"コード{text}は{printed}に含まれる")
    if best.score:
        return best
    body = fold(f"{section.heading} {section.body}")
    said = [text for text in asked.codes.values() if _stands_in(fold(text), body)]
    return Relevance(_MENTIONED, f"文中に{'、'.join(said)}") if said else best


def _stands_in(code: str, text: str) -> bool:
    return bool(re.search(rf"(?<![a-z0-9]){re.escape(code)}(?![a-z0-9-])", text))


def _coverage(asked: Wanted, fields: Sequence[tuple[str, float]]) -> Relevance:
    """The share of the asked words that the fields hold, longer words weighing more."""
    total, found, reasons = 0.0, 0.0, []
    n_held = 0
    for word, others in asked.words:
        weight = min(len(stem(word)), 6) ** 0.5
        total += weight
        held, via = max(((support(form, fields), form) for form in (word, *others)), key=lambda one: one[0])
        found += weight * held
        n_held += bool(held)
        if held:
            reasons.append(f"「{via}」" if via == word else f"「{via}」（{word}）")
    score = found / total if total else 0.0
    if n_held == len(asked.words) > 1:
        score = max(score, _ALL_TOGETHER)
    return Relevance(round(score, 3), "語" + "".join(reasons) if reasons else "")


def support(word: str, fields: Sequence[tuple[str, float]], least: float = 0.5) -> float:
    """What a word is worth in the fields that hold it: whole, or by its bigrams if at least that share of them is."""
    form = stem(word)
    whole = max((worth for text, worth in fields if form in text), default=0.0)
    if whole or len(form) < 4:
        return whole
    pairs = {form[at : at + 2] for at in range(len(form) - 1)}
    parts = max(worth * sum(pair in text for pair in pairs) / len(pairs) for text, worth in fields)
    return parts if parts >= least else 0.0
