"""The second look: what is missing, and the plant's own words to ask for it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from desktop.domain.answer import EvidenceItem, Gap
from desktop.domain.ledger import MaintenanceRecord, ManualSection
from desktop.evidence.anatomy import Label, anatomy, row_field
from desktop.evidence.gathering import Gathering
from desktop.evidence.ranking import STRONG, Relevance, Wanted
from desktop.evidence.words import bigrams, segments

_LEARNED_FROM = 3
_LEARNED = 4
_GAP_WORDS = {
    Gap.MEANING: "意味",
    Gap.CAUSE: "原因",
    Gap.REMEDY: "処置",
    Gap.SAFETY: "安全 遮断",
    Gap.PART: "部品",
    Gap.HISTORY: "",
}
_UNIT = r"\s*(?:mm|MPa|N|kg|A|V|秒|分|%|％|mL|L|℃|～|~)"
_REFERENCE = re.compile(rf"(?<![0-9.])(\d{{1,2}}(?:\.\d{{1,2}}){{1,3}})(?![0-9.]*\d|{_UNIT})|第\s*(\d{{1,2}})\s*章")


def gaps(gathering: Gathering) -> tuple[Gap, ...]:
    """What the strong hits of this machine don't have."""
    strong = gathering.strong()
    parts = [anatomy(item.source) for item in strong if isinstance(item.source, ManualSection)]
    held = {
        Gap.MEANING: any(one.has(Label.MEANING) for one in parts),
        Gap.CAUSE: any(one.has(Label.CAUSE) for one in parts),
        Gap.REMEDY: any(one.steps for one in parts),
        Gap.SAFETY: any(one.has(Label.SAFETY) for one in parts),
        Gap.PART: any(one.has(Label.PARTS) for one in parts),
        Gap.HISTORY: any(isinstance(item.source, MaintenanceRecord) for item in strong),
    }
    return tuple(gap for gap, filled in held.items() if not filled)


def refine(gathering: Gathering, asked: Wanted, missing: Iterable[Gap]) -> None:
    """Asks for the gaps in the plant's own words; without any hit, in the words of this machine's papers."""
    strong = gathering.strong()
    if not strong:
        words = _nearest_words(gathering, asked)
        if words:
            gathering.look_in_manual(" ".join(words), asked, "近い見出し")
            gathering.look_in_records(" ".join(words), asked, words)
        return
    _follow_references(gathering, strong)
    words = _own_words(item.source for item in strong[:_LEARNED_FROM])
    if Gap.HISTORY in missing and words:
        gathering.look_in_records(" ".join(words), asked, words)
    wanted = " ".join(filter(None, (_GAP_WORDS[gap] for gap in missing)))
    if wanted and words:
        gathering.look_in_manual(f"{' '.join(words[:2])} {wanted}", asked, "不足を補う")


def _follow_references(gathering: Gathering, strong: Iterable[EvidenceItem]) -> None:
    """Sections that a strong hit points to by number (2.1の遮断を行い; 処置：5.2)."""
    for item in strong:
        section = item.source
        if not isinstance(section, ManualSection):
            continue
        numbers = {match[1] or match[2] for match in _REFERENCE.finditer(section.body)}
        answered = row_field(section, "処置|対処|参照|対策")
        for other in gathering.sections(section.manual_id) if numbers else ():
            own = {heading.split(" ", 1)[0].strip("第章.．") for heading in other.heading_path}
            if own & numbers and other.ref != section.ref:
                score = item.score if answered.strip("第章 ") in own else STRONG
                relevance = Relevance(score, f"「{section.heading}」から参照")
                gathering.judge(other, relevance, gathering.scope(other))


def _nearest_words(gathering: Gathering, asked: Wanted) -> tuple[str, ...]:
    """Headings of this model and symptoms of this machine that share most bigrams with the question."""
    manuals = gathering.standing
    texts = {section.heading for manual_id in manuals for section in gathering.sections(manual_id)}
    texts |= {record.symptom for record in gathering.snapshot.records_of(gathering.machine.equipment_id)}
    mine = bigrams("".join(word for word, _ in asked.words))
    near = ((len(mine & bigrams(text)), text) for text in texts)
    best = sorted((one for one in near if one[0]), key=lambda one: (-one[0], one[1]))[:2]
    return tuple(dict.fromkeys(word for _, text in best for word in segments(text)))[:_LEARNED]


def _own_words(sources: Iterable[ManualSection | MaintenanceRecord]) -> tuple[str, ...]:
    """The plant's own words for the trouble: from headings of sections, symptoms and causes of records."""
    words: list[str] = []
    for source in sources:
        text = source.heading if isinstance(source, ManualSection) else f"{source.symptom} {source.cause}"
        words += [word for word in segments(text) if not any(char.isdigit() for char in word)]
    return tuple(dict.fromkeys(words))[:_LEARNED]
