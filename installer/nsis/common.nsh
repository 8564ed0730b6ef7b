; The log, and the one way to stop.
!macro OPEN_LOG
  ${GetParameters} $0
  ClearErrors
  ${GetOptions} $0 "/LOG=" $LogFile
  ${If} ${Errors}
    StrCpy $LogFile "$TEMP\HozenNavi-setup.log"
  ${EndIf}
!macroend

; One line with its time, appended; a log that can't be written never stops an installation.
!macro SAY text
  Push "${text}"
  !ifdef __UNINSTALL__
    Call un.Say
  !else
    Call Say
  !endif
!macroend

!macro DEFINE_COMMON un
Function ${un}Say
  Exch $0
  Push $1
  Push $2
  Push $3
  Push $4
  Push $5
  Push $6
  Push $7
  Push $8
  Push $9
  ${GetTime} "" "L" $1 $2 $3 $4 $5 $6 $7
  FileOpen $8 "$LogFile" a
  ${If} $8 != ""
    FileSeek $8 0 END $9
    ${If} $9 = 0
      FileWriteWord $8 0xFEFF
    ${EndIf}
    FileWriteUTF16LE $8 "$3-$2-$1 $5:$6:$7 $0$\r$\n"
    FileClose $8
  ${EndIf}
  DetailPrint "$0"
  Pop $9
  Pop $8
  Pop $7
  Pop $6
  Pop $5
  Pop $4
  Pop $3
  Pop $2
  Pop $1
  Pop $0
FunctionEnd

; Stack: exit code, sentence. Says it (in a window unless silent), logs it, ends.
Function ${un}Stop
  Exch $1
  Exch
  Exch $0
  Push "stopped with $0: $1"
  Call ${un}Say
  ${IfNot} ${Silent}
    MessageBox MB_ICONEXCLAMATION|MB_OK "$1"
  ${EndIf}
  SetErrorLevel $0
  Quit
FunctionEnd
!macroend
!insertmacro DEFINE_COMMON ""
!insertmacro DEFINE_COMMON "un."

!macro STOP code text
  Push ${code}
  Push "${text}"
  !ifdef __UNINSTALL__
    Call un.Stop
  !else
    Call Stop
  !endif
!macroend
