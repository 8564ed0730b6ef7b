"""Freezes a snapshot of the small plant as this version writes it.

python -m tests.corpus.make_snapshot
"""

import gzip
import tempfile
from pathlib import Path

from desktop.store.snapshot_schema import SCHEMA
from tests.fakes.plant import small_plant


def main() -> None:
    target = Path(__file__).parent / f"snapshot_{SCHEMA}.duckdb.gz"
    with tempfile.TemporaryDirectory() as folder:
        snapshot = small_plant(Path(folder))
        snapshot.close()
        target.write_bytes(gzip.compress(snapshot.file.read_bytes(), mtime=0))


if __name__ == "__main__":
    main()
