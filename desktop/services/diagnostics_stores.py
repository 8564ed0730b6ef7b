"""What lies in the data directory and on the way out of it: journal, copies, snapshot, plain stores, sync folder."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path

from desktop import config
from desktop.config import Settings
from desktop.credentials import Credentials
from desktop.domain.work_request import Delivery
from desktop.errors import KnownError, hn, known_codes
from desktop.paths import DataDir
from desktop.services import diagnostics_files
from desktop.services import diagnostics_finding as finding
from desktop.services.diagnostics_finding import Finding
from desktop.store import audit, journal_copies, journal_look, outbox, snapshot_files
from desktop.store.journal_key import KEY_FILE
from desktop.store.journal_look import Look
from desktop.store.outbox import Problem
from desktop.store.snapshot import Snapshot

_COPY_EVERY = timedelta(days=7)
# Questions typed and not sent; files that an import was reading when it was killed; what a restore put aside or left.
_LEFT_PLAIN = ("windows/*.drafts", "reading*", "restoring", "before-restore-*")
_FILES_LOOKED_AT = 2_000  # of a station's in the sync folder; a share lists slowly
_UNTIL_NEXT_START = "次に起動したとき、この版の形に直してから見ます。"


@dataclass(frozen=True, slots=True)
class Stores:
    """One data directory; `settings` are those that could be read."""

    data: DataDir
    settings: Settings
    credentials: Credentials
    now: datetime

    def look_at_journal(self, *, thorough: bool) -> Finding:
        """Whether it opens, how it is encrypted, and, if `thorough`, whether every page of it holds."""

        def judge(seen: Look) -> Finding:
            if thorough:
                seen.verify()
            mode = "平文" if seen.encryption_mode == "plain" else f"暗号化（{seen.encryption_mode}）"
            return finding.ok(f"{self.data.journal}、{mode}")

        return self._seen(judge)

    def look_at_audit(self) -> Finding:
        def judge(seen: Look) -> Finding:
            if not seen.is_current:
                return finding.note(_UNTIL_NEXT_START)
            trail = audit.verify(seen.tx)
            if not trail.whole:
                raise KnownError("audit_broken", place=trail.broken_at or trail.untold)
            return finding.ok(f"監査記録 {trail.rows} 行、つながりに異常はありません。")

        return self._seen_if_open(judge)

    def look_at_outbox(self) -> Finding:
        """Approved requests that will not leave until somebody acts."""

        def judge(seen: Look) -> Finding:
            if not seen.is_current:
                return finding.note(_UNTIL_NEXT_START)
            aside = [one for one in outbox.unanswered(seen.tx) if one.delivery is Delivery.NEEDS_ATTENTION]
            if aside:
                problems = dict.fromkeys(_problem_name(one.problem) for one in aside if one.problem)
                raise KnownError("outbox_needs_attention", count=len(aside), problems="、".join(problems) or "-")
            counts = outbox.counts(seen.tx)
            return finding.ok(f"送信待ち {counts[Delivery.QUEUED] + counts[Delivery.SENDING]} 件、要対応 0 件")

        return self._seen_if_open(judge)

    def look_at_channel(self) -> Finding:
        """How the last try to send ended: paused until IT mends it, or tried again by itself."""

        def judge(seen: Look) -> Finding:
            if not seen.is_current:
                return finding.note(_UNTIL_NEXT_START)
            channel = outbox.channel(seen.tx)
            problem = channel.problem
            if problem is None or problem.code not in known_codes():
                last = channel.last_success_at
                return finding.ok(f"最終同期 {last.astimezone():%Y-%m-%d %H:%M}" if last else "まだ送っていません。")
            cause = KnownError(problem.code, reason=problem.reason)
            return finding.failed(cause) if channel.paused else finding.warning(cause)

        return self._seen_if_open(judge)

    def look_at_copy(self) -> Finding:
        """Whether there is something recent to fall back on, also where the journal itself doesn't open."""
        copy = journal_copies.newest(self.data.journal, self.now)
        made = journal_copies.made_at(copy) if copy else None
        if made and timedelta(0) <= self.now - made < _COPY_EVERY:
            return finding.ok(f"{made.astimezone():%Y-%m-%d %H:%M}、{copy}")

        def judge(seen: Look) -> Finding:
            if (occupied := journal_copies.folder(self.data.journal)).exists() and not occupied.is_dir():
                raise KnownError("journal_unwritable", file=str(occupied), reason="フォルダーではありません")
            if made is None and seen.begun and self.now - seen.begun < _COPY_EVERY:
                return finding.note("新しい記録簿です。写しは次に起動したときに作ります。")
            return finding.warning(self._copy_old(copy))

        return self._seen_if_open(judge) if copy is None else finding.warning(self._copy_old(copy))

    def look_at_snapshot(self, *, thorough: bool) -> Finding:
        """Whether it opens and is recent, and, if `thorough`, whether every table can be read."""
        try:
            version = snapshot_files.require_current(self.data.snapshots)
        except KnownError as error:
            if error.code == "no_plant_data":
                return finding.note("まだ台帳データがありません。")
            raise
        with closing(Snapshot.open(snapshot_files.snapshot_file(self.data.snapshots, version))) as snapshot:
            if thorough:
                snapshot.verified()
            published = f"{snapshot.published.astimezone():%Y-%m-%d}"
            if snapshot_files.pointed_at(self.data.snapshots) is None:
                return finding.warning(KnownError("snapshot_fallback", published=published))
            if snapshot.is_old(self.now):
                days = (self.now - snapshot.published).days
                return finding.warning(KnownError("plant_data_old", published=published, days=days))
            if gone := sum(not (self.data.files / name).is_file() for name in snapshot.originals):
                return finding.warning(KnownError("originals_missing", count=gone, folder=str(self.data.files)))
            counts = snapshot.counts
            figures = f"設備 {counts.equipment}、章 {counts.sections}、記録 {counts.records}"
            return finding.ok(f"{snapshot.version}（{published}）、平文、{figures}")

    def look_at_plain_stores(self) -> Finding:
        """Whatever of the plant's words lies on this disk unencrypted, by name."""
        data = self.data
        kept = (data.snapshots, data.files, data.logs, data.sample.root, *self._plain_journal())
        plain = [place for place in kept if place.exists()]
        for pattern in _LEFT_PLAIN:
            plain += sorted(data.root.glob(pattern))
        if self.settings.get(config.SYNC_TRANSPORT) != "none":
            plain.append(self._sync_folder())
        named = "、".join(str(place) for place in plain) or "なし"
        return finding.note(f"{named}（traces = {self.settings.get(config.TRACES)}）")

    def look_at_sync(self) -> Finding:
        """Whether requests can be handed over: written there as the program writes them."""
        if self.settings.get(config.SYNC_TRANSPORT) == "none":
            return finding.ok("送信先は設定されていません。")
        folder, station = self._sync_folder(), self.settings.get(config.STATION_CODE)
        try:
            if not folder.is_dir():
                raise KnownError("sync_folder_missing", reason=str(folder))
            deepest = next(place for place in (folder / "outbox" / station, folder) if place.is_dir())
            delayed = diagnostics_files.look_at_folder(deepest)
        except PermissionError as error:
            raise KnownError("sync_folder_forbidden", reason=str(folder)) from error
        except KnownError as error:
            if error.code == "pc_folder_forbidden":
                raise KnownError("sync_folder_forbidden", reason=str(folder)) from error
            raise
        return delayed or finding.ok(f"{folder}（端末コード {station}）")

    def written(self, *, shares: bool) -> dict[str, datetime | None]:
        """When what is here was written last, by its name: none of it may lie in the future. `shares`: also the sync
        folder."""
        times: dict[str, datetime | None] = {self.data.journal.name: _written(self.data.journal)}
        with suppress(KnownError), journal_look.look(self.data, self.credentials, self._encryption) as seen:
            times["audit"] = seen.last_written() if seen and seen.is_current else None
        if shares and self.settings.get(config.SYNC_TRANSPORT) != "none":
            times["sync.folder"] = max(filter(None, map(_written, self._sync_files())), default=None)
        return times

    @property
    def _encryption(self) -> str:
        return self.settings.get(config.STORAGE_ENCRYPTION)

    def _seen(self, judge: Callable[[Look], Finding]) -> Finding:
        with journal_look.look(self.data, self.credentials, self._encryption) as seen:
            return judge(seen) if seen else finding.note("まだ記録簿がありません。")

    def _seen_if_open(self, judge: Callable[[Look], Finding]) -> Finding:
        """A journal that doesn't open is told once, by its own check."""
        with ExitStack() as opened:
            try:
                seen = opened.enter_context(journal_look.look(self.data, self.credentials, self._encryption))
            except KnownError as error:
                return finding.note(f"記録簿が開かないため、見ていません（{hn(error.code)}）。")
            return judge(seen) if seen else finding.note("まだ記録簿がありません。")

    def _copy_old(self, copy: Path | None) -> KnownError:
        return KnownError("journal_copy_old", days=_COPY_EVERY.days, copy=str(copy or "-"))

    def _plain_journal(self) -> tuple[Path, ...]:
        """The journal and its copies, where it is not encrypted."""
        encrypted = self.data.journal.with_name(KEY_FILE).exists()
        return () if encrypted else (self.data.journal, journal_copies.folder(self.data.journal))

    def _sync_folder(self) -> Path:
        return Path(self.settings.get(config.SYNC_FOLDER))

    def _sync_files(self) -> Iterator[Path]:
        for name in ("outbox", "receipts"):
            with suppress(OSError):
                files = (self._sync_folder() / name / self.settings.get(config.STATION_CODE)).iterdir()
                yield from islice(files, _FILES_LOOKED_AT)


def _problem_name(problem: Problem) -> str:
    return f"{hn(problem.code)} {problem.code}" if problem.code in known_codes() else problem.code


def _written(file: Path) -> datetime | None:
    try:
        return datetime.fromtimestamp(file.stat().st_mtime, UTC)
    except OSError:
        return None
