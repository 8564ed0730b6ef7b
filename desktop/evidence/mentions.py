"""The names in a question: machines, lines, places, models, codes, parts, records and requests, found and looked up."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from desktop.domain.answer import Mention, MentionKind
from desktop.domain.folding import shape_with_origin
from desktop.domain.text import CodeInText, find_codes, fold_code
from desktop.evidence.lexicon import Ids, Lexicon, kanji_digits, line_key
from desktop.evidence.papers import owners_of
from desktop.evidence.words import Span, near, squeeze, squeezed
from desktop.store.snapshot import CodeOwners, Snapshot

_LINE_FORMS = (
    re.compile(r"(?:第)?(?<![0-9a-z])([0-9]{1,3}|[a-z])(?:番|号)?(?:ライン|line)"),
    re.compile(r"(?:ライン|line)[-.#]?(?:no\.?|第)?([0-9]{1,3}|[a-z])(?![0-9a-z])(?!号機)"),
    re.compile(r"(?<![a-z0-9])l-?([0-9]{1,2})(?=ノ|$)"),
)
_LINE_NAMED = re.compile(r"([一-龠々ァ-ヴー]{2,8})ライン(?!ナ)")
_ANY_LINE = re.compile(
    "^(?:製造|生産|稼働|全|各|同|当|本|他|別|隣|次|前|後|現場|プロダクション|オンライン|オフ|オン|パイプ)+$"
)
_MACHINE_LIKE = re.compile(
    r"[一-龠々ァ-ヴーa-z0-9]{1,10}(?:機|装置|ロボット|炉|プレス|コンベヤ|コンベア|ボイラー?|プリンター?|クレーン|リフター?)(?!器|能|種|構|会|械)"
)
_NO_MACHINE = re.compile(
    "^(?:待|停|動|危|契|時|転|投|臨|当|同|本|単|全|実|現|各|対象|この|該当|稼働|休止|他)?(?:機|装置)$"
)
_SUBCODE = re.compile(r"([0-9]{3,6}) ?の? ?[\[(［（]([0-9]{1,4})[\])］）]")
_MARKED = re.compile(r"(.*\S)\s*[\[［][0-9]{1,2}[\]］]$")
_BARE_NUMBER = re.compile(
    r"(?<=[でのに、はが\s:：])([0-9]{2,6})(?=\s*(?:$|[がはをでとも、。!！?？]|って|の[\[(原意対処]))"
)
_NUMBERED = re.compile(r"(?:設備(?:id|番号)?|機番|管理番号|機械|装置|no\.?|#)[ :：]*([0-9]{2,8})(?![0-9])")
_LONGEST_NUMBER = 8
_REQUEST = re.compile(r"wr(?:[a-z0-9]{1,6}\.)?[0-9]{4,}(?:\.[0-9]+)?")


@dataclass(frozen=True, slots=True)
class Named:
    """A mention with its place in the question and the machines it may mean; `weak` ones don't settle one alone."""

    mention: Mention
    start: int
    end: int
    ids: Ids = ()
    weak: bool = False


