"""Text of models, manuals and records made harmless: plain Markdown without HTML, images or links to elsewhere."""

from __future__ import annotations

import re

_DROPPED = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # controls; line feed and tab stay
    "\u200b\u2060\ufeff\u00ad"  # invisible: they would hide a name from the eye but not from a search
    "\u202a-\u202e\u2066-\u2069\u200e\u200f]"  # bidirectional overrides show a text that is not the one stored
)
_TAG = re.compile(r"<(?=[A-Za-z/!?])")
_FOREIGN_LINK = re.compile(r"\](?:\((?!cite:\d{1,6}\))|(?=\[))")
_SCHEME = re.compile(r"(?<=[A-Za-z0-9])://")
_WWW = re.compile(r"\b(www)\.", re.IGNORECASE)
_MAIL = re.compile(r"(?<=[A-Za-z0-9._+-])@(?=[A-Za-z0-9])")


def safe_markdown(text: str) -> str:
    """The text with everything that could load, open or fake something written in full-width look-alikes.

    Pure substitution, no parser: what no Markdown reader takes for markup can't surprise in one of them. Kept are
    headings, lists, tables, emphasis, code and our own links `[1](cite:1)`. Applying it twice changes nothing more.
    """
    text = _DROPPED.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    text = _TAG.sub("＜", text).replace("![", "［画像］[")
    text = text.replace("]:", "]：")
    text = _FOREIGN_LINK.sub(lambda match: "]（" if match[0].endswith("(") else "] ", text)
    return _MAIL.sub("＠", _WWW.sub(r"\1．", _SCHEME.sub("：//", text)))
