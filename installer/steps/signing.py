"""The company's signature on what nobody signed, and on the installers themselves."""

from __future__ import annotations

import re
import shlex
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from steps import signatures
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
        """Of a command line as this system's shell would split it; BuildFailed unless it can sign a file."""
        words = split(command, windows=sys.platform == "win32")
        if PLACE not in words:
            raise BuildFailed(f"the signing command has no {PLACE}: {command}")
        if shutil.which(words[0]) is None:
            raise BuildFailed(f"the signing command's program is not there: {words[0]}")
        return cls(tuple(map(_absolute, words)))

    def sign(self, file: Path) -> signatures.Signature:
        """The new signature of `file`, signed in place; BuildFailed if the command fails or leaves it unsigned."""
        run([str(file) if word == PLACE else word for word in self.words])
        signature = signatures.read(file)
        if not (signature.signed and signature.digest_matches):
            raise BuildFailed(f"the signing command ended well, but {file.name} carries no valid signature")
        return signature

    def for_makensis(self) -> str:
        """The command that makensis runs on the uninstaller it has just written, which it calls %1."""
        return " ".join('"%1"' if word == PLACE else f'"{word}"' for word in self.words)


def _absolute(word: str) -> str:
    """A file's name whole, because makensis signs from another folder; any other word as it is."""
    named = Path(word)
    return str(named.resolve()) if named.suffix and named.is_file() else word


def split(command: str, *, windows: bool) -> tuple[str, ...]:
    """The words of a command line; on Windows a backslash is part of a path, and only double quotes hold together."""
    if not windows:
        return tuple(shlex.split(command))
    return tuple(word.replace('"', "") for word in re.findall(r'(?:[^\s"]|"[^"]*")+', command))
