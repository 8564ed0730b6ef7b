"""The MSI's description for wixl: one component a file, registry, shortcut, conditions. ASCII only; see msi.py."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path
from xml.sax.saxutils import quoteattr

from steps.product import (
    CONSOLE_EXE,
    FOLDER,
    INSTALLER,
    LINK_SCHEME,
    NEEDED_MEGABYTES,
    PUBLISHER,
    UPGRADE_CODE,
    WINDOW_EXE,
    Version,
    stable_id,
)

CONSOLE_FILE = "fConsole"
NOT_OLD_WINDOWS = "Installed OR NOT WINBUILD OR WINBUILD &gt;= {oldest}"
EVENT_KEY = rf"SYSTEM\CurrentControlSet\Services\EventLog\Application\{FOLDER}"
EVENT_MESSAGES = "#%%SystemRoot%\\System32\\EventCreate.exe"
"""Windows' own texts for the numbers 1 to 1000, "%1" each; #% is how the Registry table marks an expandable string,
and wixl doesn't write it."""
_COMPONENTS = ("registry", "event_log", "scope", "shortcut", "root", "data", "keys")
_SEARCHES = (
    # property, root, key, value
    ("WINBUILD", "HKLM", r"SOFTWARE\Microsoft\Windows NT\CurrentVersion", "CurrentBuildNumber"),
    ("PREVIOUSDIR", "HKLM", rf"Software\{FOLDER}", "InstallDir"),
    ("PRESENTKIND", "HKLM", rf"Software\{FOLDER}", "Kind"),
    ("PRESENTUSERKIND", "HKCU", rf"Software\{FOLDER}", "Kind"),
)


def write(program: Path, install_toml: Path, version: Version, to: Path, oldest_build: int) -> None:
    """The .wxs for a staged program folder; paths in it are relative to `to`, as wixl wants them."""
    files = list(_files(program, program, to.parent, "      "))
    listed = [path for path in sorted(program.rglob("*")) if path.is_file()]
    references = [f'   <ComponentRef Id="{_id("c", path.relative_to(program).as_posix())}"/>' for path in listed]
    text = _TEMPLATE.format(
        version=version,
        product_code=stable_id(f"product:{version}"),
        upgrade_code=UPGRADE_CODE,
        publisher=PUBLISHER,
        folder=FOLDER,
        window=WINDOW_EXE,
        scheme=LINK_SCHEME,
        event_key=EVENT_KEY,
        event_messages=EVENT_MESSAGES,
        icon=os.path.relpath(INSTALLER / "launcher" / "app.ico", to.parent),
        install_toml=os.path.relpath(install_toml, to.parent),
        searches="\n".join(_search(*search) for search in _SEARCHES),
        not_old=NOT_OLD_WINDOWS.format(oldest=oldest_build),
        needed=NEEDED_MEGABYTES,
        files="\n".join(files),
        references="\n".join(references),
        **{name: stable_id(f"component:{name}") for name in _COMPONENTS},
    )
    to.write_text(text, encoding="ascii")


def _files(folder: Path, program: Path, base: Path, indent: str) -> Iterator[str]:
    for path in sorted(folder.iterdir()):
        relative = path.relative_to(program).as_posix()
        if path.is_dir():
            yield f'{indent}<Directory Id="{_id("d", relative)}" Name={quoteattr(path.name)}>'
            yield from _files(path, program, base, indent + " ")
            yield f"{indent}</Directory>"
        else:
            file_id = CONSOLE_FILE if relative == CONSOLE_EXE else _id("f", relative)
            source = quoteattr(os.path.relpath(path, base))
            yield (
                f'{indent}<Component Id="{_id("c", relative)}" Guid="{stable_id(f"file:{relative}")}" Win64="yes">'
                f'<File Id="{file_id}" Name={quoteattr(path.name)} Source={source} KeyPath="yes"/></Component>'
            )


def _search(name: str, root: str, key: str, value: str) -> str:
    return (
        f'  <Property Id="{name}"><RegistrySearch Id="s{name}" Root="{root}" Key={quoteattr(key)} '
        f'Name="{value}" Type="raw" Win64="yes"/></Property>'
    )


def _id(kind: str, relative: str) -> str:
    return kind + hashlib.sha256(relative.encode()).hexdigest()[:24]


