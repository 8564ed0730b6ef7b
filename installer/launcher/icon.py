"""Makes app.ico from resources/icons/hozen-navi.png; run after changing it: `python installer/launcher/icon.py`."""

from __future__ import annotations

import struct
from pathlib import Path

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, Qt
from PySide6.QtGui import QImage

HERE = Path(__file__).resolve().parent
PICTURE = HERE.parents[1] / "resources" / "icons" / "hozen-navi.png"
SIZES = (16, 20, 24, 32, 40, 48, 64, 256)


def main() -> None:
    """Write app.ico with one PNG picture a size."""
    pictures = [_png(size) for size in SIZES]
    offset = 6 + 16 * len(pictures)
    entries = b""
    for size, picture in zip(SIZES, pictures, strict=True):
        entries += struct.pack("<BBBBHHII", size % 256, size % 256, 0, 0, 1, 32, len(picture), offset)
        offset += len(picture)
    (HERE / "app.ico").write_bytes(struct.pack("<HHH", 0, 1, len(pictures)) + entries + b"".join(pictures))


def _png(size: int) -> bytes:
    image = QImage(str(PICTURE))
    how = Qt.AspectRatioMode.KeepAspectRatio, Qt.TransformationMode.SmoothTransformation
    content = QByteArray()
    buffer = QBuffer(content)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.scaled(size, size, *how).save(buffer, "PNG")
    return bytes(content.data())


if __name__ == "__main__":
    main()
