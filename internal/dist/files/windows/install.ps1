<#
.SYNOPSIS
Installs, upgrades or removes Botwork as a service of Windows.

.DESCRIPTION
Run it as an administrator in the folder that the zip was unpacked to.

It copies the program to Program Files, puts settings and pipelines into ProgramData
if none are there, installs the service, lets its account write there, starts it, and
shows its status and what "botwork doctor" says. When the service is installed already, the program is
upgraded: running work is drained first, and the old program comes back if the new one
does not start. Settings, pipelines and data are never overwritten.

.PARAMETER Name
The service's name. Another name makes another service beside the first, with a folder
of its own.

.PARAMETER Program
The folder for the program.

.PARAMETER Data
The folder for settings, pipelines, logs and data.

.PARAMETER Account
The account that the service works as: by default one of its own, NT SERVICE\NAME, which
needs no password and shows at other machines as this computer. Or LocalService,
NetworkService, LocalSystem, DOMAIN\name$ (a managed one), or an account with a password.

.PARAMETER PasswordFile
A file with the account's password, if it has one.

.PARAMETER NoStart
Install, but do not start.

.PARAMETER Uninstall
Stop and remove the service. The program, settings, logs and data stay.

.EXAMPLE
.\install.ps1

.EXAMPLE
.\install.ps1 -Name nightly -Account 'CORP\svc-nightly$'

.EXAMPLE
.\install.ps1 -Uninstall
#>
param(
    [string]$Name = 'botwork',
    [string]$Program = '',
    [string]$Data = '',
    [string]$Account = '',
    [string]$PasswordFile = '',
    [switch]$NoStart,
    [switch]$Uninstall
)

Set-StrictMode -Version 2
$ErrorActionPreference = 'Stop'

# A program's exit code does not stop a script by itself.
function Invoke-Checked {
    param([string]$File, [string[]]$Arguments)
    & $File $Arguments
    if ($LASTEXITCODE -ne 0) {
        throw ("'" + $File + ' ' + ($Arguments -join ' ') + "' ended with exit code " + $LASTEXITCODE)
    }
}

$principal = New-Object Security.Principal.WindowsPrincipal([Security.Principal.WindowsIdentity]::GetCurrent())
if (-not $principal.IsInRole([Security.Principal.WindowsBuiltInRole]::Administrator)) {
    throw 'This needs an administrator: open PowerShell with "Run as administrator".'
}

$folder = 'Botwork'
if ($Name -ne 'botwork') { $folder = 'Botwork-' + $Name }
if ($Program -eq '') { $Program = Join-Path $env:ProgramFiles $folder }
if ($Data -eq '') { $Data = Join-Path $env:ProgramData $folder }
# Programs are given whole paths, and none that ends in a backslash: before a quotation
# mark it would mean something else.
$Program = $ExecutionContext.SessionState.Path.GetUnresolvedProviderPathFromPSPath($Program).TrimEnd('\')
$Data = $ExecutionContext.SessionState.Path.GetUnresolvedProviderPathFromPSPath($Data).TrimEnd('\')
if ($Account -eq '') { $Account = 'NT SERVICE\' + $Name }
$source = $PSScriptRoot
$exe = Join-Path $Program 'botwork.exe'
$config = Join-Path $Data 'botwork.yaml'
$installed = $null -ne (Get-Service -Name $Name -ErrorAction SilentlyContinue)

if ($Uninstall) {
    if ($installed) {
        Invoke-Checked $exe @('service', 'uninstall', '--name', $Name)
    } else {
        Write-Host "There is no service $Name."
    }
    Write-Host "Left in place: $Program and $Data"
    return
}

# What was downloaded is marked, and a marked program asks before it starts.
Get-ChildItem -LiteralPath $source -Recurse | Unblock-File

if ($installed) {
    Write-Host "The service $Name is installed: upgrading it."
    Invoke-Checked (Join-Path $source 'botwork.exe') @('service', 'upgrade', (Join-Path $source 'botwork.exe'), '--name', $Name)
} else {
    New-Item -ItemType Directory -Force -Path $Program | Out-Null
    Copy-Item -LiteralPath (Join-Path $source 'botwork.exe') -Destination $exe -Force
}
foreach ($item in 'docs', 'sql', 'NOTICES.txt', 'README.txt') {
    Copy-Item -LiteralPath (Join-Path $source $item) -Destination $Program -Recurse -Force
}

New-Item -ItemType Directory -Force -Path $Data, (Join-Path $Data 'data'), (Join-Path $Data 'logs') | Out-Null
foreach ($item in 'botwork.yaml', 'hello.json', 'pipelines') {
    if (-not (Test-Path -LiteralPath (Join-Path $Data $item))) {
        Copy-Item -LiteralPath (Join-Path $source $item) -Destination $Data -Recurse
    }
}
# Schemas belong to the program's version, not to the settings.
Copy-Item -LiteralPath (Join-Path $source 'schemas') -Destination $Data -Recurse -Force

if (-not $installed) {
    $arguments = @('service', 'install', '--name', $Name, '--config', $config, '--account', $Account)
    if ($PasswordFile -ne '') { $arguments += @('--password-file', $PasswordFile) }
    Invoke-Checked $exe $arguments

    # Administrators and the system may do everything, the service's account may
    # change what is in the folder, and nobody else sees it: settings and data may
    # hold what others must not read. The account exists from now on.
    Invoke-Checked 'icacls.exe' @($Data, '/inheritance:r', '/grant', '*S-1-5-32-544:(OI)(CI)F', '/grant', '*S-1-5-18:(OI)(CI)F', '/Q')
    $grantee = $Account
    if ($Account -eq 'LocalService') { $grantee = '*S-1-5-19' }
    if ($Account -eq 'NetworkService') { $grantee = '*S-1-5-20' }
    if ($Account -ne 'LocalSystem') {
        Invoke-Checked 'icacls.exe' @($Data, '/grant', ($grantee + ':(OI)(CI)M'), '/Q')
    }
}

if (-not $NoStart) {
    Invoke-Checked $exe @('service', 'start', '--name', $Name)
}
& $exe service status --name $Name
& $exe doctor --config $config --service $Name
if ($LASTEXITCODE -ne 0) {
    Write-Host 'The doctor has found a fault: see above what to do.'
}
exit 0
