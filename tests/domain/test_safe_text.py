"""The sanitiser against a real Markdown reader: nothing that loads, opens or fakes survives, ours does."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from desktop.domain.safe_text import safe_markdown

READER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
HOSTILE = """# 見出し <img src="/leak.png">
![a](/leak.png "t") ![b](//server/share/b.png) ![c](file://server2/share/c.png)
[link](file:///etc/passwd "<img src=/leak.png>") [根拠1](cite:1 "<img src=/leak.png>") [2](cite:2) <https://example.com>
www.example.com https://evil.example/x user@example.com

| a | ![x](/leak.png) |
|---|---|
| <b>1</b> | [z](\\\\\\\\server\\\\share "x") |

```html
<img src="/leak.png">
```
<table background="/leak.png"><tr><td>x</td></tr></table>

[ref]: /leak.png "t"
![r][ref] [t][ref] [ref][]
"""


def tokens(text: str) -> list[Token]:
    found = []
    for token in READER.parse(text):
        found += [token, *(token.children or ())]
    return found


def assert_harmless(text: str) -> None:
    for token in tokens(text):
        assert token.type not in {"image", "html_block", "html_inline"}, token
        if token.type == "link_open":
            assert str(token.attrs["href"]).startswith("cite:"), token


def test_a_hostile_text_loses_every_tooth_and_keeps_its_own_links() -> None:
    safe = safe_markdown(HOSTILE)
    assert_harmless(safe)
    hrefs = [token.attrs["href"] for token in tokens(safe) if token.type == "link_open"]
    assert hrefs == ["cite:2"]  # one with a title is not ours
    assert "見出し" in safe
    assert "://" not in safe


def test_what_technicians_write_stays_as_it_is() -> None:
    text = "**結論** E-12 [1]。圧力 < 0.3 MPa、差圧 <= 0.03\n\n1. `OR-2210` を交換 [2](cite:2)\n\n| 品 |\n|---|\n| リング |"  # noqa: E501  one document as a technician pastes it
    assert safe_markdown(text) == text


@pytest.mark.parametrize("hidden", ["\u202eEQ-003", "EQ\u200b-003", "EQ-\u00ad003", "\x1b[31mEQ-003", "EQ-003\x00"])
def test_what_the_eye_can_not_see_is_dropped(hidden: str) -> None:
    assert safe_markdown(hidden) in {"EQ-003", "[31mEQ-003"}


PIECES = ("![", "](", "]", "[", ":", "]:", "<", ">", "img src=x", "a", "\n", " ", "(", ")", "cite:1", "cite:", "http", "://",
          "/x.png", '"t"', "`", "\\", "www.", "!", "&#33;", "&lt;", "-", "|", "\u200b")  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=25).map("".join))
def test_no_mixture_of_markup_becomes_dangerous_and_twice_is_once(text: str) -> None:
    safe = safe_markdown(text)
    assert_harmless(safe)
    assert safe_markdown(safe) == safe


def test_cut_anywhere_it_is_harmless() -> None:
    dice = random.Random(7)
    for _ in range(200):
        at = dice.randrange(len(HOSTILE))
        assert_harmless(safe_markdown(HOSTILE[at:]))
