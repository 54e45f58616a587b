#!/usr/bin/env bash
# Runs Cargo for another platform: scripts/cross.sh PLATFORM COMMAND [ARGUMENT]...
#
# PLATFORM is x86_64-pc-windows-gnu, aarch64-unknown-linux-gnu, s390x-unknown-linux-gnu or wasm32-unknown-unknown. Debian's compiler
# builds the standard library from its sources; on Debian, as root, the script installs it with the linker and what runs the programs:
# wine, qemu or Node.js. RUSTFLAGS and CARGO_TARGET_DIR (target/cross) work as for Cargo.
set -euo pipefail
folder=$(cd "$(dirname "$0")" && pwd)
platform=$1 command=$2
shift 2
parts=std,panic_unwind,test
case $platform in
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
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-target/cross}
# Builds here are for the processor of this machine unless told otherwise.
export RUSTFLAGS=${RUSTFLAGS:--C target-cpu=generic}
name=$(tr a-z- A-Z_ <<<"$platform")
export "CARGO_TARGET_${name}_LINKER=$linker" "CARGO_TARGET_${name}_RUNNER=$runner"
# The same parts for all commands, or they are built twice.
exec cargo "$command" -Zbuild-std=$parts --target "$platform" "$@"
