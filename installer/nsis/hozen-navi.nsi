; One PC's installer: window pages in Japanese or English, or /S. steps/nsis.py passes every name, number and path.
; Silent switches: /S [/AllUsers|/CurrentUser] [/INITIAL_BUNDLE=path] [/LOG=file] [/D=folder, last]; see README.md.
Unicode true
Target amd64-unicode
ManifestDPIAware true
ManifestSupportedOS all
RequestExecutionLevel highest
!if "${SOLID}" == "1"
  SetCompressor /SOLID lzma
  SetCompressorDictSize 32
!else
  SetCompressor zlib
!endif

!define ARP_KEY "Software\Microsoft\Windows\CurrentVersion\Uninstall\${FOLDER}"
!define APP_KEY "Software\${FOLDER}"
!define EVENT_KEY "SYSTEM\CurrentControlSet\Services\EventLog\Application\${FOLDER}"
!define MULTIUSER_EXECUTIONLEVEL Highest
!define MULTIUSER_MUI
!define MULTIUSER_USE_PROGRAMFILES64
!define MULTIUSER_INSTALLMODE_COMMANDLINE
!define MULTIUSER_INSTALLMODE_INSTDIR "${FOLDER}"
!define MULTIUSER_INSTALLMODE_INSTDIR_REGISTRY_KEY "${APP_KEY}"
!define MULTIUSER_INSTALLMODE_INSTDIR_REGISTRY_VALUENAME "InstallDir"
!define MULTIUSER_INSTALLMODE_DEFAULT_REGISTRY_KEY "${APP_KEY}"
!define MULTIUSER_INSTALLMODE_DEFAULT_REGISTRY_VALUENAME "InstallDir"
!include MultiUser.nsh
!include MUI2.nsh
!include FileFunc.nsh
!include LogicLib.nsh
!include WordFunc.nsh
!include x64.nsh

Name "$(ProductName)"
OutFile "${OUT}"
BrandingText "Hozen Navi ${VERSION}"
VIProductVersion "${VERSION}.0"
VIAddVersionKey /LANG=0 "ProductName" "${NAME_BOTH}"
VIAddVersionKey /LANG=0 "FileDescription" "${NAME_BOTH} setup"
VIAddVersionKey /LANG=0 "FileVersion" "${VERSION}"
VIAddVersionKey /LANG=0 "ProductVersion" "${VERSION}"
VIAddVersionKey /LANG=0 "CompanyName" "${PUBLISHER}"
VIAddVersionKey /LANG=0 "LegalCopyright" "Apache License 2.0"
!ifdef SIGN_COMMAND
  !uninstfinalize '${SIGN_COMMAND}' = 0
!endif

!define MUI_ICON "${ICON}"
!define MUI_UNICON "${ICON}"
!define MUI_ABORTWARNING
!insertmacro MULTIUSER_PAGE_INSTALLMODE
!insertmacro MUI_PAGE_DIRECTORY
!insertmacro MUI_PAGE_INSTFILES
!insertmacro MUI_UNPAGE_CONFIRM
!insertmacro MUI_UNPAGE_INSTFILES
!insertmacro MUI_LANGUAGE "Japanese"
!insertmacro MUI_LANGUAGE "English"

Var WasOpen        ; "1": a window had this program open when the upgrade began
Var LogFile
!include strings.nsh
!include common.nsh
!include checks.nsh
!include running.nsh
!include shared_data.nsh

Function .onInit
  SetRegView 64
  !insertmacro OPEN_LOG
  StrCpy $R7 $INSTDIR                     ; /D=..., which MultiUser.nsh would overwrite
  !insertmacro MULTIUSER_INIT
  ${If} $R7 != ""
    StrCpy $INSTDIR $R7
  ${EndIf}
  Call RequireWindows
  Call RequireRights
  Call RequireOnlyKind
  Call RequireNoNewer
  Call RequireDisk
FunctionEnd

Function un.onInit
  SetRegView 64
  !insertmacro OPEN_LOG
  !insertmacro MULTIUSER_UNINIT
FunctionEnd

Section "program"
  !insertmacro SAY "install ${VERSION} $MultiUser.InstallMode $INSTDIR"
  Call CloseRunning
  Call RemoveOldVersion
  SetOutPath "$INSTDIR"
  File /r "${STAGE}\*"
  FileOpen $0 "$INSTDIR\install.toml" w
  ${If} $MultiUser.InstallMode == "AllUsers"
    FileWrite $0 'scope = "machine"$\r$\n'
  ${Else}
    FileWrite $0 'scope = "user"$\r$\n'
  ${EndIf}
  FileWrite $0 'kind = "nsis"$\r$\n'
  FileClose $0
  WriteUninstaller "$INSTDIR\uninstall.exe"
  Call PrepareSharedData
  Call WriteRegistry
  CreateShortcut "$SMPROGRAMS\${NAME_JA}.lnk" "$INSTDIR\${WINDOW_EXE}" "" "$INSTDIR\${WINDOW_EXE}" 0
  Call ReadInitialBundle
  Call ReopenWindow
  !insertmacro SAY "done"
SectionEnd

