"""A section of a manual for several models belongs to those that it names."""

from __future__ import annotations

import pytest

from desktop.importing.section_models import section_models

MODELS = ("XR-10", "XR-20", "XR-100")
ALL = MODELS


@pytest.mark.parametrize(
    ("path", "body", "models"),
    [
        (("AL-31（XR-10）",), "", ("XR-10",)),
        (("AL-31 (ＸＲ－２０)",), "", ("XR-20",)),
        (("第4章 XR-20の異常", "AL-31 圧力低下"), "", ("XR-20",)),
        (("第4章 XR-20の異常", "XR-10の場合"), "", ("XR-10",)),
        (("AL-31（XR-10/20）",), "", ("XR-10", "XR-20")),
        (("AL-31（XR-10、XR-20）",), "", ("XR-10", "XR-20")),
        (("XR-100専用",), "", ("XR-100",)),
        (("xr 20 の点検",), "", ("XR-20",)),
        (("XR-10以外の機種",), "", ("XR-20", "XR-100")),
        (("Adjustment (except XR-10)",), "", ("XR-20", "XR-100")),
        (("XR-20以降",), "", ALL),
        (("XR-10シリーズ",), "", ALL),
        (("AL-31 圧力低下",), "", ALL),
        (("YZ-10との接続",), "", ALL),
        (("AL-31",), "適用：XR-20\n圧力は18MPa。", ("XR-20",)),
        (("AL-31",), "コード：AL-31\n型番：XR-10\n処置：HF-10を替える", ("XR-10",)),
        (("AL-31（XR-10）",), "機種：XR-20", ("XR-20",)),
        (("AL-31",), "適用：全号機", ALL),
        (("AL-31",), "圧力を見る。\n型番：XR-10", ALL),
    ],
)  # fmt: skip
def test_a_section_is_for_the_models_it_names(path: tuple[str, ...], body: str, models: tuple[str, ...]) -> None:
    assert section_models(MODELS, path, body) == models


def test_a_manual_for_one_model_is_for_that_model() -> None:
    assert section_models(("XR-10",), ("XR-20との違い",), "") == ("XR-10",)
    assert section_models((), ("XR-20との違い",), "") == ()
