"""What is indexed of a text and asked of a question: pairs of characters, and whole words of Latin letters or digits.

A term is an unsigned 32-bit number. A pair of Japanese characters is its two code points, kana as katakana; the second
is 0 where no pair goes on (end of a word, a particle). A Latin word is a hash, below every pair. The same rule stands
in SQL in search_index, because a plant's texts are cut there; a test holds the two together.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from itertools import pairwise

_WORD_SPACE = 0x2E00_0000
_WORD_BASE = 0x0100_0000
_WORD = re.compile("[a-z0-9]+")
_HIRAGANA = range(0x3041, 0x3097)
_KATAKANA = range(0x30A1, 0x30FB)
_IDEOGRAPHS = range(0x3400, 0xFB00)
_REPEAT_MARKS = range(0x3005, 0x3008)


def terms(shaped: str) -> Iterator[int]:
    """The index terms of a text that has its `shape`, in no order, repeats included."""
    text = shaped.replace("ー", "")
    for first, second in pairwise((*text, " ")):
        if is_letter(first):
            yield pair(first, second)
    for word in _WORD.findall(text):
        yield word_term(word)


def is_letter(char: str) -> bool:
    """Whether a character is part of a Japanese word; ー is not, it is left out of the index."""
    code = ord(char)
    return code in _HIRAGANA or code in _KATAKANA or code in _IDEOGRAPHS or code in _REPEAT_MARKS


def pair(first: str, second: str) -> int:
    """The term of two characters that stand together; `second` counts only where a word may go on into it."""
    one, other = ord(first), ord(second)
    goes_on = is_letter(second) and not (
        (one in _HIRAGANA and other not in _HIRAGANA) or (one in _KATAKANA and other in _HIRAGANA)
    )
    return _katakana(one) << 16 | (_katakana(other) if goes_on else 0)


def single(letter: str) -> int:
    """The number of a letter by itself; the index holds none, all pairs that begin with it stand for it."""
    return _katakana(ord(letter)) << 16


def word_term(word: str) -> int:
    """The term of a word of Latin letters or digits."""
    low = int.from_bytes(hashlib.md5(word.encode(), usedforsecurity=False).digest()[8:], "little")
    return low % _WORD_SPACE + _WORD_BASE


def _katakana(code: int) -> int:
    return code + 0x60 if code in _HIRAGANA else code
