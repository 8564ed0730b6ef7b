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
        lines.append(f"{component.name} {component.version}".rstrip() + f": {component.licence}")
        lines.append(f"    {component.where}")
        lines += [f"    licences/{_kept(text, component, folder).as_posix()}" for text in component.texts]
        if component.texts_of:
            lines.append(f"    licences/{component.texts_of}/")
    (folder / "THIRD-PARTY.txt").write_text("\r\n".join([*lines, ""]), encoding="utf-8-sig", newline="")


def _kept(text: Path, component: Component, folder: Path) -> Path:
    """Where below `folder` the copy of a licence text is; two of one name stay two, as the wheel has them."""
    parts = text.parts
    inner = Path(*parts[parts.index("licenses") + 1 :]) if "licenses" in parts else Path(text.name)
    target = folder / component.name / inner
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(text, target)
    return target.relative_to(folder)


def _entry(component: Component, whole: str = "") -> dict[str, Any]:
    """`whole` is the reference of the component that this one is compiled into."""
    reference = f"{whole}#{component.name}@{component.version}" if whole else _reference(component)
    entry: dict[str, Any] = {
        "type": component.kind,
        "bom-ref": reference,
        "name": component.name,
        "licenses": _licences(component.licence),
    }
    if component.version:
        entry["version"] = component.version
    if component.cpe:
        entry["cpe"] = component.cpe
    if component.sha256:
        entry["purl"] = reference
        entry["hashes"] = [{"alg": "SHA-256", "content": component.sha256}]
    if whole:
        entry["purl"] = f"pkg:cargo/{component.name}@{component.version}"
    if component.where:
        entry["properties"] = [{"name": "hozen-navi:where", "value": component.where}]
    if component.inside:
        entry["components"] = [_entry(part, reference) for part in component.inside]
    return entry


def _licences(licence: str) -> list[dict[str, Any]]:
    if " " in licence or licence.startswith("LicenseRef-"):
        return [{"expression": licence}]
    return [{"license": {"id": licence}}]


def _reference(component: Component) -> str:
    if component.sha256:
        return f"pkg:pypi/{component.name}@{component.version}"
    place = component.where.split(",")[0]
    return f"{component.name}@{component.version} in {place}".lower().replace(" ", "-")


def _fingerprint(components: list[Component], version: Version) -> str:
    return f"{version} " + " ".join(f"{_reference(component)}:{component.sha256}" for component in components)
