"""A made-up plant of any size, with writers' noise and the right answers of its questions: for the benches."""

from __future__ import annotations

import random
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta

from desktop.domain.ledger import Equipment, MaintenanceRecord, Manual, ManualSection


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


KINDS = dict(
    zip(
        _words(
            "充填機 包装機 搬送コンベヤ ラベラー キャッパー 洗浄機 打栓機 検査装置 パレタイザ 冷凍機 "
            "ボイラー コンプレッサー 真空ポンプ 射出成形機 プレス機 溶接ロボット 旋盤 研削盤 攪拌機 乾燥炉"
        ),
        _words("FL PK CV LB CP WS CR IN PT RF BL AC VP IM PR WR LT GR MX DR"),
        strict=True,
    )
)
PARTS = _words(
    "充填ノズル Oリング パッキン ベアリング Vベルト タイミングベルト チェーン スプロケット エアシリンダ "
    "電磁弁 ソレノイドバルブ 近接センサ 光電センサ リミットスイッチ 圧力センサ 温度センサ 熱電対 "
    "ロータリーエンコーダ サーボモータ ギヤードモータ 減速機 カップリング フィルタ ストレーナ ポンプ "
    "インペラ ホース 継手 レギュレータ ルブリケータ ヒータ リレー マグネットスイッチ ブレーカ インバータ "
    "タッチパネル バッテリ 冷却ファン ガイドレール ボールねじ カムフォロア ローラ ベルトテンショナ "
    "吸着パッド 真空エジェクタ ドレン弁 安全カバー 非常停止ボタン ライトカーテン コネクタ 端子台"
)
SYMPTOMS = _words(
    "詰まり 液だれ 過負荷 過熱 異音 振動 漏れ エア漏れ 油漏れ 断線 短絡 接触不良 摩耗 破損 緩み 芯ずれ "
    "位置ずれ 過電流 過電圧 不足電圧 地絡 通信異常 タイムアウト 原点復帰異常 温度上昇 圧力低下 流量低下 "
    "充填量不足 吸着ミス 噛み込み 滑り 蛇行 誤検知 検出不良 起動不良 動作遅れ 発煙 結露 腐食 固着 目詰まり"
)
ACTIONS = _words(
    "交換 清掃 増し締め 調整 給油 グリスアップ 点検 再起動 リセット 測定 校正 原点復帰 パラメータの再設定 "
    "絶縁抵抗の測定 電源の遮断 残圧の排出 張りの確認 隙間の測定 ログの保存"
)
CAUSES = _words(
    "運転中に 起動時に 停止後に 段取り替え後に 朝一番の立ち上げ時に 高温時に 連続運転8時間後に 洗浄後に "
    "品種切替時に 長期停止後に"
)
HEADS = _words(
    "安全上の注意 概要 仕様 各部の名称 据付 配線 運転準備 運転手順 停止手順 段取り替え 日常点検 月次点検 "
    "年次点検 給油 清掃 エラー処置 故障診断 部品交換 調整 パラメータ 通信設定 予備品 保管 廃棄"
)
FAMILIES = _words("佐藤 鈴木 髙橋 田中 伊藤 渡辺 山本 中村 小林 加藤 吉田 山田")
LONG = _words("センサ モータ シリンダ フィルタ ヒータ ブレーカ エンコーダ インバータ ローラ バッテリ コネクタ")
_HALF = {unicodedata.normalize("NFKC", chr(code)): chr(code) for code in range(0xFF66, 0xFF9E)}


@dataclass(frozen=True)
class Asked:
    """A question with its kind, its scope (a model or machine, "" = anywhere) and the ids of the right answers."""

    kind: str
    text: str
    scope: str
    right: frozenset[str]


