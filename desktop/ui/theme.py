"""Colours, sizes and the style sheet: light and dark, 100 to 200 %, measured in em."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from string import Template

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QFontInfo, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication, QWidget

FAMILIES = ("BIZ UDPGothic", "Yu Gothic UI", "Meiryo UI", "Noto Sans CJK JP", "IPAexGothic")
PERCENTS = (100, 125, 150, 175, 200)
_BASE_POINTS = 11.0


@dataclass(frozen=True, slots=True)
class Tokens:
    """Text on its ground has a contrast of at least 4.5, field borders of at least 3."""

    ground: str
    surface: str
    text: str
    muted: str
    line: str
    field_line: str
    accent: str
    on_accent: str
    accent_soft: str
    ok: str
    ok_soft: str
    warn: str
    warn_soft: str
    danger: str
    danger_soft: str
    off: str
    on_off: str


LIGHT = Tokens(
    ground="#f2f5f8",
    surface="#ffffff",
    text="#14202b",
    muted="#4b5b69",
    line="#cdd6de",
    field_line="#75838f",
    accent="#0b5aa8",
    on_accent="#ffffff",
    accent_soft="#e4effa",
    ok="#0f6537",
    ok_soft="#dcf2e3",
    warn="#7d4700",
    warn_soft="#fff0d2",
    danger="#a11a15",
    danger_soft="#fde7e5",
    off="#dde3e8",
    on_off="#5d6b77",
)
DARK = Tokens(
    ground="#11161c",
    surface="#1a222b",
    text="#e9eff4",
    muted="#aebbc6",
    line="#37434e",
    field_line="#7d8c98",
    accent="#5eabf4",
    on_accent="#07131e",
    accent_soft="#1b3144",
    ok="#83d9a3",
    ok_soft="#15331f",
    warn="#ffc66d",
    warn_soft="#38290c",
    danger="#ff9f97",
    danger_soft="#431a18",
    off="#2a343d",
    on_off="#93a1ad",
)


def em(count: float = 1.0) -> int:
    """Pixels of `count` times the height of the program's letters."""
    return round(QFontInfo(QApplication.font()).pixelSize() * count)


def tokens() -> Tokens:
    """Those of the palette in force."""
    return LIGHT if QApplication.palette().color(QPalette.ColorRole.Window).lightness() > 127 else DARK


def system_is_dark() -> bool:
    return QGuiApplication.styleHints().colorScheme() is Qt.ColorScheme.Dark


def apply(app: QApplication, *, dark: bool, percent: int = 100) -> None:
    """Dress the whole program; a high-contrast desktop keeps its own colours."""
    app.setFont(_font(percent))
    hints = QGuiApplication.styleHints()
    if hints.accessibility().contrastPreference() is Qt.ContrastPreference.HighContrast:
        app.setStyleSheet("")
        return
    hints.setColorScheme(Qt.ColorScheme.Dark if dark else Qt.ColorScheme.Light)  # the native title bar follows
    shades = DARK if dark else LIGHT
    app.setPalette(_palette(shades))
    app.setStyleSheet(_sheet(shades))


def restyle(widget: QWidget) -> None:
    """Make a changed `role` property count; Qt looks at properties only when polishing."""
    widget.style().unpolish(widget)
    widget.style().polish(widget)


def set_role(widget: QWidget, role: str) -> None:
    if widget.property("role") != role:
        widget.setProperty("role", role)
        restyle(widget)


def _font(percent: int) -> QFont:
    font = QFont(list(FAMILIES))
    font.setPointSizeF(_BASE_POINTS * percent / 100)
    return font


def _palette(shades: Tokens) -> QPalette:
    role = QPalette.ColorRole
    palette = QPalette(QColor(shades.ground))
    for name, colour in (
        (role.Window, shades.ground),
        (role.Base, shades.surface),
        (role.AlternateBase, shades.ground),
        (role.Button, shades.surface),
        (role.ToolTipBase, shades.surface),
        (role.WindowText, shades.text),
        (role.Text, shades.text),
        (role.ButtonText, shades.text),
        (role.ToolTipText, shades.text),
        (role.PlaceholderText, shades.muted),
        (role.Highlight, shades.accent),
        (role.HighlightedText, shades.on_accent),
        (role.Accent, shades.accent),
        (role.Link, shades.accent),
        (role.LinkVisited, shades.accent),
    ):
        palette.setColor(name, QColor(colour))
    for name in (role.WindowText, role.Text, role.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, name, QColor(shades.on_off))
    return palette


def _sheet(shades: Tokens) -> str:
    sizes = {
        "target": max(44, em(3)) - 2,
        "chip": max(44, em(2.6)) - 2,
        "number": max(44, em(2.2)) - 2,
        "radius": em(0.4),
        "pad": em(0.8),
        "half": em(0.45),
        "small": em(0.92),
        "base": em(1),
        "big": em(1.2),
        "huge": em(1.5),
        "bar": em(0.3),
    }
    return Template(_SHEET).substitute(asdict(shades), **sizes)


