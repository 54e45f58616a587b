#!/usr/bin/env bash
# Runs Cargo for another platform: scripts/cross.sh PLATFORM COMMAND [ARGUMENT]...
#
# PLATFORM is x86_64-pc-windows-gnu, aarch64-unknown-linux-gnu, s390x-unknown-linux-gnu, wasm32-unknown-unknown, aarch64-apple-darwin
# or x86_64-apple-darwin. Debian's compiler builds the standard library from its sources; on Debian, as root, the script installs it with
# the linker and what runs the programs: wine, qemu or Node.js. For macOS the linker is that of Zig, from PyPI, and nothing runs the
# programs. RUSTFLAGS and CARGO_TARGET_DIR (target/cross) work as for Cargo.
set -euo pipefail
folder=$(cd "$(dirname "$0")" && pwd)
platform=$1 command=$2
shift 2
parts=std,panic_unwind,test
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-target/cross}
# Builds here are for the processor of this machine unless told otherwise.
export RUSTFLAGS=${RUSTFLAGS:--C target-cpu=generic}

# A linker for macOS 11 or later: Zig brings stubs of the system's main library; those of the others name what the program uses.
macos() { # ARCHITECTURE
    local zig=$folder/../target/zig stubs
    if [ ! -x "$zig/bin/python" ]; then
        python3 -m venv "$zig"
        "$zig/bin/pip" install --quiet ziglang==0.15.2
    fi
    stubs=$(realpath "$zig")/stubs
    mkdir -p "$stubs/CoreFoundation.framework" "$stubs/Foundation.framework"
    stub() { # FILE LIBRARY SYMBOLS
        printf '%s\n' '--- !tapi-tbd' 'tbd-version: 4' 'targets: [ x86_64-macos, arm64-macos ]' "install-name: '$2'" 'exports:' \
            '  - targets: [ x86_64-macos, arm64-macos ]' "    symbols: [ $3 ]" ... >"$stubs/$1"
    }
    local frameworks=/System/Library/Frameworks
    stub libiconv.tbd /usr/lib/libiconv.2.dylib "_iconv, _iconv_open, _iconv_close"
    stub libobjc.tbd /usr/lib/libobjc.A.dylib _objc_msgSend
    stub Foundation.framework/Foundation.tbd $frameworks/Foundation.framework/Versions/C/Foundation _NSLog
    stub CoreFoundation.framework/CoreFoundation.tbd $frameworks/CoreFoundation.framework/Versions/A/CoreFoundation \
        "_CFRelease, _CFArrayGetCount, _CFArrayGetValueAtIndex, _CFLocaleCopyPreferredLanguages, _CFStringGetBytes, _CFStringGetLength"
    linker=$stubs/cc-$1 runner=false
    printf '#!/bin/sh\nexec %s -m ziglang cc -target %s-macos.11.0 "$@"\n' "$(realpath -s "$zig")/bin/python" "$1" >"$linker"
    chmod +x "$linker"
    # There is no tool here that strips such programs.
    RUSTFLAGS+=" -L native=$stubs -C link-arg=-F$stubs -C strip=none"
}

packages=()
case $platform in
aarch64-apple-darwin) macos aarch64 ;;
x86_64-apple-darwin) macos x86_64 ;;
x86_64-pc-windows-gnu) packages=(gcc-mingw-w64-x86-64-posix wine64 wine) linker=x86_64-w64-mingw32-gcc runner=$folder/wine.sh ;;
aarch64-unknown-linux-gnu)
    packages=(gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user)
    linker=aarch64-linux-gnu-gcc runner="qemu-aarch64 -L /usr/aarch64-linux-gnu"
    ;;
s390x-unknown-linux-gnu)
    packages=(gcc-s390x-linux-gnu libc6-dev-s390x-cross qemu-user)
    linker=s390x-linux-gnu-gcc runner="qemu-s390x -L /usr/s390x-linux-gnu"
    ;;
wasm32-unknown-unknown)
    packages=(lld-19) linker=wasm-ld-19 runner=node parts=std,panic_abort
    command -v node >/dev/null || packages+=(nodejs)
    ;;
*)
    echo "cross.sh: unknown platform $platform" >&2
    exit 1
    ;;
esac
packages+=(rustc-web cargo-web rust-web-src)
if ! dpkg -s "${packages[@]}" >/dev/null 2>&1; then
    [ "$(id -u)" = 0 ] || { echo "cross.sh: needs the packages ${packages[*]}" >&2; exit 1; }
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${packages[@]}" >/dev/null
fi
export RUSTC=/usr/bin/rustc RUSTDOC=/usr/bin/rustdoc CARGO=/usr/bin/cargo RUSTC_BOOTSTRAP=1 PATH=/usr/bin:$PATH
name=$(tr a-z- A-Z_ <<<"$platform")
export "CARGO_TARGET_${name}_LINKER=$linker" "CARGO_TARGET_${name}_RUNNER=$runner"
# The same parts for all commands, or they are built twice.
exec cargo "$command" -Zbuild-std=$parts --target "$platform" "$@"
