"""A plant's files into its next snapshot: what changed is read, the rest is kept, all of it or nothing of it."""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from desktop import paths as places
from desktop.credentials import Credentials
from desktop.domain.ledger import Person
from desktop.errors import KnownError
from desktop.importing.mapping_file import read_mapping
from desktop.importing.request import ColumnMapping, Kind, ReadRequest
from desktop.paths import DataDir
from desktop.services.people import Roster
from desktop.services.plant_build import Built, fill
from desktop.services.plant_files import expand, keep_original
from desktop.services.plant_reading import Known, Order, Progress, ReadFile, read_all
from desktop.services.plant_sources import READER, names_machines_loosely, reports_of, request_of
from desktop.store import data_swap, snapshot_files
from desktop.store.journal import open_journal
from desktop.store.snapshot import Snapshot
from desktop.store.snapshot_builder import Difference, SnapshotBuilder, Source
from desktop.store.snapshot_schema import LAYOUTS, SCHEMA

TakePeople = Callable[[Sequence[Person], Mapping[str, str]], object]
_MOST_NAMED = 100
_REPLACEABLE = frozenset({"snapshot_corrupt", "snapshot_other_layout", "snapshot_too_new"})
_STAMP = "sample.json"
_READING = "reading"
_WAIT_SECONDS = 60.0
_POLL_SECONDS = 0.1
_TOTALS = {
    Kind.LEDGER: "equipment",
    Kind.RECORD: "records",
    Kind.ROSTER: "people",
    Kind.PART: "parts",
    Kind.OPEN_ORDER: "open_orders",
    Kind.SYNONYM: "synonyms",
    Kind.ALIAS: "aliases",
    Kind.SAFETY_RULE: "safety_rules",
    Kind.MANUAL: "sections",
}


_COUNTED = {Kind.LEDGER: "設備", Kind.RECORD: "保全記録", Kind.PART: "部品", Kind.OPEN_ORDER: "手配"}


@dataclass(frozen=True, slots=True)
class Import:
    """How an import runs.

    `replace` starts from nothing; `sample` marks the bundled plant's own place; `take_people` receives a roster with
    the PINs printed in it (default: the journal of `data`); `progress(what, share 0..1)`.
    """

    data: DataDir
    dry_run: bool = False
    replace: bool = False
    sample: bool = False
    take_people: TakePeople | None = None
    progress: Progress = field(default=lambda _what, _share: None)
    cancelled: Callable[[], bool] = field(default=lambda: False)


def import_paths(
    how: Import,
    paths: Sequence[Path],
    *,
    kind: str = "auto",
    model: str = "",
    mapping: Path | None = None,
    password: str = "",
    ocr: bool = False,
) -> dict[str, Any]:
    """Files and folders into the next snapshot; CONTRACT's import JSON.

    Beside CONTRACT's keys: `changed` (false = nothing was new), `difference` to the snapshot before, `warnings` over
    all files, and per file `unchanged` and `error`. A bad file among good ones is reported and its old data kept; if
    every file is bad, the first one's KnownError is raised. KnownErrors also of expand, read_mapping, SnapshotBuilder,
    open_journal.
    """
    columns = read_mapping(mapping) if mapping else ColumnMapping()
    request = ReadRequest(kind=Kind(kind), model=model, mapping=columns, password=password, ocr=ocr)
    files, left_out = expand(paths)
    told = [f"{file.name} はファイルではない（パイプ・装置など）ため、読んでいません。" for file in left_out]
    report = _run(how, [Order(path, request) for path in files])
    return {**report, "warnings": [*told, *report["warnings"]]}


def refresh(how: Import) -> dict[str, Any]:
    """Every remembered file read again as it was, if it changed; one that is gone or broken keeps its old data."""
    with _current(how.data) as previous:
        orders = [Order(Path(source.path), request_of(source)) for source in (previous.sources if previous else ())]
    if not orders:
        raise KnownError("import_nothing_remembered")
    return _run(how, orders)


def column_names(data: DataDir) -> str:
    """The plant's own list of column names (TOML), "" where it has none or no data yet."""
    with _current(data) as snapshot:
        return snapshot.plant_list(Kind.ALIAS) or "" if snapshot else ""


