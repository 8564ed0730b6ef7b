"""A person is recognised however he is written, and a machine's words are not taken for a person."""

import base64
from urllib.parse import quote

import pytest

from desktop.services.bundle_names import Names, Secrets

PEOPLE = Names(
    [
        "中村 大輔", "林 正", "サトウ ケン", "Li Wei", "yamada.taro", "内線3103", "03-0000-2300", "髙橋　花子",
        "佐藤・鈴木（保全）", "加藤 優", "O'Neil (x* [y]",
    ]
)  # fmt: skip
SECRETS = Secrets(["plantedvalue0123456789", "", "abc"])


@pytest.mark.parametrize(
    "text",
    [
        "中村", "中 村さん", "大輔が", "中\u200b村", "林さん", "担当林さん", "林が承認", "林　正", "ｻﾄｳ ｹﾝ",
        "さとうけん", "ケンさんが", "li wei", "Li-Wei.csv", "LI_WEI", "Wei Li", "taro", r"C:\x\YAMADA.TARO\y",
        "内線 ３１０３", "0300002300", "03-0000-2300", "高橋", "鈴木", "加藤", quote("中村 大輔"), quote(quote("中村")),
        quote("中村".encode("cp932")), r"\u4e2d\u6751", r"\\u4e2d\\u6751", repr("中村".encode()), "&#20013;&#26449;",
        "中村".encode().decode("latin-1"), "佐藤".encode().decode("cp932"),
        "/plant/中村/設備.csv", "KeyError: '中村 大輔'", "名前：中\u3000村\u3000大\u3000輔",
    ],
)  # fmt: skip
def test_every_way_of_writing_a_name_is_seen(text: str) -> None:
    assert PEOPLE.told_in(text)


@pytest.mark.parametrize(
    "text",
    [
        "", "0000 03 2300", "token", "森林保護", "トークン", "weight", "taroimo", "正常に終わりました", "優先度",
        "2026-11-30 09:00:00,000 INFO desktop.sync done", "保全ナビ 0.1.0", "設備 EQ-003 ライン3", "x y",
    ],
)  # fmt: skip
def test_other_words_are_let_through(text: str) -> None:
    assert not PEOPLE.told_in(text)


def test_without_anybody_nothing_is_a_name() -> None:
    assert not Names([]).told_in("中村 大輔")
    assert not Names(["", " ", "・"]).told_in("中村 大輔")


@pytest.mark.parametrize(
    "text",
    [
        "key plantedvalue0123456789 x", "plantedvalue 0123456789", quote("plantedvalue0123456789"),
        "%70lantedvalue0123456789", r"\u0070lantedvalue0123456789",
        base64.b64encode(b"plantedvalue0123456789").decode(),
    ],
)  # fmt: skip
def test_a_secret_is_seen_escaped_too(text: str) -> None:
    assert SECRETS.told_in(text)


def test_what_is_too_short_to_be_a_secret_is_none() -> None:
    assert not SECRETS.told_in("abc def")
