; What must hold before anything is touched.

Function RequireWindows
  ReadRegStr $0 HKLM "SOFTWARE\Microsoft\Windows NT\CurrentVersion" "CurrentBuildNumber"
  ${IfNot} ${RunningX64}
  ${OrIf} $0 < ${OLDEST_BUILD}
    !insertmacro SAY "Windows build $0"
    !insertmacro STOP ${EXIT_WINDOWS_TOO_OLD} "$(WindowsTooOld)"
  ${EndIf}
FunctionEnd

Function RequireRights
  ${GetParameters} $0
  ClearErrors
  ${GetOptions} $0 "/AllUsers" $1
  ${IfNot} ${Errors}
  ${AndIf} $MultiUser.InstallMode != "AllUsers"
    !insertmacro STOP ${EXIT_NOT_ADMINISTRATOR} "$(NotAdministrator)"
  ${EndIf}
FunctionEnd

; The MSI, or the other scope of this installer: two programs would write one journal by different rules.
Function RequireOnlyKind
  ReadRegStr $0 HKLM "${APP_KEY}" "Kind"
  ReadRegStr $1 HKCU "${APP_KEY}" "Kind"
  ${If} $0 == "msi"
  ${OrIf} $1 == "msi"
    !insertmacro STOP ${EXIT_OTHER_KIND_PRESENT} "$(OtherKind)"
  ${EndIf}
  ${If} $MultiUser.InstallMode == "AllUsers"
  ${AndIf} $1 == "nsis"
    !insertmacro STOP ${EXIT_OTHER_KIND_PRESENT} "$(OtherKind)"
  ${EndIf}
  ${If} $MultiUser.InstallMode == "CurrentUser"
  ${AndIf} $0 == "nsis"
    !insertmacro STOP ${EXIT_OTHER_KIND_PRESENT} "$(OtherKind)"
  ${EndIf}
FunctionEnd

Function RequireNoNewer
  ReadRegStr $0 SHCTX "${APP_KEY}" "Version"
  ${If} $0 != ""
    ${VersionCompare} "$0" "${VERSION}" $1
    ${If} $1 = 1
      !insertmacro SAY "version $0 is installed"
      !insertmacro STOP ${EXIT_NEWER_PRESENT} "$(NewerPresent)"
    ${EndIf}
  ${EndIf}
FunctionEnd

Function RequireDisk
  ${GetRoot} "$INSTDIR" $0
  ClearErrors
  ${DriveSpace} "$0\" "/D=F /S=M" $1
  ${IfNot} ${Errors}
  ${AndIf} $1 < ${NEEDED_MB}
    !insertmacro STOP ${EXIT_DISK_FULL} "$(DiskFull)"
  ${EndIf}
FunctionEnd
