"""What a technician may do, in a test that runs as root: root may read and write everywhere."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_NOBODY = 65534


@contextmanager
def reachable_folder() -> Iterator[Path]:
    """A folder that other users can reach, which pytest's own are not."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)


@contextmanager
def as_somebody_else() -> Iterator[None]:
    """Without root's rights; what is not imported yet may be out of reach."""
    before = os.geteuid()
    if before == 0:
        os.seteuid(_NOBODY)
    try:
        yield
    finally:
        os.seteuid(before)
