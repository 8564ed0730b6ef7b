"""What a question is after: mending, a meaning, history, parts; what was tried already; whether a request is asked."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from enum import StrEnum

from desktop.domain.folding import shape_with_origin
from desktop.domain.history import action_key
from desktop.domain.text import find_codes, fold


class Intent(StrEnum):
    """MEND shows steps and so the lock-out block; the others only tell."""

    MEND = "mend"
    MEANING = "meaning"
    HISTORY = "history"
    PARTS = "parts"
    FACT = "fact"


_SENTENCE_END = re.compile(r"[。．！？!?\n]+")
_MENDING = re.compile(
    "ドウスレバ|ドウシタラ|ドウシヨウ|対処|対策|処置ハ|処置ヲ|処置方法|復旧|手順|直シ方|直シタ|直スニ|直ラナ|治ラナ|止マッタ|止マル"
    "|動カナイ|困ッ|ガ出タ|出マシタ|出テ(?:イ?ル|マス|止)|何度モ"
    "|(?:交換|清掃|掃除|調整|給油|修理|点検|分解|取リ?外シ?|取リ?付ケ)(?:シタイ|ノ?ヤリ方|方法|ノ?仕方|スルニ)"
    "|(?:押シ|リセットシ|復帰シ|復帰サセ|入レ直シ|入レ)テモ?(?:イイ|ヨイ|良イ|大丈夫|構ワナイ|平気)|(?:リセット|復帰)(?:シタイ|サセタイ|方法|ノ?仕方|ノ?ヤリ方)"
    "|how (?:do|can|should|to) |fix (?:it|this)|repair|(?:still|again) |stopped"
)
_WAS_MENDED = re.compile(
    "(?:誰|ダレ|イツ)[^。、]{0,12}?直シ(?:タ(?![イラ])|マシタ|テ(?:イル|イタ|クレタ))|直シタ(?:ノハ(?:誰|ダレ|イツ)|人|日|担当)"
)
_MEANING = re.compile(
    "意味|トハ(?:$|[?？。 ])|ッテ何|ッテナニ|(?:ナン|何)ノ(?:エラ|異常|アラーム|コード)"
    "|ドウイウ(?:エラ|異常|アラーム|意味)|何ヲ表|ハ何(?:$|[?？。 デ])|ハナニ"
    "|what (?:do|does|did) .{1,40} mean|meaning of|what(?: is|'s) (?:the )?(?:error |alarm |code )*[a-z]{1,3}-?[0-9]+"
)
_HISTORY = re.compile(
    "履歴|過去|前回|最近|直近|最後ニ|触ッタ|一番多イ|多イ故障|イツ|何回(?!モ)|何件|記録|実績|誰ガ|ダレガ|以前|頻度|mtbf|平均|前ハドウ|前ト同ジ"
    "|history|last time|who (?:fixed|repaired|replaced|did)|when (?:was|did)|how (?:many|often)"
)
_PARTS = re.compile("部品番号|品番|部品ハ|在庫|棚|予備品|何個|部品ノ番号|パーツ|適合")
_FACT = re.compile(
    "イクツ|何(?:mpa|度|秒|分|mm|本|n|%|v|kw)|仕様|能力|基準|規定|周期|頻度|時期|寿命"
    "|(?:開度|圧力?|温度|流量|速度|電流|回転数|張力|トルク|隙間|粘度|設定値?|張リ|水位|液面)(?:値)?ハ(?:$|[?？。 ])"
    "|トルク(?:値)?ハ|圧力ハ|温度ハ|電圧ハ|ドノ(?:機械|設備|装置)"
    "|ドコニ|場所ハ|ドコ(?:$|[?？。 デニ])|担当(?:者)?ハ|担当ハ誰|電話|連絡先|遮断点ハ|メーカハ|型番ハ|導入日|ページハ"
    "|ノ(?:数|個数|本数|枚数|大キサ|サイズ|寸法|材質|種類|長サ|重サ|直径|口径|内径)(?:ハ|ヲ教|$)"
)
_FAILED = (
    "直らない|直りません|治らない|だめ|ダメ|駄目|変わらない|変わりません|消えない|消えません|再発|また(?:出|なる|同じ)|止まる|出る"
    "|改善しない|効果(?:が)?な"
)
_TRIED = re.compile(
    r"([一-龠々ァ-ヴーa-z0-9\-]{1,16}?(?:を|の|も|は)?[一-龠々ァ-ヴーa-z0-9\-]{1,12}(?:え|め|り|き|し直し|直し)?)"
    "(?:は|も)?(?:しました|ました|した|済み|済|してみた|してみました|しても|やった|やりました|やっても|ても|た)"
    f"(?:が|けど|けれど|のに|のですが|んですが|んだけど|、|。)?[^。]{{0,12}}?(?:{_FAILED})"
)
_BETWEEN = re.compile("(?<=[一-龠々ァ-ヴー])[をもはの](?=[一-龠々ァ-ヴa-zA-Z])")
_SAME_WORK = (
    (re.compile("(?:取リ?)?(?:替|(?<!交)換|変)エ?(?:タ|テ)?$|新品ニ?$"), "交換"),
    (re.compile("掃除|洗浄|洗ッ?(?:タ|イ)?$"), "清掃"),
    (re.compile("増締メ|増シ締メ|締メ直シ"), "増締"),
)
_FIXED = re.compile(
    "(?:(?:アリガト(?:ウ(?:ゴザイマ(?:ス|シタ))?)?[。!]*|無事|オカゲ(?:様|サマ)デ|コレデ|ソレデ|ヤッパリ|全部)、?)*(?:直ッタ|直リマシタ|治ッタ|治リマシタ|復旧シ(?:タ|マシタ)"
    "|解決シ(?:タ|マシタ)|正常ニ?(?:戻ッタ|戻リマシタ|ナッタ|ナリマシタ)|動イタ|動キマシタ|消エタ|消エマシタ)"
    "(?:ヨ|ネ|ヨウ(?:ダ|デス)|ミタイ(?:ダ|デス)?|。|、|!)*(?:アリガト(?:ウ(?:ゴザイマ(?:ス|シタ))?)?)?"
)
_IN_SPITE = re.compile(
    "(?:ソレデモ|ヤッテモ|ヤッタ(?:ガ|ケド)|試シタ(?:ガ|ケド)|ヤッパリ)、?(?:マダ)?(?:直|治|ダメ|駄目|出ル|変ワ|消エ)"
)
_ASKS_REQUEST = re.compile(
    "(?:保全|修理|作業|点検|交換|補修)?依頼(?:書|票|案)?(?:ヲ|モ|ハ|デ)?、?(?:[^。、]{0,6})?"
    "(?:出シ(?:テ|タイ|ト|マ)|出ス|出セ|作ッ|作成|作リ|登録|起票|上ゲ|アゲ|切ッ|頼|書イ|シテ|シタイ|オ願イ)"
    "|登録シ(?:テ|タイ|ロ|ト)|登録(?:ヲ)?(?:オ願イ|頼)|起票(?:シ|ヲ|オ願イ)|(?:保全|修理)(?:ヲ|ニ)(?:頼|依頼|呼ン|手配)"
    "|手配シ(?:テ|タイ)|依頼(?:ヲ|モ)?[^。]{0,10}(?:願イ(?:$|マ|タ|。)|ヨロシク|宜シク)"
    "|(?:create|raise|file|open|submit)[^.]{0,20}(?:work )?request"
)
_NO_REQUEST = re.compile(
    "依頼(?:ハ|ヲ)?(?:[^。、]{0,6})?(?:出サナ|シナ|不要|イラナ|要ラナ|マダ)|登録シナ|依頼(?:ハ|ノ)(?:状況|ドウナッ|進捗|一覧|出テ)"
)
_OF_ASKING = re.compile(
    "(?:もう一度|もう一回|もう1回|再度|改めて|承認|許可|了解|決裁|課長|班長|部長|係長|主任|上司|作成|上げて|あげて|作|書|票|手配|呼んで|起案|急ぎ|早く|後|いい|よい"
    "|(?:もらっ|取っ|得)[たて]|please|create|raise|file|open|submit|an?|the|work|request|order|for)(?:から|ので|で|も|さん)?"
)
_OF_HISTORY = re.compile(
    "(?:見せ?|みせ|教え|出し|全部|一覧|全て|すべて|最後|最新|直近|触っ|さわっ|修理し|直し|直っ|やっ|し|作業者?|担当者?|修理|保全|作業|人|日|だれ|誰)"
    "(?:て|た|たの|ください|下さい|者|分)?"
)
_BARE_REQUEST = re.compile(
    "(?:^|[ 、。ノ])(?:保全|修理|作業|点検|交換|補修)依頼(?:書|票)?(?:オ願イシマス)?(?=$|[ 、。])(?! *[ハノガヲ?？])"
)
_ONLY_WORK = re.compile(
    "(?:定期|日常|年次|月次|全数|緊急|応急|臨時|一式)*"
    "(?:保全|点検|清掃|掃除|修理|修繕|交換|調整|給油|注油|整備|分解|校正|検査|確認|対応|オーバーホール|見積もり?|作業|工事)+"
)
_CLAIMS_APPROVAL = re.compile(
    "承認(?:済|サレ|ハ(?:モウ|取|得|降|オリ)|ヲ(?:モラ|得|取)|シテモラ|(?:モ)?(?:モウ)?終ワ)|許可(?:済|ハ取|ヲ取|モラ)"
)


def intent_of(question: str, *, has_trouble: bool) -> Intent:
    """`has_trouble`: the question names a code or a symptom; asking to mend goes before every other wish.

    A sentence that only states the trouble asks to mend it, whatever a further sentence asks besides: no wording may
    talk the safety block away.
    """
    if _MENDING.search(_WAS_MENDED.sub("", fold(question))) or tried_words(question):
        return Intent.MEND
    told = [(sentence, _of_sentence(sentence)) for sentence in _sentences(question)]
    wishes = [wish for _, wish in told if wish is not None]
    if any(wish is None and find_codes(sentence) for sentence, wish in told) and has_trouble:
        return Intent.MEND
    return wishes[0] if wishes else Intent.MEND if has_trouble else Intent.FACT


def _sentences(question: str) -> list[str]:
    return [sentence for sentence in _SENTENCE_END.split(question) if sentence.strip()]


def _of_sentence(sentence: str) -> Intent | None:
    text = fold(sentence)
    wishes = (
        (_MEANING, Intent.MEANING),
        (_PARTS, Intent.PARTS),
        (_FACT, Intent.FACT),
        (_HISTORY, Intent.HISTORY),
    )
    return next((intent for pattern, intent in wishes if pattern.search(text)), None)


def asks_for_part(question: str) -> bool:
    return bool(_PARTS.search(fold(question))) or bool(re.search("(?:部品|パーツ).{0,6}(?:型番|番号|品番)", question))


def tried_words(question: str) -> tuple[str, ...]:
    """What the question says was tried in vain (清掃したが直らない → 清掃)."""
    told = (question[start:end] for start, end in _tried(question, 1))
    return tuple(dict.fromkeys(_BETWEEN.sub("", words.strip()) for words in told))


def tried_spans(question: str) -> tuple[tuple[int, int], ...]:
    """Where in the question they stand, together with that it was in vain."""
    return tuple(_tried(question, 0))


def _tried(question: str, group: int) -> Iterator[tuple[int, int]]:
    shaped = shape_with_origin(question)
    return (shaped.source_span(*match.span(group)) for match in _TRIED.finditer(shaped.text))


def work_key(action: str) -> str:
    """What makes two wordings of one work one: Oリングも替えた and Oリング交換."""
    key = action_key(_BETWEEN.sub("", action))
    for words, name in _SAME_WORK:
        key = words.sub(name, key)
    return key


def says_fixed(question: str) -> bool:
    """Whether no more is said than that it works again (直った)."""
    return bool(_FIXED.fullmatch(fold(question).strip(" 。.!♪、")))


def in_spite_of_it(question: str) -> bool:
    """Whether what was advised is said to have been in vain (それでも直らない)."""
    return bool(_IN_SPITE.match(fold(question)))


def asks_for_request(question: str) -> bool:
    text = fold(question)
    return bool(_ASKS_REQUEST.search(text) or _BARE_REQUEST.search(text)) and not _NO_REQUEST.search(text)


def wanted_work(words: Iterable[str]) -> tuple[str, ...]:
    """The words of a request without those of asking and approving (課長, 許可, 急ぎで)."""
    return tuple(word for word in words if not _OF_ASKING.fullmatch(word))


def wanted_history(words: Iterable[str]) -> tuple[str, ...]:
    """The words of a question for what was done, without those of asking for it (最後に誰が触った)."""
    return tuple(word for word in words if not _OF_HISTORY.fullmatch(word))


def asks_for_history(question: str) -> bool:
    return intent_of(question, has_trouble=False) is Intent.HISTORY


def names_work_only(words: Iterable[str]) -> bool:
    """Whether the words say no more than what kind of work is wanted (清掃, 定期点検), or nothing."""
    return all(_ONLY_WORK.fullmatch(word) for word in words)


def claims_approval(question: str) -> bool:
    """Whether the words say that someone has approved already; words can't show that."""
    return bool(_CLAIMS_APPROVAL.search(fold(question)))
