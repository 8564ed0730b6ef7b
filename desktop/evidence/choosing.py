"""A short answer to 「どの設備ですか」: which of the machines offered it names, by number, line, place or its turn."""

from __future__ import annotations

import re
from collections.abc import Sequence

from desktop.domain.answer import MentionKind
from desktop.domain.ledger import Equipment
from desktop.domain.text import fold
from desktop.evidence.lexicon import lexicon_of
from desktop.evidence.mentions import Finder, Named
from desktop.evidence.words import segments, without
from desktop.store.snapshot import Snapshot

_KANJI = "一二三四五六七八九"
_AFTER = "(?:ノ)?(?:ヤツ|方|ホウ|機械|設備|モノ)?(?:デス|ダ|デ|ヲ|ネ|オ願イシマス)*"
_TURN = re.compile(rf"(?:上カラ|左カラ)?([0-9]{{1,2}}|[{_KANJI}])(?:番目?|ツ目|個目|台目|件目)?{_AFTER}")
_FIRST = re.compile(rf"(?:最初|一番上|先頭|上){_AFTER}")
_LAST = re.compile(rf"(?:最後|一番下|下){_AFTER}")
_YES = re.compile(r"(?:ハイ|ソウ(?:デス)?|ウン|ソレ(?:デス)?|yes|ok|オk|合ッテ(?:イ)?(?:ル|マス))[。!]*")
_ONLY_CHOOSING = re.compile("方|機械|設備|やつ|ほう|もの")
_NOT_A_CHOICE = (MentionKind.CODE, MentionKind.PART, MentionKind.RECORD, MentionKind.REQUEST)


def chosen(text: str, offered: Sequence[Equipment], snapshot: Snapshot) -> Equipment | None:
    """The one of `offered`, in the order shown, that the words mean; None where they say more, or fit several."""
    by_turn = _by_turn(fold(text).strip(" 。.!、"), offered)
    if by_turn is not None:
        return by_turn
    named = Finder(text, lexicon_of(snapshot), snapshot, {}).find()
    if not named or any(one.mention.kind in _NOT_A_CHOICE for one in named) or _says_more(text, named):
        return None
    fits = [one for one in offered if all(one.equipment_id in name.ids for name in named if name.ids)]
    return fits[0] if len(fits) == 1 and any(name.ids for name in named) else None


def _by_turn(words: str, offered: Sequence[Equipment]) -> Equipment | None:
    if len(offered) == 1 and _YES.fullmatch(words):
        return offered[0]
    if _FIRST.fullmatch(words):
        return offered[0]
    if _LAST.fullmatch(words):
        return offered[-1]
    if match := _TURN.fullmatch(words):
        turn = _KANJI.index(match[1]) + 1 if match[1] in _KANJI else int(match[1])
        return offered[turn - 1] if 0 < turn <= len(offered) else None
    return None


def _says_more(text: str, named: Sequence[Named]) -> bool:
    left = segments(without(text, [(one.start, one.end) for one in named]))
    return any(not _ONLY_CHOOSING.fullmatch(word) for word in left)
