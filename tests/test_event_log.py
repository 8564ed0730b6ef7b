"""What goes to the Windows Event Log, told by a fake writer; real Windows is in the acceptance checklist."""

import logging
import re
import subprocess
import sys
import threading
from collections.abc import Iterator

import pytest

from desktop.errors import KnownError
from desktop.event_log import ENDED, GONE, STARTED, EventLog, Severity
from desktop.logs import LOG_NAME

Entry = tuple[int, Severity, str]


class Writer:
    """Remembers each entry; `refuse` raises as Windows does when its log is full or closed."""

    def __init__(self, *, refuse: bool = False) -> None:
        self.entries: list[Entry] = []
        self.refuse = refuse

    def __call__(self, number: int, severity: Severity, text: str) -> None:
        if self.refuse:
            raise OSError(1502, "the event log file is full")
        self.entries.append((number, severity, text))


@pytest.fixture
def writer() -> Writer:
    return Writer()


@pytest.fixture
def _watched(writer: Writer) -> Iterator[None]:
    watch = EventLog(writer).watch_bugs()
    yield
    logging.getLogger("desktop").removeHandler(watch)


def bug(what: str = "鈴木さんの質問") -> None:
    """Caught and logged as the borders do."""
    try:
        raise ValueError(what)
    except ValueError:
        logging.getLogger("desktop.somewhere").exception("a command failed")


def test_an_entry_has_its_number_and_stands_in_the_log_too(writer: Writer, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    EventLog(writer).write(STARTED, Severity.INFORMATION, "保全ナビ 0.1.0 を開始しました。")
    assert writer.entries == [(900, Severity.INFORMATION, "HN-900 保全ナビ 0.1.0 を開始しました。")]
    assert [(one.levelno, one.getMessage()) for one in caplog.records] == [
        (logging.INFO, "event: HN-900 保全ナビ 0.1.0 を開始しました。")
    ]


def test_windows_numbers_of_severity_and_our_own_numbers_never_change() -> None:
    assert [(one.name, int(one)) for one in Severity] == [("ERROR", 1), ("WARNING", 2), ("INFORMATION", 4)]
    assert (STARTED, ENDED, GONE) == (900, 901, 902)


def test_a_refused_entry_costs_a_line_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    EventLog(Writer(refuse=True)).write(102, Severity.ERROR, "壊れています。")
    assert [one.getMessage() for one in caplog.records] == [
        "event: HN-102 壊れています。",
        "the Event Log took no entry: [Errno 1502] the event log file is full",
    ]


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (r"C:\Users\tanaka hanako\AppData\Local\HozenNavi に書けません。", r"%USERPROFILE%\AppData\Local\HozenNavi"),
        ("c:/users/田中/ca.pem が読めません。", "%USERPROFILE%/ca.pem"),
        (r"D:\Profiles\tanaka\x に書けません。", r"%USERPROFILE%\x"),
        ("Bearer abcdefghijklmnop でした。", "Bearer …"),
    ],
)
def test_no_persons_folder_and_no_secret_is_told(
    given: str, told: str, writer: Writer, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("USERPROFILE", r"D:\Profiles\Tanaka")
    EventLog(writer).write(104, Severity.ERROR, given)
    for text in (writer.entries[0][2], caplog.text):
        assert told in text
        assert [word for word in ("tanaka", "田中", "abcdefghijklmnop") if word in text.lower()] == []


@pytest.mark.usefixtures("_watched")
def test_a_bug_is_told_once_a_place_and_without_the_words_of_its_error(writer: Writer) -> None:
    for _ in range(5):
        bug()
    try:
        int("x")
    except ValueError:
        logging.getLogger("desktop.elsewhere").exception("a command failed")
    assert [(number, severity) for number, severity, _ in writer.entries] == [(6, Severity.ERROR)] * 2
    first, second = (text for _, _, text in writer.entries)
    assert first.startswith("HN-006 プログラムの不具合")
    assert LOG_NAME in first
    assert re.fullmatch(r"\S*test_event_log:\d+ ValueError", first.splitlines()[-1])
    assert first != second
    assert "鈴木" not in first


@pytest.mark.usefixtures("_watched")
def test_bugs_of_threads_at_once_are_told_once(writer: Writer) -> None:
    threads = [threading.Thread(target=bug) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(writer.entries) == 1


@pytest.mark.usefixtures("_watched")
def test_what_the_world_does_is_no_bug(writer: Writer) -> None:
    log = logging.getLogger("desktop.somewhere")
    log.error("no traceback here")
    try:
        raise KnownError("journal_busy", file="x")
    except KnownError:
        log.exception("known")
    assert writer.entries == []


@pytest.mark.skipif(sys.platform == "win32", reason="there it is registered or not")
def test_without_windows_there_is_only_the_log() -> None:
    program = (
        "import logging; logging.basicConfig(level=logging.INFO, format='%(message)s');"
        "from desktop.event_log import EventLog, Severity; EventLog().write(900, Severity.INFORMATION, 'started')"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stderr == "event: HN-900 started\n"
    assert done.stdout == ""
