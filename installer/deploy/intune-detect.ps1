# Intune (Win32 app) detection: prints the version and exits 0 when it is installed for all users, in VERSION or newer.
$wanted = [version]'0.1.0'
$key = 'HKLM:\Software\HozenNavi'
$installed = (Get-ItemProperty -Path $key -ErrorAction SilentlyContinue).Version
$folder = (Get-ItemProperty -Path $key -ErrorAction SilentlyContinue).InstallDir
if ($installed -and [version]$installed -ge $wanted -and (Test-Path (Join-Path $folder 'HozenNavi.exe'))) {
    Write-Output "HozenNavi $installed"
    exit 0
}
exit 1
