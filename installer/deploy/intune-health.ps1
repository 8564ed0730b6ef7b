# Intune Remediations (detection script) or an SCCM compliance item: exit 1 with one line "HN-nnn code ..." where
# Hozen Navi needs IT, else exit 0. It reads status.json, whose fields README.md explains: of the installation for all
# users, or of the person that it runs as (so run it as the signed-in user where the program is installed per user).
$hours = 2
$places = "$env:ProgramData\HozenNavi\data\status.json", "$env:LOCALAPPDATA\HozenNavi\status.json"
$file = Get-Item -LiteralPath $places -ErrorAction SilentlyContinue |
    Sort-Object -Property LastWriteTime -Descending | Select-Object -First 1
if (-not $file) {
    Write-Output 'never started here'
    exit 0
}
try {
    $status = Get-Content -LiteralPath $file.FullName -Raw -Encoding UTF8 -ErrorAction Stop | ConvertFrom-Json
    $written = ([datetime]$status.written_at).ToUniversalTime()
} catch {
    Write-Output "HN-006 internal_error $($file.FullName) is not readable"
    exit 1
}
if ($status.exit -ge 3) {
    $checks = ($status.checks | Where-Object { $_.state -eq 'failed' } | ForEach-Object { $_.name }) -join ', '
    Write-Output "$($status.worst.hn) $($status.worst.code) failed: $checks; station $($status.station)"
    exit 1
}
# A window open for longer than that must have written since; one just opened has not looked yet.
$latest = [datetime]::UtcNow.AddHours(-$hours)
$open = Get-Process -Name 'HozenNavi' -ErrorAction SilentlyContinue |
    ForEach-Object { try { $_.StartTime.ToUniversalTime() } catch { } } | Where-Object { $_ -lt $latest }
if ($open -and $written -lt $latest) {
    Write-Output "HN-006 internal_error status.json is of $($status.written_at) though the window is open"
    exit 1
}
Write-Output "ok $($status.version) $($status.written_at)"
exit 0
