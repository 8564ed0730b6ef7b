"""Which manual this is: model, title, revision, what it applies to; from front matter, cover or file name."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from desktop.domain.ledger import AppliesTo
from desktop.domain.text import fold, fold_code
from desktop.importing.blocks import BlockKind, Document

KEYS = {
    "model": ("型番", "型式", "形式", "機種", "機種名", "対象型番", "対象機種", "適用機種", "model", "models"),
    "title": ("表題", "題名", "タイトル", "文書名", "資料名", "title"),
    "revision": ("改訂", "改訂番号", "改訂版", "改版", "版", "版数", "版番号", "revision", "rev", "version", "edition"),
    "applies": (
        "適用",
        "適用号機",
        "適用範囲",
        "対象",
        "対象号機",
        "対象設備",
        "適用製造番号",
        "applies to",
        "applies_to",
    ),
    "state": ("区分", "状態", "status"),
    "cloud": ("社外送信", "社外ai", "cloud_allowed"),
}
_FIELD = re.compile(
    r"(?:^|[\s、,，;；|｜／/（(])\s*([^\s:：、,，;；|｜／/（()）\d][^\s:：、,，;；|｜／/（()）]{0,11})\s*[:：]\s*"
)
_REVISION = re.compile(
    r"(?:改訂|改定|改版)(?:第|版|番号|no\.?)?\s*([0-9]+(?:\.[0-9]+)*|[A-Z]\b)"
    r"|第\s*([0-9]+(?:\.[0-9]+)?)\s*版"
    r"|(?<![A-Za-z])(?:rev(?:ision)?|ver(?:sion)?|edition)[ ._]*([0-9]+(?:\.[0-9]+)*|(?-i:[A-Z])(?![A-Za-z]))"
    r"|[_-](?:r(?=[0-9.]+(?:$|[_ .-]))|v(?=[0-9.]+$))([0-9]+(?:\.[0-9]+)*)"
    r"|初(版)",
    re.IGNORECASE,
)
_PLAIN_REVISION = re.compile(
    r"(?:第|rev\.?|ver\.?|r|v)?\s*([0-9]+(?:\.[0-9]+)*|[A-Z])(?:版|\s|[()（）]|$)", re.IGNORECASE
)
_OLD = re.compile(r"旧版|旧マニュアル|廃版|失効|無効版|obsolete|superseded", re.IGNORECASE)
_MODEL = re.compile(r"(?<![A-Za-z0-9])([A-Z]{1,5}-?[0-9]{1,5}[A-Z0-9]{0,4}(?:-[A-Z0-9]{1,6}){0,2})(?![A-Za-z0-9])")
_SEVERAL = re.compile(r"[、,;；/／・\n]|\s+(?:および|及び|and|&)\s+")
_SERIAL = r"([A-Z0-9][A-Z0-9-]*)"
_SERIALS = re.compile(
    rf"(?:製造番号|製番|機番|シリアル(?:番号)?|s/n|serial(?: no\.?| number)?)\s*[:：]?\s*{_SERIAL}"
    rf"\s*(以降|以後|から|～|〜|~|-|以前|まで)?\s*{_SERIAL}?",
    re.IGNORECASE,
)
_SERIES = re.compile(r"([A-Z]{1,5}-?[0-9xX]{1,5}[A-Z0-9]*)\s*(?:シリーズ|series|全号機|全機種|全機)", re.IGNORECASE)
_IDS = re.compile(
    r"(?:設備(?:ID|番号)|管理番号|号機|equipment(?: id)?)\s*[:：]?\s*((?:[A-Z]{1,4}-?\d+[、,;・ ]*)+)", re.IGNORECASE
)
_DOCUMENT = re.compile("説明書|マニュアル|手順書|要領書|手引き?|ハンドブック|manual|guide|handbook", re.IGNORECASE)
_FILE_LIKE = re.compile(r"\.(?:docx?|xlsx?|pptx?|pdf|indd|fm)$|^microsoft |^untitled|^無題", re.IGNORECASE)
_BRACKETS = str.maketrans("", "", "()[] ")
_APART = " 　\t、,，;；|｜／/"
_COVER_LINES = 40
_COVER_HEAD = 12
_LONGEST_TITLE = 60


@dataclass(frozen=True, slots=True)
class Identity:
    """What a manual says of itself; `sure` = its models were stated, not guessed from a name."""

    models: tuple[str, ...]
    title: str
    revision: str
    old_revision: bool
    applies_to: AppliesTo = field(default_factory=AppliesTo)
    cloud_allowed: bool = False
    sure: bool = True


def identify(document: Document, path: Path, wanted_model: str, known_models: Sequence[str]) -> Identity:
    """Stated facts first (what the person said, front matter, cover lines), then title and file name."""
    cover = _cover(document)
    stated = _stated(document.meta, cover)
    stem = unicodedata.normalize("NFC", path.stem)
    title = _title(document, stated.get("title", "")) or stem
    models, sure = _models(wanted_model or stated.get("model", ""), (title, stem, *cover[:3]), known_models)
    if len(models) == 1 and fold_code(models[0]) not in fold_code(title):
        title = f"{models[0]} {title}"
    applies = unicodedata.normalize("NFKC", stated.get("applies", ""))
    old = any(_OLD.search(text) for text in (stated.get("state", ""), title, stem, *cover[:3]))
    cloud = stated.get("cloud", "").strip().lower() in ("可", "許可", "はい", "true", "yes", "1")
    short = [line for line in cover[:_COVER_HEAD] if len(line) <= _LONGEST_TITLE]  # prose speaks of other versions
    revision = _revision(stated.get("revision", ""), (stated.get("model", ""), title, stem, *short))
    return Identity(models, title, revision, old, parse_applies(applies, models), cloud, sure)


def parse_applies(text: str, models: Sequence[str]) -> AppliesTo:
    """適用 as written: machine ids, a range of serial numbers, model series; 全号機 = the whole model."""
    ids = tuple(
        dict.fromkeys(each for found in _IDS.finditer(text) for each in re.findall(r"[A-Za-z]{1,4}-?\d+", found[1]))
    )
    low = high = ""
    if found := _SERIALS.search(text):
        first, sign, second = found[1], found[2] or "", found[3] or ""
        if sign in ("以前", "まで"):
            high = first
        elif sign:
            low, high = first, second
        else:
            low = high = first
    series = tuple(dict.fromkeys(match[1] for match in _SERIES.finditer(text)))
    if not series and "全号機" in text and not low and not high:
        series = tuple(models)
    return AppliesTo(ids, low, high, series if not (low or high) else ())


def fields_in(line: str) -> list[tuple[str, str]]:
    """The `key：value` pairs that a line consists of, one or several side by side (型番：TL-5　改訂：4)."""
    found = list(_FIELD.finditer(line))
    if not found or line[: found[0].start()].strip():
        return []
    ends = [*(later.start() for later in found[1:]), len(line)]
    pairs = ((one[1], line[one.end() : end].strip(_APART)) for one, end in zip(found, ends, strict=True))
    return [(key, value) for key, value in pairs if value]


def series_key(title: str) -> str:
    """A manual's title without what changes from revision to revision."""
    return fold(_OLD.sub("", _REVISION.sub("", unicodedata.normalize("NFKC", title)))).translate(_BRACKETS).strip()


