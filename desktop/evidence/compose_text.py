"""A composed answer as Markdown with the numbers of its sources, for the command line and the JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from desktop.domain.answer import Answer, AnswerBlock, AnswerLine, Citation

STEPS_SHOWN = 7
HISTORY_SHOWN = 3
QUOTE_SHOWN = 60


def markdown(answer: Answer, *, quote_shown: int | None = None) -> str:
    """The answer in reading order; lines past the fold are counted, not dropped silently.

    Machines that may be meant stand below the sentence that asks or says what was not found. `quote_shown` makes the
    list of sources short: only those of the lines shown, quotations cut after so many characters (None = all, whole).
    """
    settled = answer.equipment is not None
    machines = _lines(answer.machine, bold_first=settled)
    parts = (
        machines if settled else [],
        _summary(answer),
        [] if settled else machines,
        _safety(answer),
        *(_block(block, answer) for block in answer.blocks),
        _titled("次の一手", _lines(answer.next_moves)),
    )
    text = _joined(parts)
    cited = [one for one in answer.citations if quote_shown is None or f"[{one.n}]" in text]
    rest = (
        _titled("根拠", [_source(one, quote_shown) for one in cited]),
        [f"⚠ {warning.text}" for warning in answer.warnings],
        [f"_{answer.footer}_"] if answer.footer else [],
    )
    return _joined(([text], *rest))


def _joined(parts: Iterable[list[str]]) -> str:
    return "\n\n".join(text for part in parts if (text := "\n".join(part)))


def _summary(answer: Answer) -> list[str]:
    """The line read first, with the sources of the conclusion that it is."""
    first = answer.blocks[0].conclusion if answer.blocks else None
    marks = _marks(first) if first and first.text == answer.summary else ""
    return [f"**{answer.summary}** {marks}".rstrip()] if answer.summary else []


def _safety(answer: Answer) -> list[str]:
    return _titled("安全", [f"- {line}" for line in answer.safety])


def _block(block: AnswerBlock, answer: Answer) -> list[str]:
    first = block is answer.blocks[0]
    steps = [*_lockout(answer.lockout if first else ()), *_numbered(block.steps)]
    told = block.conclusion.text and block.conclusion.text != answer.summary
    several = len(answer.blocks) > 1
    return [
        *([f"### {block.subject}"] if several else []),
        *([_marked(block.conclusion)] if told else []),
        *_titled("原因・記載", _lines(block.causes)),
        *_titled("手順", steps),
        *_titled("この設備での実績", _history(block)),
        *_titled("同型機（別設備）", _lines(block.same_model)),
        *_titled("部品", _lines(block.parts)),
    ]


def _lockout(lines: Iterable[str]) -> Iterator[str]:
    for place, line in enumerate(lines):
        yield f"0. {line}" if place == 0 else f"   {line}"


def _numbered(steps: tuple[AnswerLine, ...]) -> list[str]:
    shown = [f"{step.label} {_marked(step)}".strip() for step in steps]
    rest = len(steps) - STEPS_SHOWN
    return [*shown[:STEPS_SHOWN], *([f"続き {rest}", *shown[STEPS_SHOWN:]] if rest > 0 else [])]


def _history(block: AnswerBlock) -> list[str]:
    shown = _lines(block.history)[:HISTORY_SHOWN]
    rest = max(block.history_total, len(block.history)) - len(shown)
    return [*shown, f"他 {rest}件"] if shown and rest > 0 else shown


def _lines(lines: Iterable[AnswerLine], *, bold_first: bool = False) -> list[str]:
    told = []
    for place, line in enumerate(lines):
        text = f"{line.label} {_marked(line)}" if line.label and line.label != "・" else _marked(line)
        told.append(f"**{text}**" if bold_first and place == 0 else f"- {text}")
    return told


def _marked(line: AnswerLine) -> str:
    return f"{line.text} {_marks(line)}".rstrip()


def _marks(line: AnswerLine) -> str:
    return "".join(f"[{n}]" for n in line.cites)


def _titled(title: str, lines: list[str]) -> list[str]:
    return [f"**{title}**", *lines] if lines else []


def _source(citation: Citation, quote_shown: int | None) -> str:
    page = f" p.{citation.page_label or citation.page}" if citation.page_label or citation.page else ""
    revision = f" 改訂{citation.revision}" if citation.revision else ""
    checked = "" if citation.verified else "（未確認）"
    quote = " ".join(citation.quote.split())
    if quote_shown is not None and len(quote) > quote_shown:
        quote = f"{quote[:quote_shown].rstrip()}…"
    return f"[{citation.n}] {citation.title}{revision}{page}{checked}：「{quote}」"
