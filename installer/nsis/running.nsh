; An open window must not block an upgrade: the program itself is asked to quit (in every session), then its window to
; close, then Windows' Restart Manager asks; drafts are saved each time. Only a program that still runs stops us.
!define CLOSING_SECONDS 20
!define RM_SHUTDOWN_ONLY_REGISTERED 0x10

!macro DEFINE_RUNNING un
; "1" in $0 if a program of $INSTDIR runs in any session: Windows opens no running program file for writing.
Function ${un}IsRunning
  StrCpy $0 "0"
  ${If} ${FileExists} "$INSTDIR\${WINDOW_EXE}"
    ClearErrors
    FileOpen $1 "$INSTDIR\${WINDOW_EXE}" a
    ${If} ${Errors}
      StrCpy $0 "1"
    ${Else}
      FileClose $1
    ${EndIf}
  ${EndIf}
FunctionEnd

Function ${un}CloseRunning
  StrCpy $WasOpen "0"
  Call ${un}IsRunning
  ${If} $0 == "0"
    Return
  ${EndIf}
  StrCpy $WasOpen "1"
  nsExec::ExecToStack '"$INSTDIR\${CONSOLE_EXE}" quit --wait 60'
  Pop $1
  Push "asked to quit: $1"
  Call ${un}Say
  Call ${un}IsRunning
  ${If} $0 == "1"
    nsExec::ExecToStack '"$SYSDIR\taskkill.exe" /im ${WINDOW_EXE}'
    Pop $1
    Push "window asked to close: $1"
    Call ${un}Say
    Call ${un}WaitForEnd
  ${EndIf}
  ${If} $0 == "1"
    Call ${un}AskRestartManager
    Call ${un}WaitForEnd
  ${EndIf}
  ${If} $0 == "1"
    Push ${EXIT_STILL_RUNNING}
    Push "$(StillRunning)"
    Call ${un}Stop
  ${EndIf}
FunctionEnd

; IsRunning, asked once a second until it says no.
Function ${un}WaitForEnd
  StrCpy $R5 ${CLOSING_SECONDS}
  ${Do}
    Call ${un}IsRunning
    ${If} $0 == "0"
    ${OrIf} $R5 = 0
      ${Break}
    ${EndIf}
    Sleep 1000
    IntOp $R5 $R5 - 1
  ${Loop}
FunctionEnd

Function ${un}AskRestartManager
  System::Call 'rstrtmgr::RmStartSession(*i .r1, i 0, w .r2) i .r3'
  ${If} $3 = 0
    System::Call '*(w "$INSTDIR\${WINDOW_EXE}") p .r4'
    System::Call 'rstrtmgr::RmRegisterResources(i r1, i 1, p r4, i 0, p 0, i 0, p 0) i .r3'
    System::Call 'rstrtmgr::RmShutdown(i r1, i ${RM_SHUTDOWN_ONLY_REGISTERED}, p 0) i .r3'
    System::Call 'rstrtmgr::RmEndSession(i r1)'
    System::Free $4
  ${EndIf}
  Push "Restart Manager: $3"
  Call ${un}Say
FunctionEnd
!macroend
!insertmacro DEFINE_RUNNING ""
!insertmacro DEFINE_RUNNING "un."

; As the signed-in user, not as the elevated installer; a service (SCCM, Intune) has no desktop to open it on.
Function ReopenWindow
  ${If} $WasOpen == "1"
    System::Call 'advapi32::GetUserName(w .r0, *i ${NSIS_MAX_STRLEN}) i .r1'
    ${If} $0 != "SYSTEM"
      !insertmacro SAY "reopen the window"
      Exec '"$WINDIR\explorer.exe" "$INSTDIR\${WINDOW_EXE}"'
    ${EndIf}
  ${EndIf}
FunctionEnd
