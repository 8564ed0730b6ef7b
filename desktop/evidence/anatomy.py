"""A manual section taken apart: what its code means, why, what to do in which order, what to beware of, which parts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from desktop.domain.ledger import ManualSection
from desktop.domain.text import fold


class Label(StrEnum):
    MEANING = "meaning"
    CAUSE = "cause"
    REMEDY = "remedy"
    SAFETY = "safety"
    PARTS = "parts"
    OTHER = "other"


_LABELS = {
    Label.MEANING: "意味|内容|現象|症状|概要|説明|状態|名称|表示内容|detail|meaning|description|symptom",
    Label.CAUSE: "(?:考えられる|推定|主な)?原因|要因|(?:possible |probable )?causes?|reasons?",
    Label.REMEDY: "(?:処置|対処|対策|処理|復旧|解除)(?:方法|手順|内容)?|確認(?:事項|箇所)|手順|作業"
    "|remed(?:y|ies)|solutions?|(?:corrective )?actions?|countermeasures?|how to fix|troubleshooting|what to do",
    Label.SAFETY: "安全(?:上の注意)?|注意(?:事項)?|警告|危険|caution|warning|danger|safety",
    Label.PARTS: "(?:使用|交換|関連|必要)?部品(?:番号)?|parts?",
}
_LABEL = re.compile(
    r"^[\s■●◆□○・*#]*[【\[<〈]?(?:(?:alarm|error|fault|アラーム|エラー|異常)[の ]?)?(?:"
    + "|".join(f"(?P<{label}>{words})" for label, words in _LABELS.items())
    + r")[】\]>〉]?[ 　]*(?:[:：]|$)[ 　]*",
    re.IGNORECASE,
)
_STEP = re.compile(
    r"^[ 　]*(?P<label>[(（]?\d{1,2}[)）.．、](?!\d)|[①-⑳]|[(（][a-zａ-ｚア-ン][)）]|手順[ 　]?\d{1,2}|step[ ]?\d{1,2})"
    r"[ 　:：.]*(?P<text>.*)$",
    re.IGNORECASE,
)
_BULLET = re.compile(r"^[ 　]*[-–・•●*※][ 　]*(?P<text>.+)$")
_ROW = re.compile(r"\s\|\s")
_COLUMNS = re.compile(r"[^、。]+[ 　][^、。]+[ 　][^、。]+")
_FIELD = re.compile(r"^[^：:、。]{1,12}：\S")
_ONLY_REFERENCE = re.compile(r"[\d.．\-第章節項参照→ ]+(?:を?(?:見る|参照))?。?")
_FULL_SHARE = 0.85
_ENDED = re.compile(r"[。．.!！?？:：)）]$")


@dataclass(frozen=True, slots=True)
class Item:
    """One statement as printed: its own number or "" and its words, which are a substring of the body when squeezed."""

    label: str
    text: str
    numbered: bool = False


@dataclass(frozen=True, slots=True)
class Anatomy:
    """A section's statements under their labels, each in printed order."""

    items: tuple[tuple[Label, Item], ...]

    def of(self, label: Label) -> tuple[Item, ...]:
        return tuple(item for kind, item in self.items if kind is label)

    @property
    def steps(self) -> tuple[Item, ...]:
        """What to do: the labelled remedy, else numbered statements under no label; never a mere reference (5.2)."""
        remedy = tuple(item for item in self.of(Label.REMEDY) if not _ONLY_REFERENCE.fullmatch(item.text))
        return remedy or tuple(item for item in self.of(Label.OTHER) if item.numbered)

    def has(self, label: Label) -> bool:
        return any(kind is label for kind, _ in self.items)


@lru_cache(maxsize=512)
def anatomy(section: ManualSection) -> Anatomy:
    return Anatomy(tuple(_items(section.body.split("\n"))))


def _items(lines: Sequence[str]) -> Iterator[tuple[Label, Item]]:
    """Every statement with the label it stands under; a wrapped line is joined to the one it goes on from."""
    full = max((len(line) for line in lines), default=0) * _FULL_SHARE
    label, item, last = Label.OTHER, None, ""
    for line in lines:
        found = _LABEL.match(line)
        rest = line[found.end() :] if found else line
        started = _started(rest)
        if item and not found and started is None and _goes_on(last, line, full):
            item, last = Item(item.label, _joined(item.text, rest.strip()), item.numbered), line
            continue
        if item:
            yield label, item
        label = Label(str(found.lastgroup)) if found else label
        item, last = (started or Item("", rest.strip())) if rest.strip() else None, line
    if item:
        yield label, item


def _started(line: str) -> Item | None:
    if match := _STEP.match(line):
        return Item(match["label"].strip(), match["text"].strip(), numbered=True)
    if match := _BULLET.match(line):
        return Item("・", match["text"].strip())
    return None


def _goes_on(last: str, line: str, full: float) -> bool:
    """Whether `last` was broken by the edge of the page: nearly as long as the longest line, and no sentence's end."""
    broken = len(last) >= full and not _ENDED.search(last) and not is_row(last)
    return broken and bool(line.strip()) and not is_row(line) and not _FIELD.match(line)


def _joined(left: str, right: str) -> str:
    return f"{left} {right}" if left[-1:].isascii() and right[:1].isascii() else left + right


def is_row(line: str) -> bool:
    """Whether a line is a table's row: columns parted by bars, or (in a PDF's text) by spaces without any comma."""
    return bool(_ROW.search(line) or _COLUMNS.fullmatch(line.strip()))


def row_field(section: ManualSection, names: str) -> str:
    """The value of a code table row's column (処置：5.2), "" where it has none; `names` is a regular expression."""
    for line in section.body.split("\n"):
        name, colon, value = line.partition("：")
        if colon and re.fullmatch(names, fold(name)):
            return value.strip()
    return ""
