"""One window per person, session and data directory; a second start raises the first."""

from __future__ import annotations

import ctypes
import getpass
import hashlib
import os
import sys
from pathlib import Path

from PySide6.QtCore import QDir, QLockFile, QObject, Signal, Slot
from PySide6.QtNetwork import QLocalServer, QLocalSocket

_RAISE = b"raise\n"
_WAIT_MS = 1000


class SingleInstance(QObject):
    """`claim` tells whether this is the first; `raised` is emitted there when another one starts."""

    raised = Signal()

    def __init__(self, root: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        who = f"{getpass.getuser()}|{_session()}|{root.absolute()}"
        self._name = f"hozen-navi-{hashlib.sha256(who.encode('utf-8')).hexdigest()[:16]}"
        self._lock = QLockFile(QDir.temp().filePath(f"{self._name}.lock"))
        self._lock.setStaleLockTime(0)  # a lock is stale when its process is gone, not when it is old
        self._server = QLocalServer(self)
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        self._server.newConnection.connect(self._on_connected)

    def claim(self) -> bool:
        """False = another window has it and was asked to come to the front."""
        if not self._lock.tryLock(0):
            self._ask_first()
            return False
        QLocalServer.removeServer(self._name)  # a killed process leaves its socket behind
        self._server.listen(self._name)
        return True

    def release(self) -> None:
        self._server.close()
        self._lock.unlock()

    def _ask_first(self) -> None:
        socket = QLocalSocket()
        socket.connectToServer(self._name)
        if socket.waitForConnected(_WAIT_MS):
            socket.write(_RAISE)
            socket.waitForBytesWritten(_WAIT_MS)
            socket.disconnectFromServer()

    @Slot()
    def _on_connected(self) -> None:
        while (socket := self._server.nextPendingConnection()) is not None:
            socket.disconnected.connect(socket.deleteLater)
            self.raised.emit()


def _session() -> str:
    """The Windows session: two people on one terminal server, or one twice, each get a window."""
    if sys.platform != "win32":
        return os.environ.get("XDG_SESSION_ID", "")
    session = ctypes.c_ulong()
    kernel = ctypes.windll.kernel32
    kernel.ProcessIdToSessionId(kernel.GetCurrentProcessId(), ctypes.byref(session))
    return str(session.value)