class Plant:
    """`manuals` of 100 sections each, `machines`, `records`; the same numbers give the same plant."""

    def __init__(self, manuals: int, machines: int, records: int) -> None:
        self._n_records = records
        kinds = list(KINDS.items())
        self.models = [
            (f"{kinds[i % len(kinds)][1]}-{200 + i // len(kinds)}", kinds[i % len(kinds)][0]) for i in range(manuals)
        ]
        self._codes = [self._codes_of(i) for i in range(manuals)]
        self._machines = machines
        self.truth: list[tuple[str, str, str, str, str]] = []  # ref, model, code, part, symptom
        self.record_truth: list[tuple[str, str, str, str, str]] = []  # id, machine, part number, part, symptom

    def equipment(self) -> Iterator[Equipment]:
        for number in range(self._machines):
            pick = random.Random(500_000 + number)
            model, kind = self.models[pick.randrange(len(self.models))]
            yield Equipment(
                f"EQ-{number + 1:05d}", f"{kind}{pick.randint(1, 30)}号機", model, f"ライン{pick.randint(1, 60)}",
                f"第{pick.randint(1, 6)}工場{pick.randint(1, 4)}階", pick.choice(FAMILIES),
            )  # fmt: skip

    def manuals(self) -> Iterator[tuple[Manual, list[ManualSection]]]:
        for number, (model, kind) in enumerate(self.models):
            pick = random.Random(1_000 + number)
            name = f"{model}-{number}"
            sections = [self._section(pick, name, number, model, kind, at) for at in range(100)]
            yield Manual(name, (model,), f"{kind} {model} 取扱説明書", "1"), sections

    def records(self) -> Iterator[MaintenanceRecord]:
        pick = random.Random(99)
        machines = list(self.equipment())
        codes = {model: codes for (model, _), codes in zip(self.models, self._codes, strict=True)}
        for number in range(self._n_records):
            machine = machines[int(pick.random() ** 1.5 * len(machines))]
            code = pick.choice(codes[machine.model]) if pick.random() < 0.6 else ""
            part, symptom, part_number = pick.choice(PARTS), pick.choice(SYMPTOMS), _part_number(pick)
            if number % 997 == 0:
                self.record_truth.append((f"R-{number}", machine.equipment_id, part_number, part, symptom))
            shown = f"{code}が表示され、" if code else ""
            yield MaintenanceRecord(
                f"R-{number}", machine.equipment_id, date(2016, 1, 1) + timedelta(pick.randrange(3950)),
                noisy(code, pick), noisy(f"{pick.choice(CAUSES)}{shown}{part}の{symptom}を確認。", pick),
                noisy(f"{pick.choice(PARTS)}の{pick.choice(SYMPTOMS)}のため。", pick),
                noisy(f"{pick.choice(PARTS)}（{part_number}）の{pick.choice(ACTIONS)}。", pick),
                worker=pick.choice(FAMILIES),
            )  # fmt: skip

    def questions(self, of_each: int) -> list[Asked]:
        """Seven kinds of questions about sections and two about records; needs the manuals and records made before."""
        pick = random.Random(4711)
        by_pair: dict[tuple[str, str], set[str]] = {}
        by_three: dict[tuple[str, str, str], set[str]] = {}
        by_code: dict[tuple[str, str], set[str]] = {}
        for ref, model, code, part, symptom in self.truth:
            by_pair.setdefault((part, symptom), set()).add(ref)
            by_three.setdefault((code, part, symptom), set()).add(ref)
            by_code.setdefault((model, code), set()).add(ref)
        found = []
        for _, model, code, part, symptom in pick.sample(self.truth, of_each):
            three, pair = frozenset(by_three[code, part, symptom]), frozenset(by_pair[part, symptom])
            here = frozenset(by_code[model, code])
            alike = frozenset(ref for ref, other, _, _, same in self.truth if other == model and same == symptom)
            found += [
                Asked("scoped code part", f"{typed(code, pick)} {part}", model, here),
                Asked("scoped symptom", symptom, model, alike),
                Asked("code part symptom", f"{code} {part} {symptom}", "", three),
                Asked("sentence", f"{part}ーが{symptom}、どうすればいい？", "", pair),
                Asked("widths", f"{typed(code, pick)} {half(part)} {symptom}", "", three),
                Asked("code in free text", f"{model}で{typed(code, pick)}が出た。{part}かも", model, here),
            ]
        for ref, machine, number, part, symptom in pick.sample(self.record_truth, min(of_each, len(self.record_truth))):
            found += [
                Asked("record of machine", f"{part} {symptom}", machine, frozenset({ref})),
                Asked("record by part number", number, "", frozenset({ref})),
                Asked("record free text", f"{part}の{symptom}", "", frozenset()),
            ]
        return found

    def _codes_of(self, number: int) -> list[str]:
        pick = random.Random(7_000 + number)
        forms = ("E-{:02d}", "AL.{}", "F{:04d}", "ERR{:03d}", "A.{}.1", "E{:02d}", "U{:03d}")
        return sorted({forms[number % len(forms)].format(pick.randint(1, 99)) for _ in range(40)})

    def _section(self, pick: random.Random, name: str, number: int, model: str, kind: str, at: int) -> ManualSection:
        codes = self._codes[number]
        ref, part, symptom = f"manual:{name}#{at}", pick.choice(PARTS), pick.choice(SYMPTOMS)
        if 30 <= at < 30 + len(codes):
            code = codes[at - 30]
            self.truth.append((ref, model, code, part, symptom))
            heading = f"{at + 1}. エラー {code} {part}{symptom}"
            body = f"エラーコード{code}は{part}の{symptom}を検出したときに表示される。"
        else:
            code, heading = "", f"{at + 1}. {pick.choice(HEADS)}（{part}）"
            body = f"{kind} {model} の{part}について説明する。"
        body += "".join(_sentence(pick) for _ in range(pick.randint(4, 11)))
        return ManualSection(
            ref, name, (model,), (f"第{at // 25 + 1}章", noisy(heading, pick)), noisy(body, pick), at, at * 2 + 1,
            codes=(code,) if code else (),
        )  # fmt: skip


