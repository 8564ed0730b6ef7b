"""The window from outside: what `open` may write into it, and a `quit` that ends every window or says it did not."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from desktop import cli, open_windows
from desktop.open_windows import WindowFiles
from tests.cli.conftest import Done

Command = Callable[..., Done]


@pytest.mark.parametrize(
    "arguments",
    [
        ["--equipment", "EQ-003", "--code", "E-12"],
        ["hozen-navi:open?equipment=EQ-003&code=E-12"],
        ["hozen-navi://open/?code=E-12&equipment=EQ-003"],
        ["hozen-navi:?equipment=EQ-003&code=%45-12"],
    ],
)
def test_what_is_to_be_opened_reaches_the_question_line_and_no_more(
    arguments: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    opened: list[tuple[Path | None, str]] = []

    def open_window(root: Path | None, text: str) -> int:
        opened.append((root, text))
        return 0

    assert cli.main(["open", *arguments, "--data-dir", str(tmp_path), "--json"], open_window) == 0
    assert opened == [(tmp_path, "EQ-003 E-12")]
    assert json.loads(capsys.readouterr().out) == {"prefilled": "EQ-003 E-12"}


@pytest.mark.parametrize(
    "link",
    [
        "https://example.com/?equipment=EQ-003",
        "hozen-navi:approve?equipment=EQ-003",
        "hozen-navi:open?equipment=EQ-003&run=calc.exe",
        "hozen-navi:open?equipment=EQ-003%0Aand+more",
        "hozen-navi:open?code=" + "E" * 65,
        "hozen-navi://[open",
        "hozen-navi:open",
    ],
)
def test_a_link_that_says_anything_else_opens_nothing(
    link: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    opened: list[str] = []

    def open_window(_root: Path | None, text: str) -> int:
        opened.append(text)
        return 0

    assert cli.main(["open", link, "--data-dir", str(tmp_path), "--json"], open_window) == 2
    assert json.loads(capsys.readouterr().out)["error"]["code"] == "link_not_understood"
    assert opened == []


_WINDOW = """
import sys; from pathlib import Path; from desktop.open_windows import WindowFiles
window = WindowFiles(Path(sys.argv[1]), "other"); window.hold(); print("open", flush=True)
while sys.argv[2] == "stays" or not window.asked_to_close():
    if sys.stdin.read(1) == "": break
"""


@pytest.fixture
def stubborn(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """A window of another process that does not close when asked."""
    program = [sys.executable, "-c", _WINDOW, str(tmp_path), "stays"]
    with subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as window:
        assert window.stdout is not None
        assert window.stdout.readline() == "open\n"
        yield window
        window.kill()


def test_quit_with_nothing_open_is_done(command: Command, tmp_path: Path) -> None:
    assert command("quit", "--data-dir", str(tmp_path)).document == {"open": 0}


def test_a_window_that_stays_is_told_and_the_request_taken_back(
    command: Command, tmp_path: Path, stubborn: subprocess.Popen[str]
) -> None:
    done = command("quit", "--wait", "0.2", "--data-dir", str(tmp_path))
    assert (done.code, done.document) == (1, {"open": 1})
    assert not list(tmp_path.glob("windows/*.quit"))
    stubborn.kill()
    stubborn.wait()
    assert command("quit", "--data-dir", str(tmp_path)).code == 0, "a killed window is no open one"


def test_what_was_typed_is_kept_for_its_person_until_it_is_given_up(tmp_path: Path) -> None:
    window, typed = WindowFiles(tmp_path, "mine"), {"question c1": {"text": "ライン3の"}}
    window.hold()
    window.keep_drafts({"question c1": {"text": "ライン"}})
    window.keep_drafts(typed)
    assert [file.stat().st_mode & 0o077 for file in tmp_path.glob("windows/*.drafts")] == [0]
    assert WindowFiles(tmp_path, "somebody's").drafts() == {}
    assert window.drafts() == typed
    assert window.drafts() == typed, "a start alone gives nothing up"
    window.keep_drafts({})
    assert not list(tmp_path.glob("windows/*.drafts"))
    window.let_go()
    assert open_windows.close_all(tmp_path, 0) == 0
