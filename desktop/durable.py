"""What is written is on the disk before anything else happens, whatever becomes of the power."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any, TypeVar

Opened = TypeVar("Opened", bound=IO[Any])


@contextmanager
def synced(opened: Opened) -> Iterator[Opened]:
    """The file open for writing; all of it is on the disk once the block ends well, and it is closed in any case."""
    with opened:
        yield opened
        opened.flush()
        os.fsync(opened.fileno())