def _sentence(pick: random.Random) -> str:
    part, symptom, form = pick.choice(PARTS), pick.choice(SYMPTOMS), pick.random()
    if form < 0.3:
        cause, other, action = pick.choice(CAUSES), pick.choice(PARTS), pick.choice(ACTIONS)
        return f"{cause}{part}の{symptom}が発生した場合は、{other}の{action}を行う。"
    if form < 0.55:
        return (
            f"{part}の{pick.choice(ACTIONS)}をする。次に{pick.choice(PARTS)}の{pick.choice(SYMPTOMS)}がないか確認する。"
        )
    if form < 0.75:
        return f"{part}の{symptom}は{pick.choice(PARTS)}の{pick.choice(SYMPTOMS)}が原因であることが多い。"
    torque, width = pick.randint(2, 80), pick.uniform(0.05, 99)
    return f"締付トルクは{torque} N·m、許容値は{width:.2f} mm、部品番号は{_part_number(pick)}である。"


def _part_number(pick: random.Random) -> str:
    return f"{pick.choice('ABCDEFGH')}{pick.choice('KLMNPRST')}{pick.randint(1, 99):02d}-{pick.randint(1000, 99999)}"


def noisy(text: str, pick: random.Random) -> str:
    """As people write: 6 % full width, 6 % half-width kana, 10 % long vowels, 4 % odd hyphens."""
    form = pick.random()
    if form < 0.06:
        return "".join(chr(ord(char) + 0xFEE0) if "!" <= char <= "~" else char for char in text)
    if form < 0.12:
        return half(text)
    if form < 0.22:
        for word in LONG:
            text = text.replace(word, f"{word}ー")
        return text
    return text.replace("-", pick.choice("‐−ー－–")) if form < 0.26 else text


def half(text: str) -> str:
    parts = unicodedata.normalize("NFD", text)
    return "".join({"\u3099": "ﾞ", "\u309a": "ﾟ"}.get(char, _HALF.get(char, char)) for char in parts)


def typed(code: str, pick: random.Random) -> str:
    wide = "".join(chr(ord(char) + 0xFEE0) for char in code)
    return pick.choice(
        (code, code.replace("-", ""), code.replace("-", " "), code.replace("-", "ー"), wide, code.lower())
    )
