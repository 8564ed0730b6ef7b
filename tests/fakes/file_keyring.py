"""A keyring of one file, so that several processes share secrets; named by PYTHON_KEYRING_BACKEND, with its folder in
PYTHONPATH and its file in FILE_KEYRING."""

import json
import os
from pathlib import Path

from keyring.backend import KeyringBackend


class FileKeyring(KeyringBackend):
    """Only for tests that start processes one after another."""

    priority = 5.0  # type: ignore[assignment]

    @property
    def name(self) -> str:
        return "file"

    def get_password(self, service: str, username: str) -> str | None:
        kept: str | None = self._kept().get(f"{service} {username}")
        return kept

    def set_password(self, service: str, username: str, password: str) -> None:
        self._file.write_text(json.dumps({**self._kept(), f"{service} {username}": password}), encoding="utf-8")

    @property
    def _file(self) -> Path:
        return Path(os.environ["FILE_KEYRING"])

    def _kept(self) -> dict[str, str]:
        return dict(json.loads(self._file.read_text(encoding="utf-8"))) if self._file.exists() else {}
