"""Known vulnerabilities of the pinned set, where the advisories can be reached."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from steps.commands import BuildFailed, attempt
from steps.wheels import LOCK


def run_into(report: Path) -> str:
    """pip-audit's JSON in `report`, and one line saying what it means; BuildFailed if anything is vulnerable.

    A machine that reaches no advisory service (the usual CI) gets a line that says so: not audited is not clean.
    """
    command = [sys.executable, "-m", "pip_audit", "-r", LOCK, "--no-deps", "--disable-pip", "-f", "json", "-o", report]
    done = attempt([*command, "--progress-spinner", "off"], timeout=300)
    if not report.exists():
        reason = (done.stderr or done.stdout).strip().splitlines()[-1:]
        report.write_text(json.dumps({"not_audited": reason}) + "\n", encoding="utf-8")
        return f"vulnerabilities NOT AUDITED: {' '.join(reason)}"
    packages = json.loads(report.read_text(encoding="utf-8"))["dependencies"]
    vulnerable = [f"{package['name']} {package['version']}" for package in packages if package.get("vulns")]
    skipped = [package["name"] for package in packages if "skip_reason" in package]
    if vulnerable:
        raise BuildFailed(f"known vulnerabilities in {', '.join(vulnerable)}: see {report.name}")
    if skipped:
        return f"vulnerabilities NOT AUDITED for {len(skipped)} of {len(packages)} packages: no advisories reached here"
    return f"no known vulnerability in {len(packages)} packages"
