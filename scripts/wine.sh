#!/usr/bin/env bash
# Runs a program for Windows under wine, with files of its own in target/wine: scripts/wine.sh PROGRAM [ARGUMENT]...
set -euo pipefail
folder=$(cd "$(dirname "$0")/.." && pwd)
export WINEPREFIX=${WINEPREFIX:-$folder/target/wine} WINEARCH=win64 WINEDEBUG=${WINEDEBUG:--all}
library=$WINEPREFIX/drive_c/windows/system32/bcryptprimitives.dll
if ! [ -e "$library" ]; then
    mkdir -p "$WINEPREFIX"
    wine wineboot -i 2>/dev/null
    # Wine 8 lacks this library, from which the standard library gets random numbers.
    x86_64-w64-mingw32-gcc -shared -x c -o "$library" - -ladvapi32 <<'END'
#include <windows.h>
BOOLEAN NTAPI SystemFunction036(PVOID, ULONG);
__declspec(dllexport) BOOL ProcessPrng(PBYTE data, SIZE_T size) { return SystemFunction036(data, (ULONG)size); }
END
fi
exec wine "$@"
