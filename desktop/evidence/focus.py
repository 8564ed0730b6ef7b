"""Which machine a question means: settled by its names, or several to choose from, or none with suggestions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from desktop.domain.answer import Focus, MentionKind
from desktop.domain.ledger import Equipment, EquipmentStatus
from desktop.domain.text import fold, fold_code
from desktop.evidence.lexicon import Ids, Lexicon
from desktop.evidence.mentions import Named
from desktop.evidence.papers import owners_of
from desktop.evidence.words import bigrams, squeeze
from desktop.store.snapshot import Snapshot

_MOST = 50  # candidates worth keeping; the choice card asks for more words long before
_SUGGESTED = 5
_DIRECT = (MentionKind.EQUIPMENT_ID, MentionKind.RECORD, MentionKind.REQUEST)
_NUMBERS = (MentionKind.RECORD, MentionKind.REQUEST)
_NAMES = (MentionKind.EQUIPMENT_NAME, MentionKind.MODEL)
_WHERE = (MentionKind.LINE, MentionKind.PLACE)
_POINTS_BACK = re.compile(
    "さっき|それ|あれ|その|同じ|前ノ|ヤツ|ホウ|ノ方|直ラナ|ダメ|駄目|変ワラナ|シタガ|シタケド|シテモ|再発|モウ一度"
)


@dataclass(frozen=True, slots=True)
class Past:
    """What a conversation knows: its live focus, a focus that has lapsed, and the machine that was picked."""

    previous: Focus | None = None
    lapsed: Focus | None = None
    preset: str | None = None


class Settler:
    """One question's names turned into a focus; machines of this station's lines come first in every list."""

    def __init__(
        self,
        named: Sequence[Named],
        lexicon: Lexicon,
        snapshot: Snapshot,
        station_lines: Sequence[str],
    ) -> None:
        self._named = named
        self._lexicon = lexicon
        self._snapshot = snapshot
        self._several = False
        self._station_lines = {fold(line) for line in station_lines}

    def settle(self, past: Past) -> Focus:
        unknown = tuple(one.mention.text for one in self._named if self._is_missing(one))
        if unknown:
            return Focus(unresolved=unknown, suggestions=self._suggestions())
        found = self._direct() or self._by_name()
        if found is None:
            return self._without_name(past)
        if not found:
            return Focus(unresolved=self._as_typed(), suggestions=self._suggestions())
        return self._chosen(found, past)

    def _is_missing(self, one: Named) -> bool:
        """A name that must be a machine or a place, and that the ledger doesn't have."""
        kinds = (*_DIRECT, *_NAMES, *_WHERE)
        if one.mention.kind in _NUMBERS and self._names_machine():
            return False
        return one.mention.kind in kinds and not one.ids and not (one.mention.exists and one.mention.kind in _NAMES)

    def _names_machine(self) -> bool:
        """Whether the text names a machine, beside which an unknown number of a paper is only told."""
        return any(one.ids and one.mention.kind in (*_DIRECT, *_NAMES) for one in self._named)

    def _direct(self) -> Ids | None:
        """Machines named by number; one that stands on another line than the one named is asked about."""
        ids = _union(one.ids for one in self._named if one.mention.kind in _DIRECT)
        where = self._where()
        if not ids or where is None or set(ids) <= set(where):
            return ids or None
        names = {self._lexicon.machines[one].name for one in ids}
        return (*ids, *(one for one in where if one not in ids and self._lexicon.machines[one].name in names))

    def _by_name(self) -> Ids | None:
        """Machines that all named kinds, models and places have in common; None where no machine is named."""
        strong = [one for one in self._named if one.mention.kind in _NAMES and not one.weak]
        weak = [one for one in self._named if one.weak]
        chosen = strong or weak
        if not chosen:
            return None
        common = _common(chosen)
        self._several = not common
        ids = common or _union(one.ids for one in chosen)
        where = self._where()
        fits = tuple(one for one in ids if where is None or one in where)
        if not strong or (fits and where is not None):
            return fits
        wider = tuple(one for one in self._longer_names(strong, ids) if where is None or one in where)
        self._several = self._several or bool(wider)
        return (*fits, *wider)

    def _longer_names(self, named: Sequence[Named], ids: Ids) -> Ids:
        """Machines whose name ends in the one typed (シュリンクラベラー for ラベラー): people shorten so.

        They are offered, never taken; none where a code of the question tells that only the very name can be meant.
        """
        if self._names_model():
            return ()
        keys = {one.mention.key for one in named}
        longer = (name for name in self._lexicon.names for key in keys if name.endswith(key) and name != key)
        wider = tuple(one for one in _union(map(self._lexicon.names.__getitem__, longer)) if one not in ids)
        having = set(self._having_codes()) if wider else set()
        return () if having & set(ids) and not having & set(wider) else wider

    def _where(self) -> Ids | None:
        """Machines of every line and place named; None where none is."""
        named = [one.ids for one in self._named if one.mention.kind in _WHERE]
        if not named:
            return None
        lines = _union(one.ids for one in self._named if one.mention.kind is MentionKind.LINE)
        places = _union(one.ids for one in self._named if one.mention.kind is MentionKind.PLACE)
        return tuple(one for one in lines if not places or one in places) if lines else places

    def _without_name(self, past: Past) -> Focus:
        """No machine in the text: the conversation's, narrowed by a line; else those of the line, or of the code."""
        where = self._where()
        if where is None:
            return self._carried(past) or self._of_code(past)
        if past.previous and (again := self._same_kind(past.previous, where)):
            return again
        preset = self._lexicon.machines.get(past.preset or "")
        if preset and preset.equipment_id in where:
            return Focus(equipment=preset)
        having = tuple(one for one in where if one in self._having_codes())
        return Focus(candidates=self._ordered(having or where))

    def _same_kind(self, previous: Focus, where: Ids) -> Focus | None:
        """「3ラインのやつ」: of what was spoken of before, the one on that line."""
        before = (previous.equipment,) if previous.equipment else previous.candidates
        names = {one.name for one in before}
        fits = tuple(one for one in where if self._lexicon.machines[one].name in names)
        alive = self._alive(fits)
        if len(alive) == 1:
            return Focus(equipment=alive[0], carried_over=True)
        return Focus(candidates=alive, carried_over=True) if alive else None

    def _carried(self, past: Past) -> Focus | None:
        preset = self._lexicon.machines.get(past.preset or "")
        if preset:
            return Focus(equipment=preset)
        if past.preset:
            return Focus(unresolved=(past.preset,), suggestions=self._suggestions())
        if past.previous and past.previous.equipment:
            return Focus(equipment=past.previous.equipment, carried_over=True)
        if past.previous and past.previous.candidates:
            return Focus(candidates=past.previous.candidates, carried_over=True)
        return None

    def _of_code(self, past: Past) -> Focus:
        """A bare code or part: the machines that have it, the one last spoken of first; nothing is decided."""
        before = past.lapsed.equipment if past.lapsed else None
        having = self._ordered(self._having_codes())
        if before:
            having = (before, *(one for one in having if one.equipment_id != before.equipment_id))
        return Focus(candidates=having[:_MOST], carried_over=bool(before))

    def _having_codes(self) -> Ids:
        keys = [one.mention.key for one in self._named if one.mention.kind is MentionKind.CODE]
        parts = [model for one in self._named if one.mention.kind is MentionKind.PART for model in one.mention.owners]
        ids: list[Ids] = [self._lexicon.models.get(fold_code(model), ()) for model in parts]
        for key in keys:
            owners = owners_of(self._snapshot, key)
            of_models = _union(self._lexicon.models.get(fold_code(model), ()) for model in owners.models)
            ids.append((*of_models, *(one for one in owners.equipment_ids if one in self._lexicon.machines)))
        return tuple(one.equipment_id for one in self._alive(_union(ids)))

    def _chosen(self, found: Ids, past: Past) -> Focus:
        machines = self._alive(found)
        weak_alone = any(one.weak for one in self._named) and self._where() is None and not self._names_model()
        if len(machines) == 1 and not weak_alone and not self._several:
            return Focus(equipment=machines[0])
        before = past.previous.equipment if past.previous else None
        for known, carried in ((past.preset, False), (before.equipment_id if before else None, True)):
            if known and known in {one.equipment_id for one in machines}:
                return Focus(equipment=self._lexicon.machines[known], carried_over=carried)
        return Focus(candidates=self._ordered(one.equipment_id for one in machines))

    def _names_model(self) -> bool:
        return any(one.mention.kind is MentionKind.MODEL for one in self._named)

    def _alive(self, ids: Iterable[str]) -> tuple[Equipment, ...]:
        """Retired machines are left out where others fit; alone, a retired one is what was meant."""
        machines = self._lexicon.equipment(dict.fromkeys(ids))
        in_use = tuple(one for one in machines if one.status is not EquipmentStatus.RETIRED)
        return in_use or machines

    def _ordered(self, ids: Iterable[str]) -> tuple[Equipment, ...]:
        machines = self._alive(ids)
        first = sorted(machines, key=lambda one: fold(one.line) not in self._station_lines)
        return tuple(first[:_MOST])

    def _as_typed(self) -> tuple[str, ...]:
        """The names that exist but fit no machine together (ライン2のキャッパー)."""
        named = (one for one in self._named if one.mention.kind in (*_NAMES, *_WHERE))
        return ("の".join(one.mention.text for one in named),)

    def _suggestions(self) -> tuple[Equipment, ...]:
        """Machines that part of the words fit, and those whose id or name is nearly what was typed; never taken."""
        named = _union(one.ids for one in self._named if one.mention.kind in (*_DIRECT, *_NAMES))
        close = dict.fromkeys(text for one in self._named for text in one.mention.suggestions)
        lexicon = self._lexicon
        near = _union(lexicon.ids.get(fold_code(one)) or lexicon.names.get(squeeze(one), ()) for one in close)
        ids = (*named, *near) or self._nearest()
        return self._ordered(ids)[:_SUGGESTED] if ids else ()

    def _nearest(self) -> Ids:
        """Machines whose name shares most pairs of characters with the words that nobody has."""
        typed = bigrams("".join(one.mention.text for one in self._named if one.mention.kind in _NAMES))
        shared = {name: sum(name.find(pair) >= 0 for pair in typed) for name in self._lexicon.names}
        best = max(shared.values(), default=0)
        return _union(self._lexicon.names[name] for name, n in shared.items() if n == best) if best else ()


def points_back(question: str) -> bool:
    """Whether the words lean on what was said before (さっきの, 清掃したが直らない)."""
    return bool(_POINTS_BACK.search(fold(question)))


def _union(ids: Iterable[Ids]) -> Ids:
    return tuple(dict.fromkeys(one for some in ids for one in some))


def _common(named: Sequence[Named]) -> Ids:
    first, *others = named
    return tuple(one for one in first.ids if all(one in other.ids for other in others))