_TEMPLATE = """<?xml version="1.0" encoding="utf-8"?>
<Wix xmlns="http://schemas.microsoft.com/wix/2006/wi">
 <Product Id="{product_code}" Name="HozenNavi" Language="1041" Version="{version}"
  Manufacturer="{publisher}" UpgradeCode="{upgrade_code}">
  <Package Keywords="Installer" Description="Hozen Navi {version}" Manufacturer="{publisher}"
   InstallerVersion="500" Languages="1041" Compressed="yes" InstallScope="perMachine"/>
  <MajorUpgrade DowngradeErrorMessage="downgrade"/>
  <Media Id="1" Cabinet="app.cab" EmbedCab="yes"/>
  <Icon Id="app.ico" SourceFile="{icon}"/>
  <Property Id="ARPPRODUCTICON" Value="app.ico"/>
  <Property Id="ARPNOMODIFY" Value="1"/>
{searches}
  <Condition Message="windows">{not_old}</Condition>
  <Condition Message="kind">Installed OR (PRESENTKIND &lt;&gt; "nsis" AND PRESENTUSERKIND &lt;&gt; "nsis")</Condition>
  <Directory Id="TARGETDIR" Name="SourceDir">
   <Directory Id="ProgramFiles64Folder" Name="PFiles">
    <Directory Id="INSTALLDIR" Name="{folder}">
{files}
      <Component Id="cScope" Guid="{scope}" Win64="yes">
        <File Id="fScope" Name="install.toml" Source="{install_toml}" KeyPath="yes"/>
      </Component>
      <Component Id="cRegistry" Guid="{registry}" Win64="yes">
        <RegistryValue Root="HKLM" Key="Software\\{folder}" Name="InstallDir"
          Type="string" Value="[INSTALLDIR]" KeyPath="yes"/>
        <RegistryValue Root="HKLM" Key="Software\\{folder}" Name="InstallMode" Type="string" Value="AllUsers"/>
        <RegistryValue Root="HKLM" Key="Software\\{folder}" Name="Kind" Type="string" Value="msi"/>
        <RegistryValue Root="HKLM" Key="Software\\{folder}" Name="Version" Type="string" Value="{version}"/>
        <RegistryValue Root="HKLM" Key="Software\\Classes\\{scheme}" Type="string" Value="URL:Hozen Navi"/>
        <RegistryValue Root="HKLM" Key="Software\\Classes\\{scheme}" Name="URL Protocol" Type="string" Value=""/>
        <RegistryValue Root="HKLM" Key="Software\\Classes\\{scheme}\\DefaultIcon"
          Type="string" Value="[INSTALLDIR]{window},0"/>
        <RegistryValue Root="HKLM" Key="Software\\Classes\\{scheme}\\shell\\open\\command"
          Type="string" Value="&quot;[INSTALLDIR]{window}&quot; open &quot;%1&quot;"/>
      </Component>
      <Component Id="cEventLog" Guid="{event_log}" Win64="yes">
        <RegistryValue Root="HKLM" Key="{event_key}" Name="EventMessageFile"
          Type="expandable" Value="{event_messages}" KeyPath="yes"/>
        <RegistryValue Root="HKLM" Key="{event_key}" Name="TypesSupported" Type="integer" Value="7"/>
      </Component>
    </Directory>
   </Directory>
   <Directory Id="CommonAppDataFolder" Name="CommonAppData">
    <Directory Id="SHAREDROOT" Name="{folder}">
      <Component Id="cSharedRoot" Guid="{root}" Win64="yes"><CreateFolder/>
        <RegistryValue Root="HKLM" Key="Software\\{folder}" Name="SharedRoot"
          Type="string" Value="[SHAREDROOT]" KeyPath="yes"/>
      </Component>
     <Directory Id="SHAREDDATA" Name="data">
      <Component Id="cSharedData" Guid="{data}" Win64="yes"><CreateFolder/>
        <RegistryValue Root="HKLM" Key="Software\\{folder}" Name="SharedData"
          Type="string" Value="[SHAREDDATA]" KeyPath="yes"/>
      </Component>
     </Directory>
     <Directory Id="SHAREDKEYS" Name="keys">
      <Component Id="cSharedKeys" Guid="{keys}" Win64="yes"><CreateFolder/>
        <RegistryValue Root="HKLM" Key="Software\\{folder}" Name="SharedKeys"
          Type="string" Value="[SHAREDKEYS]" KeyPath="yes"/>
      </Component>
     </Directory>
    </Directory>
   </Directory>
   <Directory Id="ProgramMenuFolder" Name="Programs">
      <Component Id="cShortcut" Guid="{shortcut}" Win64="yes">
        <Shortcut Id="sMain" Name="HozenNavi" Target="[INSTALLDIR]{window}"
          WorkingDirectory="INSTALLDIR" Icon="app.ico"/>
        <RegistryValue Root="HKLM" Key="Software\\{folder}" Name="Shortcut" Type="integer" Value="1" KeyPath="yes"/>
      </Component>
   </Directory>
  </Directory>
  <Feature Id="Main" Title="HozenNavi" Level="1">
{references}
   <ComponentRef Id="cScope"/><ComponentRef Id="cRegistry"/><ComponentRef Id="cEventLog"/><ComponentRef Id="cShortcut"/>
   <ComponentRef Id="cSharedRoot"/><ComponentRef Id="cSharedData"/><ComponentRef Id="cSharedKeys"/>
  </Feature>
 </Product>
</Wix>
"""
