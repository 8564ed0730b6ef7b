"""The vulnerability scan against a service on this machine that speaks the OSV protocol."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from steps import scan
from steps.commands import BuildFailed

pytest.importorskip("pip_audit")
LOCK = "".join(f"{name}==1.0 --hash=sha256:{'ab' * 32}\n" for name in ("good", "bad"))


class Advisories(BaseHTTPRequestHandler):
    """Knows one advisory, for the package named bad, if told so."""

    vulnerable = False

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        package = {"name": asked["package"]["name"], "ecosystem": "PyPI"}
        affected = {"package": package, "versions": ["1.0"], "ranges": []}
        advisory = {"id": "PYSEC-2026-1", "summary": "s", "details": "d", "affected": [affected]}
        answer = {"vulns": [advisory]} if self.vulnerable and package["name"] == "bad" else {}
        content = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_words: object) -> None:
        """Nothing on the test's output."""


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[type[Advisories]]:
    class Asked(Advisories):
        pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Asked)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setenv("PIP_AUDIT_VULNERABILITY_SERVICE", "osv")
    monkeypatch.setenv("PIP_AUDIT_OSV_URL", f"http://127.0.0.1:{server.server_port}/v1/query")
    yield Asked
    server.shutdown()
    server.server_close()


@pytest.fixture
def lock(tmp_path: Path) -> Path:
    file = tmp_path / "windows.lock"
    file.write_text(LOCK, encoding="utf-8")
    return file


def test_a_set_without_an_advisory_is_said_to_be_complete(
    service: type[Advisories], lock: Path, tmp_path: Path
) -> None:
    assert scan.run_into(tmp_path / "report.json", lock) == scan.Scan("no known vulnerability in 2 packages", True)


def test_a_vulnerable_package_stops_the_build_by_name(service: type[Advisories], lock: Path, tmp_path: Path) -> None:
    service.vulnerable = True
    with pytest.raises(BuildFailed, match=r"bad 1\.0 \(PYSEC-2026-1\)"):
        scan.run_into(tmp_path / "report.json", lock)


def test_a_service_that_is_not_there_is_no_clean_scan(
    service: type[Advisories], lock: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_AUDIT_OSV_URL", "http://127.0.0.1:9/v1/query")
    scanned = scan.run_into(tmp_path / "report.json", lock)
    assert not scanned.complete
    assert "NOT AUDITED" in scanned.sentence
    assert "not_audited" in json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