class Finder:
    """Looks one question's names up in one plant."""

    def __init__(self, question: str, lexicon: Lexicon, snapshot: Snapshot, requests: Mapping[str, str]) -> None:
        self._question = question
        self._lexicon = lexicon
        self._snapshot = snapshot
        self._requests = {fold_code(number): owner for number, owner in requests.items()}
        self._squeezed = squeezed(question)
        self._shaped = shape_with_origin(question)
        self._taken: list[Span] = []

    def find(self) -> tuple[Named, ...]:
        """Every name in the order of the question; none overlaps another."""
        found = [
            *self._subcodes(),
            *self._numbered(),
            *self._known_tokens(),
            *self._in(self._lexicon.names, weak=False),
            *self._lines(),
        ]
        found += [*self._places(), *self._other_tokens()]
        found += self._bare_numbers(found)
        if not any(one.ids and one.mention.kind in _MACHINE_NAMES for one in found):
            found += self._in(self._lexicon.weak, weak=True)
        if not any(one.mention.kind in _MACHINE_NAMES for one in found):
            found += self._unknown_machines()
        return tuple(sorted(found, key=lambda one: (one.start, one.end)))

    def _subcodes(self) -> Iterator[Named]:
        """8003の[4]: one code, as 8003[4] is."""
        for match in _SUBCODE.finditer(self._shaped.text):
            if self._take(span := self._shaped.source_span(*match.span())):
                yield self._code(span, fold_code(f"{match[1]}[{match[2]}]"))

    def _numbered(self) -> Iterator[Named]:
        """機番0012: an id that is a bare number, where a word before it says that it is one."""
        for match in _NUMBERED.finditer(self._shaped.text):
            span = self._shaped.source_span(*match.span(1))
            if (ids := self._lexicon.ids.get(match[1])) and self._take(span):
                yield Named(
                    Mention(self._question[slice(*span)], MentionKind.EQUIPMENT_ID, match[1], True, ids), *span, ids
                )

    def _known_tokens(self) -> Iterator[Named]:
        for code in map(self._without_mark, find_codes(self._question)):
            if self._free(code) and (known := self._known(code)):
                self._take((code.start, code.end))
                yield known

    def _without_mark(self, code: CodeInText) -> CodeInText:
        """E-12 of a pasted 「E-12 [1]」, where the mark of a source makes no code that anyone has."""
        head = _MARKED.match(code.text)
        if head is None or owners_of(self._snapshot, code.key):
            return code
        key = fold_code(head[1])
        return replace(code, text=head[1], key=key, end=code.start + len(head[1])) if self._exists(key) else code

    def _exists(self, key: str) -> bool:
        return bool(key in self._lexicon.ids or owners_of(self._snapshot, key))

    def _known(self, code: CodeInText) -> Named | None:
        if ids := self._lexicon.ids.get(code.key):
            return self._named(code, MentionKind.EQUIPMENT_ID, ids)
        if (ids := self._lexicon.models.get(code.key)) and not code.announced:
            return self._named(code, MentionKind.MODEL, ids)
        if (models := self._lexicon.parts.get(code.key)) is not None and not code.announced:
            return self._named(code, MentionKind.PART, (), owners=models)
        owners = owners_of(self._snapshot, code.key)
        if owners:
            return self._code((code.start, code.end), code.key, owners)
        if record := self._snapshot.record(code.text):
            ids = (record.equipment_id,) if record.equipment_id in self._lexicon.machines else ()
            return self._named(code, MentionKind.RECORD, ids, owners=(record.equipment_id,))
        if owner := self._requests.get(code.key):
            return self._named(code, MentionKind.REQUEST, (owner,))
        if order := self._snapshot.open_order(code.text):
            ids = (order.equipment_id,) if order.equipment_id in self._lexicon.machines else ()
            return self._named(code, MentionKind.REQUEST, ids, owners=(order.equipment_id,))
        if ids := self._lexicon.fixtures.get(code.key):
            return self._named(code, MentionKind.EQUIPMENT_NAME, ids)
        return None

    def _lines(self) -> Iterator[Named]:
        text = kanji_digits(self._squeezed.text)
        for pattern in _LINE_FORMS:
            for match in pattern.finditer(text):
                yield from self._line(match.span(), match[1])
        for word, ids in self._lexicon.line_words.items():
            for start, end in self._squeezed.find(word):
                end += len("ライン") if self._squeezed.text.startswith("ライン", end) else 0
                yield from self._place((start, end), MentionKind.LINE, word, ids)
        for match in _LINE_NAMED.finditer(self._shaped.text):
            if not _ANY_LINE.match(match[1]) and self._take(span := self._shaped.source_span(*match.span())):
                yield Named(Mention(self._question[slice(*span)], MentionKind.LINE, line_key(match[0]), False), *span)

    def _line(self, span: Span, key: str) -> Iterator[Named]:
        key = line_key(key)
        ids = self._lexicon.lines.get(key, ())
        if ids or key.isdigit():
            yield from self._place(span, MentionKind.LINE, key, ids)

    def _places(self) -> Iterator[Named]:
        for word, ids in self._lexicon.places.items():
            for span in self._squeezed.find(word):
                yield from self._place(span, MentionKind.PLACE, word, ids)

    def _in(self, names: Mapping[str, Ids], *, weak: bool) -> Iterator[Named]:
        """Longest names first, so that 3号充填 is not taken for 充填."""
        spans = (
            (span, alias) for alias in names if alias in self._squeezed.text for span in self._squeezed.find(alias)
        )
        for span, alias in sorted(spans, key=lambda one: (one[0][0] - one[0][1], one[0])):
            if not weak or self._stands_alone(span):
                for named in self._place(span, MentionKind.EQUIPMENT_NAME, alias, names[alias]):
                    yield Named(named.mention, named.start, named.end, named.ids, weak)

    def _stands_alone(self, span: Span) -> bool:
        """Whether a particle or nothing follows: the ラベル of ラベルがずれる, not the 充填 of 充填量."""
        start, end = self._squeezed.source_span(*span)
        before, after = self._question[start - 1 : start], self._question[end : end + 1]
        return not _WORD_GOES_ON.match(after) and not _WORD_GOES_ON.match(before)

    def _other_tokens(self) -> Iterator[Named]:
        """Tokens that nobody has: their form tells whether a machine, a model, a record or an error code is meant."""
        for code in find_codes(self._question):
            if self._free(code) and not (self._is_no_code(code)):
                self._take((code.start, code.end))
                yield self._absent(code)

    def _is_no_code(self, code: CodeInText) -> bool:
        """3Dプリンタ, 2F, 5S: short words that happen to hold a digit."""
        return not code.announced and (code.key[0].isdigit() and not code.key.isdigit() and len(code.key) < 4)

    def _absent(self, code: CodeInText) -> Named:
        letters = re.match("[a-z]*", code.key)
        prefix = letters[0] if letters else ""
        lexicon = self._lexicon
        known: Mapping[str, Ids] = {}
        kind = MentionKind.CODE
        if _REQUEST.fullmatch(code.key):
            kind = MentionKind.REQUEST
        elif prefix in lexicon.id_letters and not code.announced:
            kind, known = MentionKind.EQUIPMENT_ID, lexicon.ids
        elif prefix in lexicon.model_letters and len(prefix) > 1 and not code.announced:
            kind, known = MentionKind.MODEL, lexicon.models
        elif prefix in lexicon.part_letters and len(prefix) > 1 and not code.announced:
            near_parts = tuple(self._part_number(key) for key in _nearest(code.key, lexicon.parts))
            return Named(Mention(code.text, MentionKind.PART, code.key, False, (), near_parts), code.start, code.end)
        elif prefix == "rec" and not code.announced:
            kind = MentionKind.RECORD
        close = self._printed(kind, _nearest(code.key, known))
        return Named(Mention(code.text, kind, code.key, False, suggestions=close), code.start, code.end)

    def _part_number(self, key: str) -> str:
        part = self._snapshot.part(key)
        return part.part_number if part else key

    def _printed(self, kind: MentionKind, keys: Iterable[str]) -> tuple[str, ...]:
        lexicon = self._lexicon
        ids = lexicon.ids if kind is MentionKind.EQUIPMENT_ID else lexicon.models
        machines = [lexicon.machines[ids[key][0]] for key in keys]
        return tuple(one.equipment_id if kind is MentionKind.EQUIPMENT_ID else one.model for one in machines)

    def _bare_numbers(self, found: Iterable[Named]) -> Iterator[Named]:
        """A number where a code is expected (検査機で806), if the question has no other code."""
        if any(one.mention.kind is MentionKind.CODE for one in found):
            return
        for match in _BARE_NUMBER.finditer(self._shaped.text):
            if self._take(span := self._shaped.source_span(*match.span(1))):
                yield self._code(span, match[1])

    def _unknown_machines(self) -> Iterator[Named]:
        """A word that can only be a machine (包装機) and that the ledger doesn't have."""
        for match in _MACHINE_LIKE.finditer(self._shaped.text):
            span = self._shaped.source_span(*match.span())
            if not _NO_MACHINE.match(match[0]) and self._take(span):
                key = squeeze(match[0])
                close = near(key, self._lexicon.names)
                names = tuple(self._lexicon.machines[self._lexicon.names[one][0]].name for one in close)
                text = self._question[slice(*span)]
                yield Named(Mention(text, MentionKind.EQUIPMENT_NAME, key, False, suggestions=names), *span)

    def _code(self, span: Span, key: str, owners: CodeOwners | None = None) -> Named:
        owners = owners or owners_of(self._snapshot, key)
        return Named(Mention(self._question[slice(*span)], MentionKind.CODE, key, bool(owners), owners.models), *span)

    def _named(self, code: CodeInText, kind: MentionKind, ids: Ids, owners: tuple[str, ...] | None = None) -> Named:
        mention = Mention(code.text, kind, code.key, True, ids if owners is None else owners)
        return Named(mention, code.start, code.end, ids)

    def _place(self, span: Span, kind: MentionKind, key: str, ids: Ids) -> Iterator[Named]:
        start, end = self._squeezed.source_span(*span)
        if self._take((start, end)):
            yield Named(Mention(self._question[start:end], kind, key, bool(ids), ids), start, end, ids)

    def _free(self, code: CodeInText) -> bool:
        return all(code.end <= start or end <= code.start for start, end in self._taken)

    def _take(self, span: Span) -> bool:
        free = all(span[1] <= start or end <= span[0] for start, end in self._taken)
        if free:
            self._taken.append(span)
        return free


_MACHINE_NAMES = (MentionKind.EQUIPMENT_ID, MentionKind.EQUIPMENT_NAME, MentionKind.MODEL)
_WORD_GOES_ON = re.compile("[一-龠々ァ-ヴーｦ-ﾟa-zA-Z0-9]")


def _nearest(key: str, known: Mapping[str, Ids]) -> tuple[str, ...]:
    """Near ids; the same number with other zeros (EQ-3, EQ-003) is nearest of all."""
    same = tuple(one for one in _with_other_zeros(key) if one in known and one != key)
    return tuple(dict.fromkeys((*same, *near(key, known))))[:3]


def _with_other_zeros(key: str) -> Iterator[str]:
    match = re.fullmatch(r"([a-z]*)([0-9]+)", key)
    if match:
        digits = match[2].lstrip("0") or "0"
        yield from (f"{match[1]}{digits.zfill(width)}" for width in range(len(digits), _LONGEST_NUMBER + 1))