def rollback(data: DataDir) -> str:
    """The snapshot before the current one becomes current; its version. KnownError snapshot_no_previous."""
    return snapshot_files.rollback(data.snapshots)


def ensure_sample(data: DataDir) -> None:
    """The bundled plant in `data.sample`, read in at first use and whenever the bundled files or readers changed."""
    place, stamp = data.sample, _stamp_of(places.sample_plant())
    deadline = time.monotonic() + _WAIT_SECONDS
    while not _is_stamped(place, stamp):
        try:
            import_paths(Import(place, replace=True, sample=True), [places.sample_plant()])
        except KnownError as error:
            if error.code != "snapshot_build_running" or time.monotonic() > deadline:
                raise
            time.sleep(_POLL_SECONDS)  # another process reads it in right now
        else:
            (place.root / _STAMP).write_text(json.dumps({"sample": stamp}), encoding="utf-8")


def _run(how: Import, orders: Sequence[Order]) -> dict[str, Any]:
    _require_journal(how)
    with SnapshotBuilder(how.data.snapshots) as builder, _work_folder(how.data) as work, _before(how) as previous:
        base = None if how.replace else previous
        before = {source.source_id: source for source in (base.sources if base else ())}
        known = Known(base.models(), base.plant_list(Kind.ALIAS) or "") if base else Known()
        files, known = read_all(orders, before, known, work, how.progress, how.cancelled)
        if any(file.is_new_ledger for file in files):
            files = _settle_anew(how, files, before, known, work)
        errors = [file.error for file in files if file.error]
        if len(errors) == len(files):
            raise errors[0]
        version = previous.version if previous else None
        warnings: list[str] = []
        if not how.replace and not any(file.outcome for file in files):
            return {**_report(how, files, version, Built(), difference={}), "warnings": warnings}
        built = fill(builder, base, files)
        difference = {**_told(builder.difference(previous)), **_told(built.lists_changed)} if previous else {}
        if not how.dry_run:
            for file in built.originals:
                keep_original(file.order.path, file.sha256, how.data.files)
            version = builder.publish(lambda share: how.progress("", share), how.cancelled)
            _take_people(how, built)
            warnings = _overlaps(how.data)
        return {**_report(how, files, version, built, difference), "warnings": warnings}


def _require_journal(how: Import) -> None:
    """A version whose migration fails must not publish what the version before it can't read, nor a restore meet it."""
    data_swap.refuse_unfinished(how.data.root)
    if how.data.journal.exists() and not how.dry_run:
        open_journal(how.data, Credentials(), sample=how.sample).close()


def _settle_anew(
    how: Import, files: list[ReadFile], before: Mapping[str, Source], known: Known, work: Path
) -> list[ReadFile]:
    """Records that name their machines loosely are read again under a new ledger, if their file is still there."""
    fresh = {file.source_id for file in files if file.outcome}
    loose = {
        name: Order(Path(source.path), request_of(source))
        for name, source in before.items()
        if name not in fresh and names_machines_loosely(source) and Path(source.path).is_file()
    }
    folder = work / "again"
    folder.mkdir()
    again, _ = read_all(list(loose.values()), {}, known, folder, how.progress, how.cancelled)
    return [*(file for file in files if file.source_id not in loose), *(file for file in again if file.outcome)]


def _overlaps(data: DataDir) -> list[str]:
    """Told when files gave the same id: what was read adds up to more than what is there."""
    with _current(data) as snapshot:
        if snapshot is None:
            return []
        told = Counter(dict.fromkeys(_COUNTED, 0))
        for source in snapshot.sources:
            for report in reports_of(source):
                told[Kind(report["kind"])] += report["accepted"]
        there = {kind: getattr(snapshot.counts, _TOTALS[kind]) for kind in _COUNTED}
    return [
        f"{name}{told[kind] - there[kind]}件は、同じ番号がほかのファイルにもあります。あとから読んだ方を使います。"
        for kind, name in _COUNTED.items()
        if told[kind] > there[kind]
    ]


