"""Where an answer says otherwise than what was returned to the model: a comparison of words, not of sense.

It finds the plain cases: a thing denied that was found, a thing affirmed that was not, another value in a unit that
the papers use, and a code explained in words that its papers mostly don't have.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from desktop.agent.events import ToolFinished
from desktop.domain.answer import Evidence, Resolution, Scope
from desktop.domain.text import find_codes, shape
from desktop.evidence.claims import Claim, ClaimKind, Sentence, keys_of, sentences
from desktop.evidence.quotes import source_text
from desktop.evidence.words import bigrams, segments

_DENIES = re.compile(
    "ありません|見つかりません|見つからな[いか]|見当たりません|見当たらない|存在し(?:ない|ません)|載ってい(?:ない|ません)"
    "|(?:記載|登録|該当)(?:は|が)?ない|台帳になし|not found|does not exist|no such"
)
_SOURCES = re.compile(
    "マニュアル|台帳|保全記録|記録|資料|情報|該当|登録|記載|エラー|アラーム|コード|検索|結果|manual|record|ledger"
)
_SUBJECT = re.compile("[一-龠々]|[ァ-ヴ]{2}|[a-z]{3}")
_UNITS = "mm|cm|μm|m/s|kpa|mpa|pa|bar|n・m|n|kg|mg|g|ml|l/min|l|℃|度|kw|kv|ma|v|a|w|hz|rpm|秒|%"
_MEASURED = re.compile(rf"^[0-9.]+({_UNITS})$")
_EXPLAINS = re.compile(r"^(?:の?(?:エラー|アラーム|コード|意味)*)?\s*(?:は|とは|：|:|means|is\b)")
_OTHER = "別設備"
_SHARED = 0.6  # of all pairs of letters in an explanation's words: less, and it is not what the papers say


@dataclass(frozen=True, slots=True)
class Returned:
    """What a model was given: texts of found things, and the keys of codes and ids that were looked up in vain."""

    texts: tuple[str, ...] = ()
    missing: frozenset[str] = frozenset()


def returned(calls: Iterable[ToolFinished], facts: Evidence, resolution: Resolution | None) -> Returned:
    """From the results of its tools and from the facts it was told; `resolution` only where it was told of it."""
    texts = [source_text(item.source) for item in facts.items if item.scope is Scope.OWN]
    missing = {one.key for one in resolution.absent} if resolution else set()
    for call in calls:
        asked = {code.key for value in call.input.values() for code in find_codes(str(value))}
        if call.error is None and call.count:
            texts.append("\n".join(_strings(call.content)))
        else:
            missing |= asked
    found = {key for text in texts for key in keys_of(text).codes}
    return Returned(tuple(texts), frozenset(missing - found))


def contradictions(text: str, given: Returned) -> tuple[str, ...]:
    """The sentences that say otherwise, each once; nothing where nothing was returned."""
    if not given.texts and not given.missing:
        return ()
    return tuple(dict.fromkeys(sentence.text.strip() for sentence in sentences(text) if _differs(sentence, given)))


def _differs(sentence: Sentence, given: Returned) -> bool:
    codes = [claim for claim in sentence.claims if claim.kind is ClaimKind.CODE]
    about = [[text for text in given.texts if code.key in keys_of(text).codes] for code in codes]
    if _OTHER in sentence.text:
        return False
    if _DENIES.search(shape(sentence.text)):
        return any(about) and _denies_itself(sentence, codes)
    if any(code.key in given.missing for code in codes):
        return True
    if any(_is_explained_otherwise(sentence, code, codes, papers) for code, papers in zip(codes, about, strict=True)):
        return True
    return any(_is_another_value(claim, given.texts) for claim in sentence.claims)


def _is_explained_otherwise(sentence: Sentence, code: Claim, codes: Sequence[Claim], papers: Sequence[str]) -> bool:
    """「E-12は電源の異常」 where the papers on E-12 have few of the words."""
    words = _words(sentence, codes)
    behind = sentence.text[code.end - sentence.start :].lstrip("」』 ")
    if not papers or not words or not _EXPLAINS.match(behind):
        return False
    known, said = bigrams("\n".join(papers)), [pair for word in words for pair in bigrams(word)]
    return sum(pair in known for pair in said) < _SHARED * len(said)


def _denies_itself(sentence: Sentence, codes: Sequence[Claim]) -> bool:
    """「E-12は記載がありません」, but not 「E-12の在庫はありません」: nothing but the code is said to be missing."""
    rest = _SOURCES.sub(" ", _DENIES.sub(" ", shape(_without_names(sentence, codes))))
    return not _SUBJECT.search(rest)


def _words(sentence: Sentence, codes: Sequence[Claim]) -> tuple[str, ...]:
    """What the sentence says beside codes and references."""
    return tuple(word for word in segments(_without_names(sentence, codes)) if len(word) > 1)


def _without_names(sentence: Sentence, codes: Sequence[Claim]) -> str:
    text = sentence.text
    refs = [claim for claim in sentence.claims if claim.kind is ClaimKind.REF]
    for claim in sorted((*codes, *refs), key=lambda one: -one.start):
        text = f"{text[: claim.start - sentence.start]} {text[claim.end - sentence.start :]}"
    return text


def _is_another_value(claim: Claim, texts: Sequence[str]) -> bool:
    unit = _MEASURED.match(claim.key) if claim.kind is ClaimKind.QUANTITY else None
    if unit is None:
        return False
    known = {key for text in texts for key in keys_of(text).quantities}
    units = {match[1] for key in known if (match := _MEASURED.match(key))}
    return unit[1] in units and claim.key not in known


def _strings(tree: Any) -> Iterator[str]:
    match tree:
        case str():
            yield tree
        case dict():
            for value in tree.values():
                yield from _strings(value)
        case list() | tuple():
            for value in tree:
                yield from _strings(value)
