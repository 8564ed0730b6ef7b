"""The file of a backup: a ZIP laid out as the data directory, with a manifest of every part's size and SHA-256."""

from __future__ import annotations

import glob
import hashlib
import json
import os
import re
import shutil
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import IO

from desktop.errors import KnownError
from desktop.store.snapshot_files import sync_folder

SCHEMA = 1
_MANIFEST = "manifest.json"
_LARGEST_MANIFEST = 64 * 2**20
_PART = re.compile(
    r"journal\.db|journal\.key\.json|journal\.id|settings\.toml"
    r"|snapshots/(current\.json|plant-\d{5}-\d{8}T\d{6}Z\.duckdb)|files/[0-9a-f]{64}"
)
_CHUNK = 2**20
_SPARE = 16 * 2**20  # bytes left free beside what is written
_ZIP_ERRORS = (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, ValueError, KeyError, TypeError, AttributeError)


@dataclass(frozen=True, slots=True)
class Part:
    """One file of the backup: bytes and SHA-256."""

    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """Whose data it is, when (UTC) and by which program it was taken; `parts` by their names in the data directory.

    `pc` is its host name, "" in a backup of an earlier program.
    """

    program: str
    journal_id: str
    station: str
    pc: str
    made_at: datetime
    parts: Mapping[str, Part]