def revision_key(revision: str) -> tuple[tuple[int, str], ...]:
    """Sorts revisions as people count them: 2 < 10, 1.2 < 1.10, A < B, numbers before letters."""
    parts = re.findall(r"\d+|[A-Za-z]+", unicodedata.normalize("NFKC", revision))
    return tuple((int(part), "") if part.isdigit() else (10**9, part.upper()) for part in parts)


def _cover(document: Document) -> list[str]:
    """The first lines of a document, headings included."""
    lines: list[str] = []
    for block in document.blocks:
        lines += [block.text] if block.kind is BlockKind.HEADING else block.text.split("\n")
        if len(lines) >= _COVER_LINES:
            break
    return [line.strip() for line in lines[:_COVER_LINES] if line.strip()]


def _stated(meta: Mapping[str, str], cover: Iterable[str]) -> dict[str, str]:
    """Front matter, then `key：value` lines of the cover; the first of each wins."""
    pairs = [*meta.items(), *(pair for line in cover for pair in fields_in(line))]
    stated: dict[str, str] = {}
    for key, value in pairs:
        shaped = unicodedata.normalize("NFKC", key).strip().lower()
        for name, words in KEYS.items():
            if shaped in words and value.strip():
                stated.setdefault(name, value.strip())
    return stated


def _title(document: Document, stated: str) -> str:
    """What is stated, else the first heading; in a PDF the cover first, its properties are often a file name."""
    first = next((block.text for block in document.blocks if block.kind is BlockKind.HEADING), "")
    if document.media_type != "application/pdf":
        return stated or first
    lines = (line.strip() for block in document.blocks if block.page == 1 for line in block.text.split("\n"))
    named = next((line for line in lines if _DOCUMENT.search(line) and len(line) <= _LONGEST_TITLE), "")
    return named or (stated if not _FILE_LIKE.search(stated) else "") or first


def _models(stated: str, hints: Sequence[str], known: Sequence[str]) -> tuple[tuple[str, ...], bool]:
    if stated:
        names = [_REVISION.sub("", name).strip(" 　「」()（）") for name in _SEVERAL.split(stated)]
        return tuple(dict.fromkeys(name for name in names if name)), True
    keys = {fold_code(model): model for model in known if model}
    for hint in hints:
        shaped = unicodedata.normalize("NFKC", hint)
        pieces = re.split(r"[^A-Za-z0-9-]+", shaped)
        found = tuple(dict.fromkeys(keys[key] for piece in pieces if (key := fold_code(piece)) in keys))
        if found:
            return found, True
    for hint in hints:
        if found := tuple(
            dict.fromkeys(_MODEL.findall(_REVISION.sub(" ", unicodedata.normalize("NFKC", hint)).upper()))
        ):
            return found, False
    return (), False


def _revision(stated: str, hints: Sequence[str]) -> str:
    if stated and (plain := _PLAIN_REVISION.match(unicodedata.normalize("NFKC", stated).strip())):
        return plain[1]
    for hint in (stated, *hints):
        if found := _REVISION.search(unicodedata.normalize("NFKC", hint)):
            return "1" if found[5] else next(group for group in found.groups() if group)
    return ""
