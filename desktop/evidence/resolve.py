"""Every name in a question, looked up before anyone answers: which machine, which codes, and what does not exist."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from desktop.domain.answer import Focus, Mention, MentionKind, Resolution
from desktop.evidence.focus import Past, Settler, points_back
from desktop.evidence.intent import (
    asks_for_history,
    asks_for_request,
    names_work_only,
    says_fixed,
    tried_spans,
    wanted_history,
    wanted_work,
)
from desktop.evidence.lexicon import lexicon_of
from desktop.evidence.mentions import Finder, Named
from desktop.evidence.words import Span, segments, without
from desktop.store.snapshot import Snapshot

_LEANING = ("方", "ほう", "やつ")


def resolve(
    question: str,
    snapshot: Snapshot,
    *,
    previous: Focus | None = None,
    lapsed: Focus | None = None,
    preset: str | None = None,
    station_lines: Sequence[str] = (),
    requests: Mapping[str, str] | None = None,
    earlier: str = "",
) -> Resolution:
    """The focus and the names of a question.

    `previous` is the conversation's live focus, `lapsed` one that has ended (offered first, never taken), `preset` the
    machine picked on screen; a machine named in the text goes before all of them. `requests` maps the numbers of known
    repair requests to their machines. The focus is never a machine that neither the text nor one of these names.
    `earlier` is the conversation's question before: a follow-up without a code or symptom of its own
    (清掃したが直らない) goes on about what that one was about, if the machine is still the same.
    """
    lexicon = lexicon_of(snapshot)
    named = Finder(question, lexicon, snapshot, requests or {}).find()
    focus = Settler(named, lexicon, snapshot, station_lines).settle(Past(previous, lapsed, preset))
    mentions, symptoms = tuple(one.mention for one in named), _symptoms(question, named)
    before = previous.equipment if previous else None
    same = before is not None and (before == focus.equipment or focus.carried_over)
    if not (earlier and same and _goes_on(question, focus)) or _has_subject(mentions, symptoms):
        return Resolution(question, focus, mentions, symptoms)
    asked = Finder(earlier, lexicon, snapshot, {}).find()
    mentions += tuple(one.mention for one in asked if one.mention.kind is MentionKind.CODE)
    about = earlier if before == focus.equipment else f"{question.strip()}（前の質問：{earlier}）"
    own = tuple(word for word in symptoms if word not in _LEANING)
    return Resolution(question, focus, mentions, own or _symptoms(earlier, asked), about)


def _goes_on(question: str, focus: Focus) -> bool:
    """Words that lean on what was said before, and a bare wish for a request (保全依頼を出して)."""
    return points_back(question) or says_fixed(question) or (focus.carried_over and asks_for_request(question))


def _has_subject(mentions: Sequence[Mention], symptoms: Sequence[str]) -> bool:
    symptoms = [word for word in symptoms if word not in _LEANING]
    return not names_work_only(symptoms) or any(one.kind in (MentionKind.CODE, MentionKind.PART) for one in mentions)


def _apart(spans: Iterable[Span]) -> list[Span]:
    """Spans that overlap, as one."""
    apart: list[Span] = []
    for start, end in sorted(spans):
        if apart and start < apart[-1][1]:
            apart[-1] = (apart[-1][0], max(end, apart[-1][1]))
        else:
            apart.append((start, end))
    return apart


def _symptoms(question: str, named: Sequence[Named]) -> tuple[str, ...]:
    """What is left of the question; a part of a name (ラベル) is a symptom's word too, what was tried is not."""
    names = [(one.start, one.end) for one in named if not one.weak]
    if says_fixed(question):
        return ()
    words = segments(without(question, _apart((*names, *tried_spans(question)))))
    if asks_for_request(question):
        return wanted_work(words)
    return wanted_history(words) if asks_for_history(question) else words