def _take_people(how: Import, built: Built) -> None:
    """The roster goes to the journal; only the bundled plant's prints PINs that count."""
    if not built.roster:
        return
    persons = [row.person for row in built.roster]
    pins = {row.person.person_id: row.pin for row in built.roster if row.pin}
    if how.take_people:
        how.take_people(persons, pins)
        return
    credentials = Credentials()
    with closing(open_journal(how.data, credentials, sample=how.sample)) as journal:
        Roster(journal, credentials).import_people(persons, pins if how.sample else None)


def _report(
    how: Import, files: Sequence[ReadFile], version: str | None, built: Built, difference: Mapping[str, Any]
) -> dict[str, Any]:
    shown = [entry for file in files for entry in _entries(file, built)]
    totals: Counter[str] = Counter(dict.fromkeys(("equipment", "manuals", *_TOTALS.values()), 0))
    for entry in shown:
        totals[_TOTALS.get(Kind(entry["kind"]), "")] += entry["accepted"]
        totals["manuals"] += entry["kind"] == Kind.MANUAL and not entry["error"]
    return {
        "snapshot": version,
        "changed": not how.dry_run and (how.replace or any(file.outcome for file in files)),
        "dry_run": how.dry_run,
        "files": shown,
        "totals": {name: count for name, count in totals.items() if name},
        "difference": difference,
    }


def _entries(file: ReadFile, built: Built) -> Iterator[dict[str, Any]]:
    """One entry a table or manual; a file that failed has one with its error."""
    state = {"unchanged": file.kept is not None, "error": file.error.to_json() if file.error else None}
    reports = list(file.reports())
    if not reports:
        yield {**_NO_REPORT, "path": str(file.order.path), "kind": file.order.request.kind.value, **state}
    for number, report in enumerate(reports):
        more = built.warnings.get(file.source_id, []) if number == 0 else []
        yield {**report, "warnings": [*report["warnings"], *more], **state}


_NO_REPORT: Mapping[str, Any] = {
    "sheet": None, "encoding": None, "header_row": None, "accepted": 0, "rejected": 0, "rows": [], "mapping": {},
    "confidence": None, "dropped": {}, "sections": None, "pages": None, "pages_without_text": [], "warnings": [],
}  # fmt: skip


def _told(differences: Mapping[str, Difference]) -> dict[str, Any]:
    """By kind how many ids are added, changed and gone, and the first of them."""
    return {
        kind: {
            how: {"count": len(ids), "ids": list(ids[:_MOST_NAMED])}
            for how, ids in (("added", one.added), ("changed", one.changed), ("gone", one.gone))
        }
        for kind, one in differences.items()
        if one
    }


@contextmanager
def _current(data: DataDir) -> Iterator[Snapshot | None]:
    snapshot = Snapshot.current(data.snapshots)
    try:
        yield snapshot
    finally:
        if snapshot:
            snapshot.close()


@contextmanager
def _before(how: Import) -> Iterator[Snapshot | None]:
    """What an import starts from; one that starts from nothing is the way out of a snapshot that can't be read."""
    try:
        snapshot = Snapshot.current(how.data.snapshots)
    except KnownError as error:
        if not how.replace or error.code not in _REPLACEABLE:
            raise
        snapshot = None
    try:
        yield snapshot
    finally:
        if snapshot:
            snapshot.close()


@contextmanager
def _work_folder(data: DataDir) -> Iterator[Path]:
    """Where the child writes; a killed import's leavings go first. Enter it while the builder's lock is held.

    Each import has its own: publishing ends the lock, so the next one may begin before this one has tidied up.
    """
    for left in data.root.glob(f"{_READING}*"):
        shutil.rmtree(left, ignore_errors=True)
    folder = Path(tempfile.mkdtemp(prefix=_READING, dir=data.root))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _stamp_of(folder: Path) -> str:
    digest = hashlib.sha256(f"{READER} {LAYOUTS[SCHEMA]}".encode())
    for file in sorted(path for path in folder.rglob("*") if path.is_file()):
        digest.update(file.relative_to(folder).as_posix().encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()


def _is_stamped(place: DataDir, stamp: str) -> bool:
    file = place.root / _STAMP
    if not file.is_file() or snapshot_files.current_version(place.snapshots) is None:
        return False
    return file.read_text(encoding="utf-8") == json.dumps({"sample": stamp})
