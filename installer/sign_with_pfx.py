"""Signs one Windows program or installer in place with a .pfx: `python sign_with_pfx.py CERT.pfx FILE [TIMESTAMP_URL]`.

The password is read from HOZEN_NAVI_SIGN_PASSWORD, never from the command line, where other processes could read it.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

PASSWORD = "HOZEN_NAVI_SIGN_PASSWORD"


def main(arguments: list[str]) -> int:
    """osslsigncode's exit code; 2 with a sentence if it could not be asked."""
    if len(arguments) not in (2, 3):
        print(__doc__, file=sys.stderr)
        return 2
    if PASSWORD not in os.environ:
        print(f"{PASSWORD} is not set: export the password of {arguments[0]} in it", file=sys.stderr)
        return 2
    return sign(*arguments)


def sign(certificate: str, file: str, timestamp_url: str = "") -> int:
    """osslsigncode's exit code; `file` stays as it was unless that is 0."""
    with tempfile.TemporaryDirectory() as folder:
        password = Path(folder) / "password"
        password.touch(mode=0o600)
        password.write_text(os.environ[PASSWORD], encoding="utf-8")
        signed = Path(folder) / "signed"
        stamped = ["-ts", timestamp_url] if timestamp_url else []
        named = ["-pkcs12", certificate, "-readpass", str(password), "-h", "sha256", "-n", "Hozen Navi"]
        done = subprocess.run(["osslsigncode", "sign", *named, *stamped, "-in", file, "-out", str(signed)], check=False)
        if done.returncode == 0:
            Path(file).write_bytes(signed.read_bytes())
        return done.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
