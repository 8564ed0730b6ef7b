"""The parts of the build that need no Windows: versions, lists, archives, the bill of materials."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
import zipfile
from importlib import resources
from pathlib import Path

import pytest
import reportlab
from jsonschema import Draft7Validator
from referencing import Registry, Resource
from smoke import checks, wine
from steps import compiled, msi_source, nsis, sbom, signing, sizes, stage, wheels
from steps.commands import BuildFailed
from steps.components import Component
from steps.product import CONSOLE_EXE, WINDOW_EXE, Version

V = Version(1, 2, 3)


def cyclonedx_1_6() -> Draft7Validator:
    """The standard's own schema, as the library brings it. Its validator would need an extra that makes every start
    of the program slow where it is installed."""
    folder = resources.files("cyclonedx.schema._res")
    names = [f"{name}.SNAPSHOT.schema.json" for name in ("bom-1.6", "spdx", "jsf-0.82")]
    schemas = [json.loads((folder / name).read_text(encoding="utf-8")) for name in names]
    known = zip(names, map(Resource.from_contents, schemas), strict=True)
    return Draft7Validator({**schemas[0], "$id": names[0]}, registry=Registry().with_resources(known))


@pytest.fixture
def program(tmp_path: Path) -> Path:
    folder = tmp_path / "program"
    for name in (WINDOW_EXE, CONSOLE_EXE, "lib/b/x.dll", "lib/a.py", "app/desktop/価格$.txt"):
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(name, encoding="utf-8")
    return folder


@pytest.mark.parametrize("text", ["1.2", "1.2.3.4", "1.2.3-rc1", "256.0.0", "1.2.70000", ""])
def test_a_version_that_an_msi_cannot_order_is_refused(text: str) -> None:
    with pytest.raises(BuildFailed, match="MSI"):
        Version.parse(text)


def test_a_version_reads_back() -> None:
    assert str(Version.parse("1.20.300")) == "1.20.300"
    assert Version.parse("1.20.300").commas == "1,20,300,0"


def test_removal_lists_every_file_and_deeper_folders_first(program: Path) -> None:
    lines = nsis.removal(program)
    assert f'Delete "$INSTDIR\\{WINDOW_EXE}"' in lines
    assert 'Delete "$INSTDIR\\app\\desktop\\価格$$.txt"' in lines
    folders = [line for line in lines if line.startswith("RMDir")]
    assert folders.index('RMDir "$INSTDIR\\lib\\b"') < folders.index('RMDir "$INSTDIR\\lib"')
    assert not any("/r" in line for line in lines)


def test_the_msi_has_one_component_a_file_with_ids_that_stay(program: Path, tmp_path: Path) -> None:
    scope = tmp_path / "install.toml"
    scope.write_text("scope", encoding="utf-8")
    ids = []
    for version in (V, Version(1, 2, 4)):
        source = tmp_path / f"{version}.wxs"
        (program / "app/desktop/価格$.txt").unlink(missing_ok=True)
        msi_source.write(program, scope, version, source, 15063)
        root = ElementTree.parse(source).getroot()
        space = "{http://schemas.microsoft.com/wix/2006/wi}"
        components = root.iter(f"{space}Component")
        ids.append({component.get("Guid") for component in components})
        assert len(list(root.iter(f"{space}File"))) == 5
    assert ids[0] == ids[1]


def test_the_archive_is_the_same_for_the_same_content_and_finds_namespace_packages(tmp_path: Path) -> None:
    archives = []
    for name in ("one", "two"):
        library = tmp_path / name
        (library / "space" / "inner").mkdir(parents=True)
        (library / "space" / "inner" / "__init__.py").write_text("VALUE = 1\n", encoding="utf-8")
        (library / "binary").mkdir()
        (library / "binary" / "x.pyd").write_bytes(b"")
        (library / "binary" / "y.py").write_text("VALUE = 2\n", encoding="utf-8")
        archive = tmp_path / f"{name}.zip"
        compiled.pack(library, archive)
        archives.append(archive.read_bytes())
        assert not (library / "space").exists()
        assert list((library / "binary" / "__pycache__").iterdir())
    assert archives[0] == archives[1]
    assert zipfile.ZipFile(tmp_path / "one.zip").namelist() == ["space/", "space/inner/", "space/inner/__init__.pyc"]


def test_byte_code_names_no_folder_of_this_machine(tmp_path: Path) -> None:
    file = tmp_path / "package" / "module.py"
    file.parent.mkdir()
    file.write_text("def f(): raise ValueError\n", encoding="utf-8")
    compiled.compile_beside(tmp_path, [file])
    content = next(tmp_path.rglob("*.pyc")).read_bytes()
    assert str(tmp_path).encode() not in content
    assert b"package\\module.py" in content


def test_a_file_that_names_the_build_folder_stops_the_build(program: Path, tmp_path: Path) -> None:
    stage.refuse_build_paths(program, tmp_path / "elsewhere")
    (program / "lib" / "a.py").write_text(f"HOME = '{tmp_path / 'elsewhere'}'\n", encoding="utf-8")
    with pytest.raises(BuildFailed, match=r"lib/a\.py"):
        stage.refuse_build_paths(program, tmp_path / "elsewhere")


def test_a_script_that_windows_would_run_stops_the_build(program: Path) -> None:
    stage.refuse_scripts(program)
    (program / "lib" / "Helper.PS1").write_text("", encoding="utf-8")
    with pytest.raises(BuildFailed, match=r"Helper\.PS1"):
        stage.refuse_scripts(program)


def test_the_bill_is_the_same_twice_and_names_hash_and_licence(tmp_path: Path) -> None:
    crate = Component("libc", "0.2.1", "MIT OR Apache-2.0", "library")
    parts = [
        Component("duckdb", "2.0.1", "MIT", "library", "ab" * 32),
        Component("Qt", "6.12.0", "LGPL-3.0-only", "library", where="lib", cpe="cpe:2.3:a:qt:qt:6.12.0:*:*:*:*:*:*:*"),
        Component("sniffio", "1.3.1", "MIT OR Apache-2.0", "library", "cd" * 32, inside=(crate,)),
        Component("FreeType", "", "FTL", "library", where="lib/Qt6Gui.dll"),
        Component("FreeType", "", "FTL", "library", where="lib/Qt6Pdf.dll"),
    ]
    texts = []
    for name in ("one", "two"):
        sbom.write_bill(parts, V, tmp_path / name)
        texts.append((tmp_path / name).read_text(encoding="utf-8"))
    assert texts[0] == texts[1]
    document = json.loads(texts[0])
    assert [error.message for error in cyclonedx_1_6().iter_errors(document)] == []
    first, second, third, *_free_types = document["components"]
    assert first["purl"] == "pkg:pypi/duckdb@2.0.1"
    assert first["hashes"] == [{"alg": "SHA-256", "content": "ab" * 32}]
    assert second["licenses"] == [{"license": {"id": "LGPL-3.0-only"}}]
    assert second["cpe"].startswith("cpe:2.3:a:qt:qt:6.12.0:")
    assert third["licenses"] == [{"expression": "MIT OR Apache-2.0"}]
    assert [part["purl"] for part in third["components"]] == ["pkg:cargo/libc@0.2.1"]
    assert sorted(document["dependencies"][0]["dependsOn"]) == sorted(
        part["bom-ref"] for part in document["components"]
    )


def test_a_machine_without_wine_is_told_apart_from_a_failed_smoke_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(wine.WineBroken, match="not installed: wine"), wine.fresh(tmp_path / "wine"):
        pass


def test_staged_times_are_one_time(program: Path) -> None:
    stage.settle_times(program)
    assert {path.stat().st_mtime for path in [program, *program.rglob("*")]} == {stage.EPOCH}


@pytest.mark.parametrize("command", ["signtool sign", "no-such-program-here {file}"])
def test_a_signing_command_that_cannot_work_is_refused_before_the_build(command: str) -> None:
    with pytest.raises(BuildFailed):
        signing.Signer.parse(command)


def test_a_windows_command_line_keeps_its_backslashes_and_quoted_spaces() -> None:
    command = r'"C:\Program Files\Kits\signtool.exe" sign /f C:\keys\a.pfx /n "会社 名" {file}'
    words = (r"C:\Program Files\Kits\signtool.exe", "sign", "/f", r"C:\keys\a.pfx", "/n", "会社 名", "{file}")
    assert signing.split(command, windows=True) == words
    assert signing.split("sh -c 'a b' {file}", windows=False) == ("sh", "-c", "a b", "{file}")


def test_two_licence_texts_of_one_name_stay_two(tmp_path: Path) -> None:
    texts = []
    for place in ("licenses/own/Apache-2.0.txt", "licenses/built/Apache-2.0.txt"):
        texts.append(tmp_path / "x.dist-info" / place)
        texts[-1].parent.mkdir(parents=True)
        texts[-1].write_text(place, encoding="utf-8")
    parts = [
        Component("x", "1", "Apache-2.0", "library", where="lib", texts=tuple(texts)),
        Component("inner", "", "Zlib", "library", where="lib/x.pyd", texts_of="x"),
    ]
    sbom.write_notices(parts, V, tmp_path)
    assert [file.read_text(encoding="utf-8") for file in sorted((tmp_path / "x").rglob("*.txt"))] == [
        "licenses/built/Apache-2.0.txt",
        "licenses/own/Apache-2.0.txt",
    ]
    lines = (tmp_path / "THIRD-PARTY.txt").read_text(encoding="utf-8-sig").splitlines()
    assert lines[lines.index("inner: Zlib") + 2] == "    licences/x/"


def test_sizes_name_the_largest_first(program: Path) -> None:
    (program / "lib" / "b" / "x.dll").write_bytes(bytes(3_000_000))
    assert sizes.table(program).splitlines()[0].split() == ["3.0", "MB", "lib/b"]


def test_the_guides_table_of_what_stays_is_read() -> None:
    kept = checks.kept_by_the_guide()
    assert r"HozenNavi/policy\.toml" in kept
    assert r"HozenNavi/data/.+" in kept


_WRITES_A_PDF = """
import sys
from datetime import UTC, datetime
sys.path[:0] = sys.argv[1:]
import reportlab
from desktop.pdf_sheet import FONTS, Part, Sheet, pdf
assert ".zip" in reportlab.__file__
for fonts in (FONTS, ()):
    sheet = Sheet("依頼", "1", (), "ライン3", "充填機", (Part("a", (("件名", "髙﨑"),)),), datetime.now(UTC))
    print(pdf(sheet, fonts)[:5])
"""


def test_the_pdf_library_writes_with_what_pruning_leaves_and_out_of_the_archive(tmp_path: Path) -> None:
    library = tmp_path / "lib"
    for name in ("plugins", "translations"):
        (library / "PySide6" / name).mkdir(parents=True)
    packages = Path(reportlab.__file__).parents[1]
    for name in ("reportlab", "PIL", "pillow.libs"):
        if (packages / name).is_dir():
            shutil.copytree(packages / name, library / name, ignore=shutil.ignore_patterns("__pycache__"))
    wheels.prune(library)
    assert not (library / "reportlab" / "graphics").exists()
    assert sum(file.suffix == ".py" for file in (library / "PIL").iterdir()) == 9
    pure = tmp_path / "pure"
    pure.mkdir()
    (library / "reportlab").rename(pure / "reportlab")
    compiled.pack(pure, tmp_path / "lib.zip")
    places = [str(tmp_path / "lib.zip"), str(library), str(Path(__file__).parents[2])]
    done = subprocess.run(
        [sys.executable, "-S", "-c", _WRITES_A_PDF, *places], capture_output=True, text=True, check=False
    )
    assert done.stdout.splitlines() == ["b'%PDF-'"] * 2, done.stderr
