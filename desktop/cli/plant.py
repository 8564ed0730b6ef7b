"""The plant's data: `import`, `inspect`, `show`, `search`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import click

from desktop import wiring
from desktop.cli import words
from desktop.cli.frame import Output, command, write_file
from desktop.errors import KnownError
from desktop.importing import reader
from desktop.importing.request import Kind, ReadRequest
from desktop.paths import DataDir
from desktop.services import look_up, plant_coverage, plant_data

_KINDS = [kind.value for kind in Kind]
_ROWS_SHOWN = 20
_SOME_FAILED = 3  # as for a single bad file: a script that imports must notice


@command("import")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@click.option("--kind", type=click.Choice(_KINDS), default="auto", help="何のファイルか（既定：列名で見分ける）")
@click.option("--model", default="", help="マニュアルの型番")
@click.option("--mapping", type=click.Path(path_type=Path), help="列の対応を書いた TOML")
@click.option("--password", default="", help="ファイルのパスワード")
@click.option("--ocr", is_flag=True, help="画像だけのページを OCR で読む（追加機能 ocr が要る）")
@click.option("--dry-run", is_flag=True, help="何が変わるかだけを見る")
@click.option("--replace", is_flag=True, help="これまでの台帳データを引き継がない")
@click.option("--refresh", is_flag=True, help="覚えているファイルを読み直す")
def import_(
    paths: tuple[Path, ...],
    kind: str,
    model: str,
    mapping: Path | None,
    password: str,
    ocr: bool,
    dry_run: bool,
    replace: bool,
    refresh: bool,
    data: DataDir,
) -> Output:
    """台帳・記録・マニュアル・名簿・部品・工事を読み込み、新しい台帳データにする。"""
    if refresh == bool(paths):
        raise KnownError("wrong_usage", reason="PATH か --refresh のどちらか一つを指定してください。")
    how = plant_data.Import(data, dry_run=dry_run, replace=replace, progress=_progress())
    if refresh:
        document = plant_data.refresh(how)
    else:
        document = plant_data.import_paths(
            how, paths, kind=kind, model=model, mapping=mapping, password=password, ocr=ocr
        )
    failed = any(file["error"] for file in document["files"])
    return Output(document, words.import_report(document), _SOME_FAILED if failed else 0)


@command("inspect")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--rows", default=str(_ROWS_SHOWN), help="見せる行数、または all")
@click.option("--sheet", default="", help="シート名")
@click.option("--password", default="", help="ファイルのパスワード")
def inspect(file: Path, rows: str, sheet: str, password: str, data: DataDir) -> Output:
    """読み込んだらどう読まれるかを見る。何も変えない。"""
    if rows != "all" and not rows.isdecimal():
        raise KnownError("wrong_usage", reason=f"--rows は数か all です：{rows}")
    shown = None if rows == "all" else int(rows)
    aliases = plant_data.column_names(data)
    document = reader.inspect(file, ReadRequest(sheet=sheet, password=password, rows=shown, aliases=aliases))
    return Output(document, words.table_or_pages(document))


@command("show")
@click.argument("kind", type=click.Choice(["equipment", "record", "manual"]))
@click.argument("identifier", metavar="ID")
@click.option("--sample", is_flag=True, help="同梱の見本工場（架空）")
def show(kind: str, identifier: str, sample: bool, data: DataDir) -> Output:
    """一件を丸ごと、整えた値と元の値で見せる。"""
    with wiring.open_services(data, sample=sample) as services:
        document = look_up.whole(services.plant().snapshot, kind, identifier)
    if document is None:
        raise KnownError("no_such_thing", kind=kind, identifier=identifier)
    return Output(document, words.whole(document))


@command("search")
@click.argument("what", type=click.Choice(["equipment", "manual", "records"]))
@click.argument("terms", nargs=-1, required=True)
@click.option("--sample", is_flag=True, help="同梱の見本工場（架空）")
def search(what: str, terms: tuple[str, ...], sample: bool, data: DataDir) -> Output:
    """search equipment "語"／search manual 型番 "語"／search records 設備ID "語"。"""
    wanted = 1 if what == "equipment" else 2
    if len(terms) != wanted:
        raise KnownError("wrong_usage", reason=f"search {what} には {wanted} 個の語が要ります。")
    with wiring.open_services(data, sample=sample) as services:
        document = look_up.search(services.plant(), what, terms)
    return Output(document, words.results(document), 0 if document["results"] else 1)


@command("coverage")
@click.option("--csv", "csv_file", type=click.Path(path_type=Path), help="同じ内容を CSV に書く")
@click.option("--sample", is_flag=True, help="同梱の見本工場（架空）")
def coverage(csv_file: Path | None, sample: bool, data: DataDir) -> Output:
    """データ健全性：型番・マニュアル・コード表のない設備、文字のないページ、原因のない記録を、ライン別に。"""
    with wiring.open_services(data, sample=sample) as services:
        document = plant_coverage.coverage(services.plant().snapshot)
    table = plant_coverage.coverage_csv(document)
    if csv_file is not None:
        write_file(csv_file, table)
    return Output(document, table.removeprefix("\ufeff").replace("\r\n", "\n").rstrip())


def _progress() -> Callable[[str, float], None]:
    """On a terminal only; a script's stderr stays quiet."""
    if not sys.stderr.isatty():
        return lambda _what, _share: None
    return lambda what, share: click.echo(f"\r{what} {share:4.0%} ", nl=False, err=True)


COMMANDS = (import_, inspect, show, search, coverage)
