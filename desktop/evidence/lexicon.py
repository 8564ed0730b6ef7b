"""Every name of the ledger in its search form, and whose it is."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

from desktop.domain.ledger import Equipment, Part
from desktop.domain.text import find_codes, fold_code, shape
from desktop.evidence.words import squeeze
from desktop.store.snapshot import Snapshot

Ids = tuple[str, ...]

_NUMBERED = re.compile(r"^(?:no\.?)?\d+(?:号機|号|番|#)?|(?:no\.?|#)?\d+(?:号機|号|番)?$")
_KIND_OF = re.compile("(?<=[一-龠々]{2})(?:機械|機|装置|器)$")
_BRACKETS = re.compile(r"[(（][^)）]*[)）]")
_LINE_WORDS = re.compile(r"ライン|line|第|番|号|^l(?=\d)|[\s\-_.#]")
_KANJI_DIGITS = str.maketrans("一二三四五六七八九", "123456789")
_SCRIPT_CHANGE = re.compile(r"(?<=[一-龠々])(?=[ァ-ヴa-z0-9])|(?<=[ァ-ヴーa-z])(?=[0-9一-龠々])")
_TOKEN = re.compile(r"[\s　]+")
_LETTERS = re.compile(r"[a-z]+")


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Search form → machines (`parts`: → models).

    `names` settle a machine; `weak` ones (a part of a name) only beside a line or model.
    """

    machines: Mapping[str, Equipment]
    ids: Mapping[str, Ids] = field(default_factory=dict)
    names: Mapping[str, Ids] = field(default_factory=dict)
    weak: Mapping[str, Ids] = field(default_factory=dict)
    lines: Mapping[str, Ids] = field(default_factory=dict)
    line_words: Mapping[str, Ids] = field(default_factory=dict)
    places: Mapping[str, Ids] = field(default_factory=dict)
    models: Mapping[str, Ids] = field(default_factory=dict)
    parts: Mapping[str, Ids] = field(default_factory=dict)
    fixtures: Mapping[str, Ids] = field(default_factory=dict)
    id_letters: frozenset[str] = frozenset()
    model_letters: frozenset[str] = frozenset()
    part_letters: frozenset[str] = frozenset()

    def equipment(self, ids: Iterable[str]) -> tuple[Equipment, ...]:
        return tuple(self.machines[one] for one in ids)


_built: WeakKeyDictionary[Snapshot, Lexicon] = WeakKeyDictionary()


def lexicon_of(snapshot: Snapshot) -> Lexicon:
    """Built once for each snapshot, which never changes."""
    known = _built.get(snapshot)
    if known is None:
        parts = {part.part_number: part for model in snapshot.models() for part in snapshot.parts_for(model)}
        known = _built[snapshot] = build(snapshot.all_equipment(), snapshot.synonyms(), tuple(parts.values()))
    return known


def build(machines: Sequence[Equipment], same: Mapping[str, tuple[str, ...]], parts: Sequence[Part] = ()) -> Lexicon:
    """The lexicon of a ledger; a name with one of its words said in another way names the machine too."""
    names = _gather((alias, one) for one in machines for alias in _full_names(one))
    names = {**_synonymous(names, same), **names}
    weak = _gather((alias, one) for one in machines for alias in _parts_of_names(one))
    lines = _gather((line_key(one.line), one) for one in machines)
    return Lexicon(
        machines={one.equipment_id: one for one in machines},
        ids=_gather((key, one) for one in machines for key in _ids(one)),
        names=names,
        weak={alias: ids for alias, ids in weak.items() if alias not in names},
        lines=lines,
        line_words={word: ids for word, ids in lines.items() if len(word) > 1 and not word.isdigit()},
        places=_gather((word, one) for one in machines for word in _places(one)),
        models=_gather((fold_code(one.model), one) for one in machines),
        fixtures=_gather((code.key, one) for one in machines for code in find_codes("、".join(one.isolation_points))),
        id_letters=frozenset(_letters(one.equipment_id for one in machines)),
        model_letters=frozenset(_letters(one.model for one in machines)),
        parts={fold_code(part.part_number): part.models for part in parts},
        part_letters=frozenset(_letters(part.part_number for part in parts)),
    )


def line_key(line: str) -> str:
    """What tells one line from another: ライン3, 第3ライン, 3番ライン, L3 and Line 3 are "3"; 組立ライン is "組立"."""
    return _LINE_WORDS.sub("", squeeze(line).translate(_KANJI_DIGITS))


def kanji_digits(text: str) -> str:
    return text.translate(_KANJI_DIGITS)


def _gather(pairs: Iterable[tuple[str, Equipment]]) -> dict[str, Ids]:
    found: dict[str, list[str]] = defaultdict(list)
    for key, machine in pairs:
        if key and machine.equipment_id not in found[key]:
            found[key].append(machine.equipment_id)
    return {key: tuple(ids) for key, ids in found.items() if ids}


def _ids(machine: Equipment) -> Iterator[str]:
    yield machine.folded
    if len(serial := fold_code(machine.serial)) > 3 and any(char.isdigit() for char in serial):
        yield serial


def _full_names(machine: Equipment) -> Iterator[str]:
    if not find_codes(machine.equipment_id) and not machine.folded.isdigit():
        yield squeeze(machine.equipment_id)  # an id without a digit (WD-A) reads like a name
    for name in (machine.name, *machine.nicknames):
        for form in (name, _BRACKETS.sub("", name)):
            if len(alias := squeeze(form)) > 1:
                yield alias
    if len(kind := squeeze(_bare(machine.name))) > 1:
        yield kind  # 搬送ロボット names all of 搬送ロボット1号機, 2号機, 3号機


def _parts_of_names(machine: Equipment) -> Iterator[str]:
    """A name without its number (3号ラベル → ラベル), from a change of script (試作3Dプリンタ → プリンタ), sans 機."""
    for name in (machine.name, *machine.nicknames):
        bare = _bare(name)
        changes = [match.start() for match in _SCRIPT_CHANGE.finditer(bare)]
        for part in (*(bare[start:] for start in (0, *changes)), _KIND_OF.sub("", bare)):
            alias = squeeze(part)
            if len(alias) > 1 and not alias.isdigit():
                yield alias


def _bare(name: str) -> str:
    return _NUMBERED.sub("", shape(_BRACKETS.sub("", name)).strip()).strip()


def _places(machine: Equipment) -> Iterator[str]:
    for word in _TOKEN.split(_BRACKETS.sub(" ", machine.location)):
        if len(alias := squeeze(word)) > 2:
            yield alias


def _letters(codes: Iterable[str]) -> Iterator[str]:
    for code in codes:
        if match := _LETTERS.match(fold_code(code)):
            yield match[0]


def _synonymous(names: Mapping[str, Ids], same: Mapping[str, tuple[str, ...]]) -> dict[str, Ids]:
    """充てん機 for 充填機, コンベア for コンベヤ."""
    other: dict[str, list[str]] = defaultdict(list)
    for word, others in same.items():
        form = squeeze(word)
        for name, ids in names.items():
            if len(form) > 1 and form in name:
                for instead in others:
                    other[name.replace(form, squeeze(instead))] += ids
    return {name: tuple(dict.fromkeys(ids)) for name, ids in other.items()}
