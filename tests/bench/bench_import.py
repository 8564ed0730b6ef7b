"""How fast a plant's files come in, beside what reading them bare costs in the same run.

    python tests/bench/bench_import.py [--records 100000] [--manuals 200]

Prints rows a second of CPU for CSV and XLSX through the child and into a snapshot, sections a second for manuals, the
child's peak memory, and each as a ratio to csv.reader, calamine or pypdfium2 alone.
"""

from __future__ import annotations

import argparse
import csv
import os
import random
import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import openpyxl
import pypdfium2
import python_calamine

from desktop import paths
from desktop.importing.reader import ReaderProcess
from desktop.importing.request import ReadRequest
from desktop.paths import DataDir
from desktop.services.plant_data import Import, import_paths

HEADER = ["記録No", "日付", "設備ID", "エラーコード", "現象", "原因", "処置", "交換部品", "停止時間(分)", "作業者"]
SYMPTOMS = ("充填ノズル詰まり", "キャップ供給不足で停止", "ベルトから異音", "圧力が下がらない", "センサーが検出しない")
ACTIONS = (
    "逆洗し、Oリングを交換",
    "シュートの噛み込みを除去",
    "軸受に給油し、張りを調整",
    "弁を清掃",
    "検出面を清掃し、距離を調整",
)


def record(number: int, rng: random.Random) -> list[str]:
    day = f"{rng.randint(2015, 2026)}/{rng.randint(1, 12)}/{rng.randint(1, 28)}"
    machine, code = f"EQ-{rng.randint(1, 9999):04}", f"E-{rng.randint(1, 99):02}"
    told = [rng.choice(SYMPTOMS), "" if rng.random() < 0.2 else "摩耗", rng.choice(ACTIONS), "OR-2210"]
    return [f"REC-{number:07}", day, machine, code, *told, str(rng.randint(1, 240)), f"担当{rng.randint(1, 40)}"]


def cpu() -> float:
    """Seconds of this process and of the children it has waited for."""
    own, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


def timed(work: Callable[[], object]) -> float:
    started = cpu()
    work()
    return cpu() - started


def show(name: str, seconds: float, count: int, unit: str, bare: float) -> None:
    print(f"{name}: {count / seconds:,.0f} {unit} a second of CPU, {seconds / bare:.1f} x reading alone ({bare:.2f} s)")


def read_csv(file: Path) -> None:
    with file.open(encoding="cp932", newline="") as opened:
        for _ in csv.reader(opened):
            pass


def read_xlsx(file: Path) -> None:
    python_calamine.CalamineWorkbook.from_path(file).get_sheet_by_index(0).to_python()


def read_pdf(file: Path, times: int) -> None:
    for _ in range(times):
        pdf = pypdfium2.PdfDocument(file)
        for page in pdf:
            page.get_textpage().get_text_range()
        pdf.close()


def through_child(file: Path, out: Path, times: int = 1) -> None:
    with ReaderProcess() as reader:
        for _ in range(times):
            reader.read(file, ReadRequest(), out)


def main() -> None:
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--records", type=int, default=100_000)
    ask.add_argument("--manuals", type=int, default=200)
    args = ask.parse_args()
    rng = random.Random(1)
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        rows = [record(number, rng) for number in range(args.records)]
        table, book, out = work / "records.csv", work / "records.xlsx", work / "out.jsonl"
        with table.open("w", encoding="cp932", newline="") as opened:
            csv.writer(opened).writerows([HEADER, *rows])
        sheet = openpyxl.Workbook(write_only=True)
        page = sheet.create_sheet("記録")
        for row in [HEADER, *rows]:
            page.append(row)
        sheet.save(book)
        del rows
        show("CSV", timed(lambda: through_child(table, out)), args.records, "rows", timed(lambda: read_csv(table)))
        show("XLSX", timed(lambda: through_child(book, out)), args.records, "rows", timed(lambda: read_xlsx(book)))
        manual = paths.sample_plant() / "manuals" / "fl200_r3.pdf"
        whole = timed(lambda: through_child(manual, out, args.manuals))
        show("PDF", whole, args.manuals * 20, "pages", timed(lambda: read_pdf(manual, args.manuals)))
        wall = time.perf_counter()
        seconds = timed(lambda: import_paths(Import(DataDir(work / "data")), [table]))
        print(f"CSV into a published snapshot: {args.records / seconds:,.0f} rows a second of CPU, {seconds:.1f} s")
        print(f"wall {time.perf_counter() - wall:.1f} s with load {os.getloadavg()[0]:.1f}")
        peak = (
            resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss,
            resource.getrusage(resource.RUSAGE_SELF).ru_maxrss,
        )
        print(f"peak memory: child {peak[0] >> 10} MB, this process {peak[1] >> 10} MB")


if __name__ == "__main__":
    main()
