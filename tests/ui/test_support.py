"""A support bundle from the menu: the window asks where to, goes on working, and says when it is there."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialogButtonBox, QFileDialog, QLineEdit, QPushButton

from tests.ui.conftest import Bench

Make = Callable[..., Bench]


def save_as(desk: Bench, file: Path) -> None:
    """Through the menu."""
    menu = desk.find("viewButton", QPushButton).menu()
    (action,) = [one for one in menu.actions() if one.text() == "サポート用ファイルを保存…"]
    action.trigger()
    (chooser,) = desk.window.findChildren(QFileDialog)
    suggested = Path(chooser.selectedFiles()[0]).name
    assert suggested.startswith("HozenNavi-")
    assert suggested.endswith(".zip")
    chooser.findChild(QLineEdit, "fileNameEdit").setText(str(file))
    save = chooser.findChild(QDialogButtonBox).button(QDialogButtonBox.StandardButton.Save)
    desk.qtbot.mouseClick(save, Qt.MouseButton.LeftButton)


@pytest.mark.parametrize("unread", [[], ["journal_corrupt"]])
def test_it_is_saved_where_the_person_says_and_the_window_tells(bench: Make, tmp_path: Path, unread: list[str]) -> None:
    desk = bench()
    desk.station.unread = unread
    save_as(desk, tmp_path / "bundle.zip")
    desk.wait(lambda: desk.says("bundle.zip に保存しました"))
    assert (tmp_path / "bundle.zip").exists()
    assert desk.says("文章はすべて省きました") == bool(unread)


def test_what_is_there_is_not_overwritten_and_the_window_says_so(bench: Make, tmp_path: Path) -> None:
    desk = bench()
    (tmp_path / "bundle.zip").write_bytes(b"mine")
    save_as(desk, tmp_path / "bundle.zip")
    desk.wait(lambda: desk.says("HN-890"))
    assert (tmp_path / "bundle.zip").read_bytes() == b"mine"
