"""Hazard rules: when the lock-out block stands above the steps, what it says, and what is never given."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from desktop.domain.ledger import Equipment
from desktop.domain.text import fold

NO_ISOLATION = "遮断点：台帳に登録なし"
_SENTENCE_END = re.compile(r"[。．！？!?\n\r]+")
_SPACE_IN_JAPANESE = re.compile("(?<=[^ -~]) | (?=[^ -~])")
_NEAR = 20  # characters between an act and the words that prohibit it (短絡したり、外したりして運転してはならない)


@dataclass(frozen=True, slots=True)
class LockoutStep:
    """One line of step 0; `text` may hold {isolation}, {residual} or {protection}; `source` is a key of sources."""

    text: str
    source: str


@dataclass(frozen=True, slots=True)
class EnergyRule:
    """What an energy named in the ledger leaves behind, and who may work on it; "" = nothing of its own."""

    words: tuple[str, ...]
    residual: str = ""
    protection: str = ""


@dataclass(frozen=True, slots=True)
class Ban:
    """Something that is never given: a thing and an act in one sentence; `refusal` is a sentence without its stop."""

    name: str
    refusal: str
    source: str
    things: re.Pattern[str]
    acts: re.Pattern[str]


@dataclass(frozen=True, slots=True)
class Forbidden:
    """A sentence at [start, end) of the text that gives what a ban forbids."""

    start: int
    end: int
    ban: Ban


@dataclass(frozen=True, slots=True)
class SafetyRules:
    """The plant's rules as of `revised`; `confirmed_by` "" = nobody at the plant has confirmed them yet.

    `stand_in`: these are the shipped rules, because the plant's own could not be read.
    """

    revised: date
    confirmed_by: str
    sources: Mapping[str, str]
    work_words: tuple[str, ...]
    steps: tuple[LockoutStep, ...]
    energies: tuple[EnergyRule, ...]
    no_energy: EnergyRule
    bans: tuple[Ban, ...]
    harmless: re.Pattern[str]
    prohibition: re.Pattern[str]
    stand_in: bool = False

    def implies_work(self, text: str) -> bool:
        """Whether the text speaks of hands on the machine: covers, blades, air, heat, replacing, cleaning."""
        folded = fold(text)
        return any(word in folded for word in self.work_words)

    def lockout(self, equipment: Equipment) -> tuple[str, ...]:
        """Step 0 for this machine, in its order, each line ending in the source of its rule."""
        fills = {
            "isolation": "、".join(equipment.isolation_points) or NO_ISOLATION,
            "residual": "、".join(self._of_energies(equipment, "residual")) or self.no_energy.residual,
            "protection": "、".join(self._of_energies(equipment, "protection")) or self.no_energy.protection,
        }
        return tuple(f"{step.text.format_map(fills)}（{step.source}）" for step in self.steps)

    def brief(self, equipment: Equipment) -> tuple[str, ...]:
        """At most four lines: energies, isolation points, the order of step 0, and how far the rules are confirmed."""
        energies = "、".join(equipment.energies) or "台帳に登録なし。すべてのエネルギーがあるものとして扱う"
        points = "、".join(equipment.isolation_points)
        isolation = f"遮断点：{points}" if points else f"{NO_ISOLATION}。確かめるまで作業しない"
        order = "→".join(step.text.split("：", 1)[0] for step in self.steps)
        standing = "" if self.confirmed_by else "（工場で要確認）"
        standing = "（工場の規則を読めないため同梱の規則）" if self.stand_in else standing
        rules = f"安全規則 {self.revised.isoformat()}版{standing}"
        return (f"エネルギー：{energies}", isolation, f"作業の前に：{order}", rules)

    def with_bans_of(self, other: SafetyRules) -> SafetyRules:
        """These rules, which refuse what the other ones refuse too."""
        return replace(self, bans=(*self.bans, *other.bans), sources={**other.sources, **self.sources})

    def forbidden(self, text: str) -> Iterator[Forbidden]:
        """Every sentence of the text that gives what a ban forbids; a prohibition of it is no offence."""
        for start, end in _sentences(text):
            sentence = self.harmless.sub(" ", _compared(text[start:end]))
            for ban in self.bans:
                if self._broken(ban, sentence):
                    yield Forbidden(start, end, ban)
                    break

    def refusal(self, text: str) -> Ban | None:
        """The first ban that the text asks to break."""
        return next((found.ban for found in self.forbidden(text)), None)

    def prohibits(self, ban: Ban, text: str) -> bool:
        """Whether the text itself forbids what the ban does (安全カバーのスイッチを短絡してはなりません)."""
        sentence = _compared(text)
        acts = (self.prohibition.match(sentence, match.end()) for match in ban.acts.finditer(sentence))
        return bool(ban.things.search(sentence)) and any(acts)

    def _broken(self, ban: Ban, sentence: str) -> bool:
        things = [match.span() for match in ban.things.finditer(sentence)]
        if not things:
            return False
        acts = [m.span() for m in ban.acts.finditer(sentence) if not self.prohibition.match(sentence, m.end())]
        return any(act_end <= start or end <= act_start for start, end in things for act_start, act_end in acts)

    def _of_energies(self, equipment: Equipment, what: str) -> tuple[str, ...]:
        named = fold("、".join(equipment.energies))
        found = (getattr(rule, what) for rule in self.energies if any(word in named for word in rule.words))
        return tuple(dict.fromkeys(text for text in found if text))


def read_rules(table: Mapping[str, Any]) -> SafetyRules:
    """The rules of a parsed safety_rules.toml in which `safety_check.faults` finds nothing."""
    harmless = table["harmless"]
    not_done, prohibited = (_any_of(harmless[key]).pattern for key in ("not_done", "prohibited"))
    return SafetyRules(
        revised=table["revised"],
        confirmed_by=table["confirmed_by"],
        sources=dict(table["source"]),
        work_words=tuple(map(fold, table["work"]["words"])),
        steps=tuple(LockoutStep(**step) for step in table["lockout"]),
        energies=tuple(_energy(rule) for rule in table["energy"]),
        no_energy=_energy({"words": [], **table["no_energy"]}),
        bans=tuple(_ban(ban) for ban in table["ban"]),
        harmless=_any_of(harmless["phrases"]),
        prohibition=re.compile(f".?(?:{not_done})|.{{0,{_NEAR}}}?(?:{prohibited})"),
    )


def _energy(rule: Mapping[str, Any]) -> EnergyRule:
    words = tuple(map(fold, rule["words"]))
    return EnergyRule(words, rule.get("residual", ""), rule.get("protection", ""))


def _ban(ban: Mapping[str, Any]) -> Ban:
    return Ban(ban["name"], ban["refusal"], ban["source"], _any_of(ban["things"]), _any_of(ban["acts"]))


def _any_of(words: list[str]) -> re.Pattern[str]:
    """Folding the fragments is safe because they hold no backslashes."""
    return re.compile("|".join(fold(word) for word in words))


def _compared(text: str) -> str:
    """Folded, without the stop at its end and without spaces beside Japanese."""
    return _SPACE_IN_JAPANESE.sub("", fold(_SENTENCE_END.sub("", text)))


def _sentences(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for stop in _SENTENCE_END.finditer(text):
        if text[start : stop.start()].strip():
            yield start, stop.end()
        start = stop.end()
    if text[start:].strip():
        yield start, len(text)
