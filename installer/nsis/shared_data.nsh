; The data of all Windows users of a PC (per-machine only), the first plant data, and deleting it all.

!macro SECURED_FOLDER path access
  CreateDirectory "${path}"
  ; SetNamedSecurityInfo of owner and access list; the same SDDL stands in the MSI.
  System::Call 'advapi32::ConvertStringSecurityDescriptorToSecurityDescriptorW(w "${access}", i 1, *p .r1, p 0) i .r0'
  ${If} $0 <> 0
    System::Call 'advapi32::GetSecurityDescriptorOwner(p r1, *p .r2, *i .r3)'
    System::Call 'advapi32::GetSecurityDescriptorDacl(p r1, *i .r3, *p .r4, *i .r5)'
    ; 1 = SE_FILE_OBJECT; owner | dacl | protected dacl
    System::Call 'advapi32::SetNamedSecurityInfoW(w "${path}", i 1, i 0x80000005, p r2, p 0, p r4, p 0) i .r0'
    System::Call 'kernel32::LocalFree(p r1)'
    !insertmacro SAY "access of ${path} set: $0"
  ${EndIf}
!macroend

Function PrepareSharedData
  ${If} $MultiUser.InstallMode == "AllUsers"
    ReadEnvStr $9 "PROGRAMDATA"
    !insertmacro SECURED_FOLDER "$9\${FOLDER}" "${ROOT_ACCESS}"
    !insertmacro SECURED_FOLDER "$9\${FOLDER}\data" "${DATA_ACCESS}"
    !insertmacro SECURED_FOLDER "$9\${FOLDER}\keys" "${KEYS_ACCESS}"
  ${EndIf}
FunctionEnd

; /INITIAL_BUNDLE=path: the plant's first data, read now by the program just installed.
Function ReadInitialBundle
  ${GetParameters} $0
  ClearErrors
  ${GetOptions} $0 "/INITIAL_BUNDLE=" $1
  ${IfNot} ${Errors}
    nsExec::ExecToStack '"$INSTDIR\${CONSOLE_EXE}" import "$1"'
    Pop $2
    Pop $3
    !insertmacro SAY "initial data $1: $2"
    ${If} $2 <> 0
      ${IfNot} ${Silent}
        MessageBox MB_ICONEXCLAMATION|MB_OK "$(InitialNotRead)"
      ${EndIf}
      SetErrorLevel ${EXIT_INITIAL_DATA_NOT_READ}
    ${EndIf}
  ${EndIf}
FunctionEnd

; Anything unsent or waiting that no export holds would be lost for good; only a clear "nothing" lets a purge go on.
Function un.RequireNothingUnsent
  nsExec::ExecToStack '"$INSTDIR\${CONSOLE_EXE}" ${UNSENT_CHECK}'
  Pop $0
  Pop $1
  ${If} $0 != "0"
    Push ${EXIT_PURGE_REFUSED}
    Push "$(PurgeRefused)"
    Call un.Stop
  ${EndIf}
FunctionEnd

; Folders that stayed empty go; a folder with anything in it stays.
Function un.RemoveEmptyData
  ${If} $MultiUser.InstallMode == "AllUsers"
    ReadEnvStr $9 "PROGRAMDATA"
    RMDir "$9\${FOLDER}\data"
    RMDir "$9\${FOLDER}\keys"
    RMDir "$9\${FOLDER}"
  ${EndIf}
FunctionEnd

Function un.PurgeData
  ReadEnvStr $9 "PROGRAMDATA"
  ${If} $MultiUser.InstallMode == "AllUsers"
    Push "purge $9\${FOLDER}\data and keys"
    Call un.Say
    RMDir /r "$9\${FOLDER}\data"
    RMDir /r "$9\${FOLDER}\keys"
  ${Else}
    SetShellVarContext current
    Push "purge $LOCALAPPDATA\${FOLDER}"
    Call un.Say
    RMDir /r "$LOCALAPPDATA\${FOLDER}"
  ${EndIf}
FunctionEnd
