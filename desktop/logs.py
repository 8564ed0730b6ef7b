"""Logging: one rotating file per data directory, secrets taken out of every line."""

from __future__ import annotations

import logging
import re
from logging.handlers import RotatingFileHandler
from pathlib import Path

LOG_NAME = "hozen-navi.log"
_SECRET = re.compile(r"(sk-[A-Za-z0-9_-]{8})[A-Za-z0-9_-]+|((?:Bearer|x-api-key:?)\s+)\S+", re.IGNORECASE)
_LOGIN = re.compile(r"(?<=://)[^/\s@]+(?=@)")  # of a URL, as a proxy's may carry


def start(folder: Path) -> Path:
    """Log to `folder`/hozen-navi.log (1 MB, three kept) from now on; returns the file.

    Where it can't be written there is no log: what the program was asked for may still work, and `doctor` says why not.
    """
    file = folder / LOG_NAME
    root = logging.getLogger("desktop")
    ours = [handler for handler in root.handlers if isinstance(handler, RotatingFileHandler)]
    if any(handler.baseFilename == str(file.absolute()) for handler in ours):
        return file
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handler: logging.Handler = _File(file, maxBytes=1_000_000, backupCount=3, encoding="utf-8")
    except OSError:
        handler = logging.NullHandler()
    handler.setFormatter(_Redacting("%(asctime)s %(levelname)s %(name)s %(message)s"))
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    return file


def redact(text: str) -> str:
    """The text with anything that looks like a key, a token or a URL's login replaced."""
    return _LOGIN.sub("…", _SECRET.sub(lambda match: f"{match[1] or match[2]}…", text))


class _File(RotatingFileHandler):
    def handleError(self, record: logging.LogRecord) -> None:
        """A full disk costs the line; a traceback on stderr would hide the answer."""


class _Redacting(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        return redact(super().format(record))
