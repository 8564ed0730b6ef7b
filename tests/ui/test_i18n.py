"""Japanese is the source, English is complete, and no Japanese hides from the translator."""

import ast
import re
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from PySide6.QtCore import QTranslator
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

import desktop.ui
from desktop import paths
from desktop.ui.look import Look
from desktop.ui.main_window import MainWindow

SOURCES = [Path(desktop.__file__).parent / "app.py", *sorted(Path(desktop.ui.__file__).parent.glob("*.py"))]
ENGLISH = paths.resource("i18n/hozen_en.ts")
JAPANESE = re.compile("[ぁ-ゖァ-ヺ一-龥]")
TRANSLATED = {"tr", "translate", "QT_TRANSLATE_NOOP"}
NOT_WORDS = {
    "markdown.py": {"［画像］"},  # a mark inside a document, the same in every language
    "app.py": {"保全ナビ ", " を開始しました。", " を終了しました。"},  # lines of the Event Log, which has one language
}


def tool(name: str) -> str:
    found = shutil.which(name, path=str(Path(sys.executable).parent)) or shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is not installed")
    return found


def messages(file: Path) -> dict[tuple[str, str], str | None]:
    found = {}
    for context in ElementTree.parse(file).getroot().iter("context"):
        for message in context.iter("message"):
            translation = message.find("translation")
            assert translation is not None
            done = None if translation.get("type") else translation.text
            found[context.findtext("name", ""), message.findtext("source", "")] = done
    return found


def test_english_has_every_text_and_nothing_else(tmp_path: Path) -> None:
    fresh = tmp_path / "hozen_en.ts"
    shutil.copy(ENGLISH, fresh)
    update = [tool("pyside6-lupdate"), *map(str, SOURCES), "-ts", str(fresh), "-no-obsolete", "-locations", "none"]
    subprocess.run([*update, "-source-language", "ja_JP"], check=True, capture_output=True)
    assert [source for source, done in messages(fresh).items() if not done] == []
    assert messages(fresh) == messages(ENGLISH)


def test_the_compiled_english_is_of_this_source(tmp_path: Path) -> None:
    """A wheel carries the compiled file: `pyside6-lrelease resources/i18n/hozen_en.ts` after every change."""
    fresh = tmp_path / "hozen_en.qm"
    subprocess.run([tool("pyside6-lrelease"), str(ENGLISH), "-qm", str(fresh)], check=True, capture_output=True)
    assert fresh.read_bytes() == ENGLISH.with_suffix(".qm").read_bytes()


def test_english_keeps_every_field() -> None:
    for (_, source), done in messages(ENGLISH).items():
        assert sorted(re.findall(r"{\w+}", source)) == sorted(re.findall(r"{\w+}", done or "")), source


@pytest.mark.parametrize("file", SOURCES, ids=lambda file: file.stem)
def test_no_japanese_word_escapes_translation(file: Path) -> None:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    quiet = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            inside = [part for part in ast.walk(node) if isinstance(part, ast.Call)]
            names = {getattr(call.func, "attr", "") for call in inside}
            assert TRANSLATED.isdisjoint(names), f"{file.name}:{node.lineno}: not found by the translator's tool"
        if isinstance(node, ast.Call) and getattr(node.func, "attr", getattr(node.func, "id", "")) in TRANSLATED:
            quiet.update(id(argument) for argument in node.args)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in quiet:
            allowed = node.value in NOT_WORDS.get(file.name, set())
            assert allowed or not JAPANESE.search(node.value), f"{file.name}:{node.lineno} {node.value}"


def test_the_window_speaks_english(qtbot: QtBot, qapp: QApplication, tmp_path: Path) -> None:
    compiled = tmp_path / "hozen_en.qm"
    subprocess.run([tool("pyside6-lrelease"), str(ENGLISH), "-qm", str(compiled)], check=True, capture_output=True)
    translator = QTranslator()
    assert translator.load(str(compiled))
    qapp.installTranslator(translator)
    try:
        window = MainWindow(Look())
        qtbot.addWidget(window)
        assert window.windowTitle() == "Hozen Navi"
        assert window.composer.input.accessibleName() == "Question"
    finally:
        qapp.removeTranslator(translator)
