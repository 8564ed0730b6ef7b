"""Known vulnerabilities of the pinned set, where the advisories can be reached."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from steps.commands import BuildFailed, attempt
from steps.wheels import LOCK, locked

_LONGEST_SECONDS = 300


@dataclass(frozen=True, slots=True)
class Scan:
    """What a scan says in one line, and whether every package of the lock was looked up."""

    sentence: str
    complete: bool


def run_into(report: Path, lock: Path = LOCK) -> Scan:
    """pip-audit's JSON in `report`; BuildFailed if anything is vulnerable.

    A machine that reaches no advisory service (the usual CI) gets an incomplete scan: not audited is not clean.
    Which service is asked, pip-audit's own environment variables say (PIP_AUDIT_VULNERABILITY_SERVICE and others).
    """
    command = [sys.executable, "-m", "pip_audit", "-r", lock, "--no-deps", "--disable-pip", "-f", "json", "-o", report]
    try:
        done = attempt([*command, "--progress-spinner", "off"], timeout=_LONGEST_SECONDS)
        last_words = (done.stderr or done.stdout).strip().splitlines()[-1:]
    except subprocess.TimeoutExpired:
        last_words = [f"no answer within {_LONGEST_SECONDS} s"]
    if not report.exists():
        report.write_text(json.dumps({"not_audited": last_words}) + "\n", encoding="utf-8")
        return Scan(f"vulnerabilities NOT AUDITED: {' '.join(last_words)}", complete=False)
    return _judged(json.loads(report.read_text(encoding="utf-8"))["dependencies"], report, len(locked(lock)))


def _judged(packages: list[dict[str, Any]], report: Path, wanted: int) -> Scan:
    vulnerable = [
        f"{package['name']} {package['version']} ({', '.join(found['id'] for found in package['vulns'])})"
        for package in packages
        if package.get("vulns")
    ]
    if vulnerable:
        raise BuildFailed(f"known vulnerabilities in {', '.join(vulnerable)}: see {report}")
    audited = sum("skip_reason" not in package for package in packages)
    if audited < wanted:
        missed = f"{wanted - audited} of {wanted} packages: no advisories reached here"
        return Scan(f"vulnerabilities NOT AUDITED for {missed}", complete=False)
    return Scan(f"no known vulnerability in {audited} packages", complete=True)
