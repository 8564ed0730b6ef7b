"""One window per person, session and data directory; a second start raises the first, or gives it something to ask."""

from __future__ import annotations

import ctypes
import getpass
import hashlib
import json
import os
import sys
from pathlib import Path

from PySide6.QtCore import QDir, QFileSystemWatcher, QLockFile, QObject, QTimer, Signal, Slot
from PySide6.QtNetwork import QLocalServer, QLocalSocket

from desktop.errors import KnownError
from desktop.open_windows import WindowFiles

_LONGEST = 4096  # bytes of what a second start may say
_WAIT_MS = 1000


class SingleInstance(QObject):
    """`claim` tells whether this is the first; what others want of it is emitted there.

    `raised`: another one was started, with a text for the question line or ""; `close_wanted`: `hozen-navi quit`.
    """

    raised = Signal(str)
    close_wanted = Signal()

    def __init__(self, root: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        who = f"{getpass.getuser()}|{_session()}|{root.absolute()}"
        self._name = f"hozen-navi-{hashlib.sha256(who.encode('utf-8')).hexdigest()[:16]}"
        self.files = WindowFiles(root, self._name)
        self._watch = QFileSystemWatcher(self)
        self._watch.directoryChanged.connect(self._on_files)
        self._lock = QLockFile(QDir.temp().filePath(f"{self._name}.lock"))
        self._lock.setStaleLockTime(0)  # a lock is stale when its process is gone, not when it is old
        self._server = QLocalServer(self)
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        self._server.newConnection.connect(self._on_connected)

    def claim(self, prefill: str = "") -> bool:
        """False = another window has it and was asked to come to the front, with this text in its question line.

        Raises KnownError("start_folder_unwritable").
        """
        if not self._lock.tryLock(0):
            if self._lock.error() is not QLockFile.LockError.LockFailedError:
                raise KnownError("start_folder_unwritable", folder=QDir.tempPath(), reason=self._lock.error().name)
            self._ask_first(prefill)
            return False
        try:
            self.files.hold()
        except OSError as error:
            folder = str(self.files.folder)
            raise KnownError("start_folder_unwritable", folder=folder, reason=error.strerror or str(error)) from error
        self._watch.addPath(str(self.files.folder))
        QTimer.singleShot(0, self._on_files)  # asked between holding and watching
        QLocalServer.removeServer(self._name)  # a killed process leaves its socket behind
        self._server.listen(self._name)
        return True

    def release(self) -> None:
        self._server.close()
        self._watch.removePath(str(self.files.folder))
        self.files.let_go()
        self._lock.unlock()

    def _ask_first(self, prefill: str) -> None:
        socket = QLocalSocket()
        socket.connectToServer(self._name)
        if socket.waitForConnected(_WAIT_MS):
            socket.write(json.dumps(prefill).encode("ascii") + b"\n")
            socket.waitForBytesWritten(_WAIT_MS)
            socket.disconnectFromServer()

    @Slot()
    def _on_connected(self) -> None:
        while (socket := self._server.nextPendingConnection()) is not None:
            socket.disconnected.connect(socket.deleteLater)
            socket.readyRead.connect(self._on_said)

    @Slot()
    def _on_said(self) -> None:
        socket = self.sender()
        if isinstance(socket, QLocalSocket) and (socket.canReadLine() or socket.bytesAvailable() > _LONGEST):
            self.raised.emit(_text(bytes(socket.readLine(_LONGEST).data())))

    @Slot()
    def _on_files(self) -> None:
        if self.files.asked_to_close():
            self.close_wanted.emit()


def _text(line: bytes) -> str:
    """What a second start said; only this person's programs reach the socket, and still it is only text."""
    try:
        said = json.loads(line)
    except ValueError:
        return ""
    return said if isinstance(said, str) else ""


def _session() -> str:
    """The Windows session: two people on one terminal server, or one twice, each get a window."""
    if sys.platform != "win32":
        return os.environ.get("XDG_SESSION_ID", "")
    session = ctypes.c_ulong()
    kernel = ctypes.windll.kernel32
    kernel.ProcessIdToSessionId(kernel.GetCurrentProcessId(), ctypes.byref(session))
    return str(session.value)
