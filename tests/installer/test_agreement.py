"""The scripts, the guide and the two installers say the same; nothing committed names a machine."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from steps import msi, product
from steps.product import ExitCode

from desktop import cli

INSTALLER = Path(__file__).resolve().parents[2] / "installer"
NSIS = sorted((INSTALLER / "nsis").iterdir())
GUIDE = (INSTALLER / "README.md").read_text(encoding="utf-8")


def script() -> str:
    return "\n".join(file.read_text(encoding="utf-8") for file in NSIS)


def test_the_upgrade_code_never_changes() -> None:
    assert product.UPGRADE_CODE == "6B684CC1-9BA3-5812-A561-94C1FFFB3372"


def test_setup_uses_every_exit_code_and_no_other() -> None:
    used = set(re.findall(r"\$\{EXIT_(\w+)\}", script()))
    assert used == {code.name for code in ExitCode} - {"CANCELLED", "ABORTED"}


def test_the_guide_explains_every_exit_code_in_both_languages() -> None:
    japanese, english = GUIDE.split("# English")
    for code in ExitCode:
        assert re.search(rf"^\| [\d, ]*\b{int(code)}\b[\d, ]* \|", japanese, re.MULTILINE), code
        assert re.search(rf"\b{int(code)}\b", english.split("**Exit codes")[1].split("**Deploy")[0]), code


def test_every_sentence_of_setup_is_japanese_and_english() -> None:
    strings = (INSTALLER / "nsis" / "strings.nsh").read_text(encoding="utf-8")
    by_language = {
        language: re.findall(rf"^LangString (\w+) \$\{{LANG_{language}\}}", strings, re.MULTILINE)
        for language in ("JAPANESE", "ENGLISH")
    }
    assert by_language["JAPANESE"] == by_language["ENGLISH"]
    assert set(re.findall(r"\$\((\w+)\)", script())) == set(by_language["JAPANESE"])


def test_the_guide_names_only_commands_that_exist_and_says_which_do_not() -> None:
    known = set(cli.hozen_navi.commands)
    there, not_yet = GUIDE.split("<!-- not yet -->")
    lacking, rest = not_yet.split("<!-- end not yet -->")
    leading = " ".join(re.findall(r"^- (.*?)：", lacking, re.MULTILINE))
    missing = set(re.findall(r"`hozen-navi ([a-z-]+)", leading))
    assert not missing & known, "take it out of README.md's list of what this version has not"
    named = set(re.findall(r"`hozen-navi ([a-z-]+)", there + rest))
    assert named <= known


def test_the_msi_says_its_sentences_in_code_page_932() -> None:
    for statement in msi.changes():
        statement.encode("cp932")


@pytest.mark.parametrize("access", [product.SHARED_ROOT_ACCESS, product.SHARED_DATA_ACCESS, product.SHARED_KEYS_ACCESS])
def test_shared_folders_are_the_administrators_and_inherit_nothing(access: str) -> None:
    assert access.startswith("O:BAG:BAD:P(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)")
    assert ";;;WD)" not in access, "Everyone includes guests"


def test_users_may_not_write_where_the_policy_lies() -> None:
    assert "(A;OICI;0x1200a9;;;BU)" in product.SHARED_ROOT_ACCESS
    assert product.SHARED_ROOT_ACCESS.count(";;;BU)") == 1


@pytest.mark.parametrize("name", ["deploy/applocker.xml", "launcher/launcher.manifest"])
def test_xml_is_well_formed(name: str) -> None:
    ElementTree.parse(INSTALLER / name)


def test_applocker_has_rules_for_programs_installers_and_libraries() -> None:
    policy = ElementTree.parse(INSTALLER / "deploy" / "applocker.xml").getroot()
    assert [collection.get("Type") for collection in policy] == ["Exe", "Msi", "Dll"]
    assert {collection.get("EnforcementMode") for collection in policy} == {"AuditOnly"}
    ids = [rule.get("Id") for collection in policy for rule in collection]
    assert len(ids) == len(set(ids))


def test_no_file_names_this_machine_or_a_package_index() -> None:
    """An index is named by its option or by the path that every one of them serves."""
    here = {str(INSTALLER.parent.parent), str(Path.home())} - {"/"}
    forbidden = re.compile(
        "|".join([*map(re.escape, here), r"/home/\w", "(?:index|registry)-?(?:url)?=", "://[^ ]*/simple"])
    )
    for file in INSTALLER.rglob("*"):
        if (
            not file.is_file()
            or file.suffix == ".ico"
            or {"out", "cache", "__pycache__", ".mypy_cache"} & set(file.parts)
        ):
            continue
        found = forbidden.search(file.read_text(encoding="utf-8"))
        assert found is None, f"{file.name}: {found[0] if found else ''}"
