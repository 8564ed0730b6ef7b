"""What `pip install` of the wheel gives: the command, its resources and the sample plant, from any directory."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
QUESTION = "ライン3の充填機でE-12が出た"
pytest.importorskip("hatchling", reason="hatchling builds the wheel; pip brings it in CI")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    options = ["-q", "--no-deps", "--no-build-isolation", "--disable-pip-version-check"]
    subprocess.run([sys.executable, "-m", "pip", "wheel", *options, "-w", str(folder), str(ROOT)], check=True)
    return next(folder.glob("hozen_navi-*.whl"))


@pytest.fixture(scope="module")
def command(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel alone in a clean environment; its dependencies are borrowed from this one, behind it on the path."""
    folder = tmp_path_factory.mktemp("clean")
    venv.create(folder, with_pip=False, symlinks=True)
    scheme = {"base": str(folder), "platbase": str(folder)}
    packages = Path(sysconfig.get_path("purelib", "posix_prefix", scheme))
    (packages / "borrowed.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    python = folder / "bin" / "python"
    options = ["-q", "--no-deps", "--disable-pip-version-check", "--python", str(python)]
    subprocess.run([sys.executable, "-m", "pip", *options[-2:], "install", *options[:-2], str(wheel)], check=True)
    return folder / "bin" / "hozen-navi"


def test_the_wheel_carries_resources_and_the_sample_plant_and_nothing_of_the_tests(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    for file in (*(ROOT / "resources").rglob("*.toml"), *(ROOT / "data" / "sample").iterdir()):
        if file.is_file():
            assert f"desktop/{file.relative_to(ROOT).as_posix()}" in names
    assert not [name for name in names if "test" in name or name.endswith(".pyc")]


def test_the_installed_command_answers_the_sample_question(command: Path, tmp_path: Path) -> None:
    environment = {**os.environ, "HOZEN_NAVI_DATA_DIR": str(tmp_path / "data")}
    environment.pop("PYTHONPATH", None)
    words = [str(command), "ask", "--sample", "--json", QUESTION]
    done = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert [machine["id"] for machine in document["focus"]["equipment"]] == ["EQ-003"]
    assert document["citations"]


def test_the_command_runs_the_wheels_code_and_not_the_source_tree(command: Path, tmp_path: Path) -> None:
    where = "import desktop, desktop.paths as p; print(desktop.__file__, p.sample_plant(), sep='\\n')"
    python = command.with_name("python")
    done = subprocess.run([str(python), "-P", "-c", where], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert all(line.startswith(str(command.parents[1])) for line in done.stdout.splitlines()), done.stdout
