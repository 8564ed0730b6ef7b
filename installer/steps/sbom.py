"""The software bill of materials (CycloneDX 1.6), and the licence notices for people."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from steps.components import Component
from steps.product import NAME_BOTH, PUBLISHER, Version, stable_id


def write_bill(components: list[Component], version: Version, to: Path) -> None:
    """One JSON document; the same components give the same bytes."""
    document = {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{stable_id(_fingerprint(components, version)).lower()}",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": "hozen-navi",
                "name": "hozen-navi",
                "version": str(version),
                "description": NAME_BOTH,
                "supplier": {"name": PUBLISHER},
                "licenses": [{"license": {"id": "Apache-2.0"}}],
            }
        },
        "components": [_entry(component) for component in components],
        "dependencies": [{"ref": "hozen-navi", "dependsOn": sorted(_reference(component) for component in components)}],
    }
    to.write_text(json.dumps(document, ensure_ascii=False, indent=1) + "\n", encoding="utf-8", newline="\n")


def write_notices(components: list[Component], version: Version, folder: Path) -> None:
    """`folder`/THIRD-PARTY.txt and every licence text beside it, one folder a component."""
    lines = [
        f"{NAME_BOTH} {version}",
        "Apache License 2.0 (LICENSE.txt)",
        "",
        "Third-party components / 第三者の部品",
        "",
    ]
    for component in components:
        lines.append(f"{component.name} {component.version}: {component.licence}")
        if component.where:
            lines.append(f"    {component.where}")
        for text in component.texts:
            target = folder / component.name / text.name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(text, target)
            lines.append(f"    {component.name}/{text.name}")
    (folder / "THIRD-PARTY.txt").write_text("\r\n".join([*lines, ""]), encoding="utf-8-sig", newline="")


def _entry(component: Component) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "type": component.kind,
        "bom-ref": _reference(component),
        "name": component.name,
        "version": component.version,
        "licenses": _licences(component.licence),
    }
    if component.sha256:
        entry["purl"] = _reference(component)
        entry["hashes"] = [{"alg": "SHA-256", "content": component.sha256}]
    return entry


def _licences(licence: str) -> list[dict[str, Any]]:
    if " " in licence or licence.startswith("LicenseRef-"):
        return [{"expression": licence}]
    return [{"license": {"id": licence}}]


def _reference(component: Component) -> str:
    if component.sha256:
        return f"pkg:pypi/{component.name}@{component.version}"
    return f"{component.name.lower().replace(' ', '-')}@{component.version}"


def _fingerprint(components: list[Component], version: Version) -> str:
    return f"{version} " + " ".join(f"{_reference(component)}:{component.sha256}" for component in components)