def need_room(place: Path, size: int) -> None:
    """KnownError("backup_no_room") unless `size` bytes fit beside the file `place`."""
    free = shutil.disk_usage(place.parent).free
    if free < size + _SPARE:
        raise KnownError("backup_no_room", file=str(place), needed=(size + _SPARE) // 2**20, free=free // 2**20)


def write(file: Path, sources: Mapping[str, Path | bytes], about: Manifest) -> str:
    """Writes and reads back the whole backup; then it has its name. Returns its SHA-256.

    `about` comes without its parts. Raises KnownError: backup_exists, backup_no_room, output_unwritable,
    backup_unreadable (one of the sources), backup_damaged (what was written doesn't read back).
    """
    draft = file.with_name(f".{file.name}.{os.getpid()}.tmp")
    with _named_writing(file):
        require_new(file)
        for leftover in file.parent.glob(f".{glob.escape(file.name)}.*.tmp"):  # of a process that died while writing
            leftover.unlink(missing_ok=True)
        need_room(file, sum(_size(source) for source in sources.values()))
        try:
            digest = _write_draft(draft, sources, about)
            require_new(file)
            draft.rename(file)
        finally:
            draft.unlink(missing_ok=True)
        sync_folder(file.parent)
    return digest


def sha256_of(file: Path) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


class Backup:
    """A backup opened for reading; whatever is in it may be hostile.

    Raises KnownError: backup_damaged, backup_too_new, backup_unreadable.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        try:
            self._zip = zipfile.ZipFile(file)
        except OSError as error:
            raise unreadable(file, error) from error
        except _ZIP_ERRORS as error:
            raise self._damaged(str(error)) from error
        try:
            self.manifest = self._read_manifest()
            self._require_listed()
        except BaseException:
            self._zip.close()
            raise

    @property
    def size(self) -> int:
        """Bytes once unpacked."""
        return sum(part.size for part in self.manifest.parts.values())

    def verify(self) -> None:
        """Reads every part and compares it with the manifest."""
        for name in self.manifest.parts:
            for _ in self._chunks(name):
                pass

    def unpack(self, folder: Path) -> None:
        """Every part into `folder`, compared with the manifest; OSError where that can't be written."""
        for name in self.manifest.parts:
            target = folder / name
            target.parent.mkdir(exist_ok=True)
            with open(target, "xb", opener=_private) as out:
                for chunk in self._chunks(name):
                    out.write(chunk)

    def close(self) -> None:
        self._zip.close()

    def _read_manifest(self) -> Manifest:
        with self._named_reading(_MANIFEST):
            if self._zip.getinfo(_MANIFEST).file_size > _LARGEST_MANIFEST:
                raise self._damaged(_MANIFEST)
            told = json.loads(self._zip.read(_MANIFEST))
            if told["schema"] > SCHEMA:
                raise KnownError("backup_too_new", file=str(self._file), theirs=told["schema"], ours=SCHEMA)
            parts = {name: Part(int(part["size"]), str(part["sha256"])) for name, part in told["parts"].items()}
            made_at = datetime.fromisoformat(told["made_at"])
            program, journal_id, station = (str(told[name]) for name in ("program", "journal_id", "station"))
            return Manifest(program, journal_id, station, str(told.get("pc", "")), made_at, parts)

    def _require_listed(self) -> None:
        """Every name once, listed, one of ours, and none missing: nothing can point out of the folder."""
        names = Counter(info.filename for info in self._zip.infolist())
        listed = {*self.manifest.parts, _MANIFEST}
        for name in names.keys() | listed:
            if names[name] != 1 or name not in listed or not (name == _MANIFEST or _PART.fullmatch(name)):
                raise self._damaged(name[:80])
        if "journal.db" not in listed or self.manifest.made_at.tzinfo is None:
            raise self._damaged(_MANIFEST)

    def _chunks(self, name: str) -> Iterator[bytes]:
        part, digest, size = self.manifest.parts[name], hashlib.sha256(), 0
        with self._named_reading(name):
            with self._zip.open(name) as source:
                while size <= part.size and (chunk := source.read(_CHUNK)):
                    size += len(chunk)
                    digest.update(chunk)
                    yield chunk
            if (size, digest.hexdigest()) != (part.size, part.sha256):
                raise self._damaged(name)

    @contextmanager
    def _named_reading(self, name: str) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise unreadable(self._file, error) from error
        except _ZIP_ERRORS as error:
            raise self._damaged(name) from error

    def _damaged(self, part: str) -> KnownError:
        return KnownError("backup_damaged", file=str(self._file), part=part)


def _write_draft(draft: Path, sources: Mapping[str, Path | bytes], about: Manifest) -> str:
    with open(draft, "xb", opener=_private) as out:
        _write_parts(out, sources, about)
        out.flush()
        os.fsync(out.fileno())
    with closing(Backup(draft)) as written:
        written.verify()
    return sha256_of(draft)


def _write_parts(out: IO[bytes], sources: Mapping[str, Path | bytes], about: Manifest) -> None:
    parts = {}
    with zipfile.ZipFile(out, "w") as archive:
        for name, source in sources.items():
            info = zipfile.ZipInfo(name, about.made_at.timetuple()[:6])
            if name.startswith("snapshots/"):  # they shrink to a fiftieth; what is sealed or a PDF doesn't at all
                info.compress_type = zipfile.ZIP_DEFLATED
            parts[name] = _write_part(archive, info, source)
        told = {"schema": SCHEMA, **asdict(about), "made_at": about.made_at.isoformat()}
        told["parts"] = {name: asdict(part) for name, part in parts.items()}
        archive.writestr(_MANIFEST, json.dumps(told, ensure_ascii=False, indent=1))


def _write_part(archive: zipfile.ZipFile, info: zipfile.ZipInfo, source: Path | bytes) -> Part:
    if isinstance(source, bytes):
        archive.writestr(info, source)
        return Part(len(source), hashlib.sha256(source).hexdigest())
    digest, size = hashlib.sha256(), 0
    with _opened(source) as read, archive.open(info, "w", force_zip64=True) as to:
        while chunk := read.read(_CHUNK):
            size += len(chunk)
            digest.update(chunk)
            to.write(chunk)
    return Part(size, digest.hexdigest())


def _opened(source: Path) -> IO[bytes]:
    try:
        return source.open("rb")
    except OSError as error:
        raise unreadable(source, error) from error


def _size(source: Path | bytes) -> int:
    if isinstance(source, bytes):
        return len(source)
    try:
        return source.stat().st_size
    except OSError as error:
        raise unreadable(source, error) from error


def unreadable(file: Path, error: OSError) -> KnownError:
    return KnownError("backup_unreadable", file=str(file), reason=error.strerror or str(error))


def require_new(file: Path) -> None:
    """KnownError("backup_exists")."""
    if file.exists():
        raise KnownError("backup_exists", file=str(file))


@contextmanager
def _named_writing(file: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise KnownError("output_unwritable", file=str(file), reason=error.strerror or str(error)) from error


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