Function RemoveOldVersion
  ReadRegStr $R0 SHCTX "${APP_KEY}" "InstallDir"
  ${If} $R0 == ""
  ${OrIfNot} ${FileExists} "$R0\uninstall.exe"
    Return
  ${EndIf}
  !insertmacro SAY "remove the old version in $R0"
  InitPluginsDir
  CopyFiles /SILENT "$R0\uninstall.exe" "$PLUGINSDIR\old-uninstall.exe"
  ExecWait '"$PLUGINSDIR\old-uninstall.exe" /S /$MultiUser.InstallMode /UPGRADE _?=$R0' $0
  ${If} $0 <> 0
    !insertmacro STOP ${EXIT_OLD_UNINSTALL_FAILED} "$(OldUninstallFailed)"
  ${EndIf}
FunctionEnd

Function WriteRegistry
  WriteRegStr SHCTX "${APP_KEY}" "InstallDir" "$INSTDIR"
  WriteRegStr SHCTX "${APP_KEY}" "InstallMode" "$MultiUser.InstallMode"
  WriteRegStr SHCTX "${APP_KEY}" "Kind" "nsis"
  WriteRegStr SHCTX "${APP_KEY}" "Version" "${VERSION}"
  WriteRegStr SHCTX "${ARP_KEY}" "DisplayName" "${NAME_BOTH}"
  WriteRegStr SHCTX "${ARP_KEY}" "DisplayVersion" "${VERSION}"
  WriteRegStr SHCTX "${ARP_KEY}" "Publisher" "${PUBLISHER}"
  WriteRegStr SHCTX "${ARP_KEY}" "DisplayIcon" "$INSTDIR\${WINDOW_EXE}"
  WriteRegStr SHCTX "${ARP_KEY}" "InstallLocation" "$INSTDIR"
  WriteRegStr SHCTX "${ARP_KEY}" "UninstallString" '"$INSTDIR\uninstall.exe" /$MultiUser.InstallMode'
  WriteRegStr SHCTX "${ARP_KEY}" "QuietUninstallString" '"$INSTDIR\uninstall.exe" /$MultiUser.InstallMode /S _?=$INSTDIR'
  WriteRegDWORD SHCTX "${ARP_KEY}" "NoModify" 1
  WriteRegDWORD SHCTX "${ARP_KEY}" "NoRepair" 1
  WriteRegDWORD SHCTX "${ARP_KEY}" "EstimatedSize" ${KILOBYTES}
  WriteRegStr SHCTX "Software\Classes\${LINK_SCHEME}" "" "URL:${NAME_BOTH}"
  WriteRegStr SHCTX "Software\Classes\${LINK_SCHEME}" "URL Protocol" ""
  WriteRegStr SHCTX "Software\Classes\${LINK_SCHEME}\DefaultIcon" "" "$INSTDIR\${WINDOW_EXE},0"
  WriteRegStr SHCTX "Software\Classes\${LINK_SCHEME}\shell\open\command" "" '"$INSTDIR\${WINDOW_EXE}" open "%1"'
  ; The source of our entries in the Event Log; Windows' own EventCreate shows any text under a number of 1 to 1000.
  ${If} $MultiUser.InstallMode == "AllUsers"
    WriteRegExpandStr HKLM "${EVENT_KEY}" "EventMessageFile" "%SystemRoot%\System32\EventCreate.exe"
    WriteRegDWORD HKLM "${EVENT_KEY}" "TypesSupported" 7
  ${EndIf}
FunctionEnd

; With _?= (so that whoever started it waits and gets the exit code) it runs from the folder that must go, and its own
; file can't be deleted while it runs: that is left to a command that waits a moment.
Function un.RemoveItself
  ${If} $EXEPATH == "$INSTDIR\uninstall.exe"
    SetOutPath "$TEMP"
    StrCpy $0 'ping -n 4 127.0.0.1 >nul & del /q "$INSTDIR\uninstall.exe" & rmdir "$INSTDIR"'
    Exec '"$SYSDIR\cmd.exe" /d /c "$0"'
  ${Else}
    Delete "$INSTDIR\uninstall.exe"
  ${EndIf}
FunctionEnd

Section "Uninstall"
  !insertmacro SAY "uninstall ${VERSION} $MultiUser.InstallMode $INSTDIR"
  Call un.CloseRunning
  ${GetParameters} $R9
  ClearErrors
  ${GetOptions} $R9 "/PURGE" $R8
  ${IfNot} ${Errors}
    Call un.RequireNothingUnsent
  ${EndIf}
  !include "${REMOVE_LIST}"               ; generated: each file we installed, then each folder if it is empty
  Delete "$INSTDIR\install.toml"
  Call un.RemoveItself
  RMDir "$INSTDIR"
  Delete "$SMPROGRAMS\${NAME_JA}.lnk"
  ClearErrors
  ${GetOptions} $R9 "/UPGRADE" $R8
  ${If} ${Errors}
    DeleteRegKey SHCTX "${ARP_KEY}"
    DeleteRegKey SHCTX "${APP_KEY}"
    DeleteRegKey SHCTX "Software\Classes\${LINK_SCHEME}"
    ${If} $MultiUser.InstallMode == "AllUsers"
      DeleteRegKey HKLM "${EVENT_KEY}"
    ${EndIf}
    ClearErrors
    ${GetOptions} $R9 "/PURGE" $R8
    ${IfNot} ${Errors}
      Call un.PurgeData
    ${EndIf}
    Call un.RemoveEmptyData
  ${EndIf}
  !insertmacro SAY "done"
SectionEnd
