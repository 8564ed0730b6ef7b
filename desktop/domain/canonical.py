"""One way to write a value as bytes, so that equal things have equal hashes."""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any

# Everything but tab and newline that no form, printer or receiving system can use; a lone surrogate can't be UTF-8.
_UNUSABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")


def canonical(value: Any) -> bytes:
    """Canonical JSON: UTF-8, keys sorted, no spaces, no NaN; the text in it must be clean (`clean_text`)."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return text.encode("utf-8")


def sha256(body: bytes) -> str:
    """Hex digest."""
    return hashlib.sha256(body).hexdigest()


def clean_text(text: str) -> str:
    """The text without control characters and lone surrogates, line ends as \\n."""
    return _UNUSABLE.sub("", text.replace("\r\n", "\n"))