# QComboBox keeps its native look (a style sheet takes its arrow away) and list rows get their height from a delegate
# (padding in a style sheet makes rows overlap in a list measured before it is shown).
_SHEET = """
QLabel { background: transparent; }
QLabel[role="huge"] { font-size: ${huge}px; font-weight: bold; }
QLabel[role="big"] { font-size: ${big}px; font-weight: bold; }
QLabel[role="strong"] { font-weight: bold; }
QLabel[role="muted"] { color: $muted; }
QLabel[role="note"] { color: $muted; font-size: ${small}px; }
QLabel[role="warn"] { color: $warn; }
QLabel[role="danger"] { color: $danger; font-weight: bold; }
QLabel[role="ok"] { color: $ok; }
QLabel[role="pill-ok"], QLabel[role="pill-warn"], QLabel[role="pill"] {
  border-radius: ${radius}px; padding: 2px ${half}px; font-size: ${small}px; }
QLabel[role="pill-ok"] { background: $ok_soft; color: $ok; }
QLabel[role="pill-warn"] { background: $warn_soft; color: $warn; }
QLabel[role="pill"] { color: $muted; }
QLabel[role="band"] { background: $warn_soft; color: $warn; padding: 3px ${pad}px; font-weight: bold; }
QLabel[role="question"] { background: $accent_soft; border-radius: ${radius}px; padding: ${half}px ${pad}px; }
QFrame[role="card"] { background: $surface; border: 1px solid $line; border-radius: ${radius}px; }
QFrame[role="muted-card"] { background: $ground; border: 1px dashed $field_line; border-radius: ${radius}px; }
QFrame[role="safety"] { background: $danger_soft; border: 1px solid $danger; border-left: ${bar}px solid $danger;
  border-radius: ${radius}px; }
QFrame[role="waiting"] { background: $warn_soft; border: 1px solid $warn; border-left: ${bar}px solid $warn;
  border-radius: ${radius}px; }
QFrame[role="done"] { background: $ok_soft; border: 1px solid $ok; border-left: ${bar}px solid $ok;
  border-radius: ${radius}px; }
QFrame[role="bar"] { background: $surface; border: 0; border-bottom: 1px solid $line; }
QFrame[role="foot"] { background: $surface; border: 0; border-top: 1px solid $line; }
QPushButton { min-height: ${target}px; min-width: ${target}px; padding: 0 ${pad}px; border: 1px solid $field_line;
  border-radius: ${radius}px; background: $surface; color: $text; }
QPushButton:hover { background: $accent_soft; }
QPushButton:focus { border: 2px solid $accent; }
QPushButton:disabled { background: $off; color: $on_off; border-color: $off; }
QPushButton[role="main"] { background: $accent; color: $on_accent; border-color: $accent; font-weight: bold; }
QPushButton[role="main"]:focus { border: 2px solid $text; }
QPushButton[role="main"]:disabled { background: $off; color: $on_off; border-color: $off; }
QPushButton[role="chip"] { min-height: ${chip}px; padding: 0 ${half}px; border: 1px solid $accent;
  background: $accent_soft; color: $accent; }
QPushButton[role="number"] { min-height: ${chip}px; min-width: ${number}px; padding: 0; border: 1px solid $accent;
  background: $accent_soft; color: $accent; }
QPushButton[role="number"]:focus, QPushButton[role="chip"]:focus { border: 2px solid $text; }
QPushButton[role="flat"] { min-height: ${chip}px; border: 1px solid transparent; background: transparent;
  text-align: left; }
QPushButton[role="flat"]:hover { background: $accent_soft; }
QPushButton[role="flat"]:focus { border: 2px solid $accent; }
QPushButton[role="outcome"] { min-height: ${chip}px; padding: 0 ${half}px; color: $muted; border-color: $line; }
QPushButton[role="outcome"]:checked { background: $accent; color: $on_accent; }
QPushButton[role="outcome"]:focus { border: 2px solid $accent; }
QLineEdit { min-height: ${target}px; border: 1px solid $field_line; border-radius: ${radius}px;
  padding: 0 ${half}px; background: $surface; color: $text; selection-background-color: $accent; }
QPlainTextEdit, QTextEdit, QListWidget { border: 1px solid $field_line; border-radius: ${radius}px;
  background: $surface; color: $text; }
QLineEdit:focus, QPlainTextEdit:focus, QTextEdit:focus, QListWidget:focus { border: 2px solid $accent; }
QLineEdit:disabled, QPlainTextEdit:disabled, QTextEdit:disabled { background: $off; color: $on_off; }
QTextBrowser[role="inline"] { border: 0; background: transparent; }
QCheckBox { min-height: ${chip}px; color: $warn; spacing: ${half}px; }
QScrollArea, QScrollArea > QWidget > QWidget[role="page"] { border: 0; background: transparent; }
QSplitter::handle { background: $line; }
QMenu { background: $surface; border: 1px solid $field_line; }
QMenu::item { padding: ${half}px ${pad}px; min-height: ${chip}px; }
QMenu::item:selected { background: $accent_soft; color: $text; }
QToolTip { background: $surface; color: $text; border: 1px solid $field_line; }
"""
