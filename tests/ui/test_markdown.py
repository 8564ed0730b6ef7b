"""Hostile Markdown in the real view: nothing is loaded, no link but ours lives, streaming ends as the whole would."""

import random

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt, QUrl
from PySide6.QtGui import QHelpEvent, QImage, QTextDocument
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop.ui import markdown, theme
from desktop.ui.markdown_view import MarkdownView
from tests.domain.test_safe_text import HOSTILE


@pytest.fixture
def view(qtbot: QtBot) -> MarkdownView:
    made = MarkdownView()
    qtbot.addWidget(made)
    made.resize(500, 400)
    made.show()
    return made


def shapes(document: QTextDocument):  # type: ignore[no-untyped-def]
    block = document.begin()
    while block.isValid():
        pieces = block.begin()
        while not pieces.atEnd():
            yield pieces.fragment().charFormat()
            pieces += 1
        block = block.next()


def test_streamed_in_any_pieces_it_stays_harmless(view: MarkdownView, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr(MarkdownView, "loadResource", lambda _self, _kind, name: asked.append(str(name)))
    dice = random.Random(3)
    for _ in range(6):
        view.start_again()
        at = 0
        while at < len(HOSTILE):
            step = dice.randint(1, 9)
            view.feed(HOSTILE[at : at + step])
            at += step
            if dice.random() < 0.2:
                view.flush()
        view.show_text(HOSTILE)
        for shape in shapes(view.document()):
            assert not shape.isImageFormat()
            assert not shape.toolTip()
            assert shape.anchorHref() in {"", "cite:2"}
        view.grab()
    assert asked == []


def test_the_second_wall_holds_when_the_sanitiser_lets_something_through(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(markdown, "safe_markdown", lambda text: text)
    made = markdown.document(HOSTILE, QApplication.font())
    hrefs = {shape.anchorHref() for shape in shapes(made)}
    assert hrefs == {"", "cite:1", "cite:2"}
    assert not any(shape.isImageFormat() or shape.toolTip() for shape in shapes(made))


def test_no_tool_tip_is_ever_shown(view: MarkdownView) -> None:
    view.show_text("[2](cite:2)")
    event = QHelpEvent(QEvent.Type.ToolTip, QPoint(15, 10), view.viewport().mapToGlobal(QPoint(15, 10)))
    assert view.viewportEvent(event)


def test_whatever_asks_for_a_resource_gets_an_empty_picture(view: MarkdownView) -> None:
    """With None, Qt would open the file or share itself."""
    assert isinstance(view.loadResource(2, QUrl("file:///etc/hostname")), QImage)


def test_only_our_links_act(view: MarkdownView) -> None:
    clicked: list[int] = []
    view.citation_clicked.connect(clicked.append)
    for url in ("cite:3", "cite:x", "file:///etc/passwd", "https://example.com"):
        view.anchorClicked.emit(QUrl(url))
    assert clicked == [3]


TEXT = """# 見出し

本文 **強調** E-12。

- 一
- 二

1. 逆洗する
2. 交換する

| 品 | 数 |
|---|---|
| Oリング | 1 |

```
code

more
```

> 引用

おわり"""


def test_streaming_ends_in_the_same_text_as_the_whole(view: MarkdownView) -> None:
    whole = markdown.document(TEXT, view.font()).toPlainText()
    for at in range(0, len(TEXT), 5):
        view.feed(TEXT[at : at + 5])
        view.flush()
    streamed = [line for line in view.toPlainText().split("\n") if line]
    assert streamed == [line for line in whole.split("\n") if line]
    view.show_text(TEXT)
    assert view.toPlainText() == whole


def test_doubtful_words_are_coloured_where_they_stand(view: MarkdownView) -> None:
    text = "部品 **ZZ-999** と OR-2210。ZZ-999 も。"
    first, second = text.index("ZZ-999"), text.rindex("ZZ-999")
    view.show_text(text, ((first, first + 6), (second, second + 6)))
    assert view.toPlainText() == "部品 ZZ-999 と OR-2210。ZZ-999 も。"
    coloured = []
    block = view.document().begin()
    pieces = block.begin()
    while not pieces.atEnd():
        fragment = pieces.fragment()
        if fragment.charFormat().background().style() is not Qt.BrushStyle.NoBrush:
            coloured.append(fragment.text())
        pieces += 1
    assert coloured == ["ZZ-999", "ZZ-999"]


def colour_of(view: MarkdownView, words: str) -> str:
    found = view.document().find(words)
    assert not found.isNull()
    return found.charFormat().foreground().color().name()


def test_what_is_forbidden_is_red_as_a_whole_sentence_even_where_it_begins_with_a_doubtful_word(
    view: MarkdownView,
) -> None:
    text = "清掃する。\n\n- ZX-450 を外し、カバーを短絡する。\n\n部品 ZZ-999。"
    first, begin, last = text.index("ZX-450"), text.index("ZX-450"), text.index("ZZ-999")
    end = text.index("短絡する。") + 5
    view.show_text(text, ((first, first + 6), (begin, end), (last, last + 6)), ((begin, end),))
    shades = theme.tokens()
    assert [colour_of(view, words) for words in ("ZX-450", "短絡する")] == [shades.danger] * 2
    assert colour_of(view, "ZZ-999") == shades.warn
    assert colour_of(view, "清掃する") not in (shades.danger, shades.warn)
    assert not set(view.toPlainText()) & set("\ufdd2\ufdd3\ufdd4")


def test_copied_text_is_plain(view: MarkdownView) -> None:
    view.show_text("**太字** [2](cite:2)")
    view.selectAll()
    copied = view.createMimeDataFromSelection()
    assert copied.formats() == ["text/plain"]
    assert copied.text() == "太字 2"
