"""The company's signature on what nobody signed, and on the installers themselves."""

from __future__ import annotations

import shlex
import shutil
from dataclasses import dataclass
from pathlib import Path

from steps.commands import BuildFailed, run

PLACE = "{file}"


@dataclass(frozen=True, slots=True)
class Signer:
    """The company's own signing command, which signs the file named in place of "{file}".

    Keys live in a token, a cloud service or a .pfx, each with its own program; sign_with_pfx.py is the one for a .pfx.
    """

    words: tuple[str, ...]

    @classmethod
    def parse(cls, command: str) -> Signer:
        """Of a command line as a shell would split it; BuildFailed unless it names "{file}" and a known program."""
        words = tuple(shlex.split(command))
        if PLACE not in words:
            raise BuildFailed(f"the signing command has no {PLACE}: {command}")
        if shutil.which(words[0]) is None:
            raise BuildFailed(f"the signing command's program is not there: {words[0]}")
        return cls(words)

    def sign(self, file: Path) -> None:
        """Sign `file` in place; BuildFailed if the command fails."""
        run([str(file) if word == PLACE else word for word in self.words])

    def for_makensis(self) -> str:
        """The command that makensis runs on the uninstaller it has just written, which it calls %1."""
        return " ".join('"%1"' if word == PLACE else f'"{word}"' for word in self.words)
