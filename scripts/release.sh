#!/usr/bin/env bash
# Makes the packages of a release: scripts/release.sh [OUT]
#
# Writes to OUT (target/packages) a tarball for each of x86-64-v2, -v3 and -v4, one with all three and a launcher that starts the
# best for the processor, a Debian package with the same, a zip file for Windows, tarballs for ARM and for Macs, wheels for Python, and
# checksums. All builds that run here must search the same nodes. The programs for Linux need nothing of the system. The others are built
# by scripts/cross.sh; PLATFORMS=linux leaves them out. PROFILE=ci builds faster: code that is a few percent slower,
# and for Windows and Macs only the lowest level of x86-64.
set -euo pipefail
cd "$(dirname "$0")/.."

profile=${PROFILE:-release}
out=$(realpath -m "${1:-target/packages}")
target=${CARGO_TARGET_DIR:-target}
platforms=${PLATFORMS:-linux windows arm macos}
tiers=(x86-64-v2 x86-64-v3 x86-64-v4)
windows_tiers=(x86-64-v2 x86-64-v3)
mac_tiers=(x86-64-v2 x86-64-v3)
if [ "$profile" = ci ]; then windows_tiers=(x86-64-v2) mac_tiers=(x86-64-v2); fi
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
OTHELLIER_COMMIT=$(git rev-parse --short=10 HEAD 2>/dev/null || echo unknown)
export OTHELLIER_COMMIT
# The date of the commit: the same sources give the same packages.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || date +%s)}
export SOURCE_DATE_EPOCH

fail() {
    echo "release.sh: $*" >&2
    exit 1
}

[ "$(uname -sm)" = "Linux x86_64" ] || fail "packages are made on Linux x86-64 only"
for tool in dpkg-deb python3; do
    command -v "$tool" >/dev/null || fail "$tool is missing"
done

# Keep this machine's paths out of the programs, and put the C library in: they run on every Linux.
registry=${CARGO_HOME:-$HOME/.cargo}
flags="--remap-path-prefix=$PWD=. --remap-path-prefix=$registry=cargo -C target-feature=+crt-static"

# Named as a target, the platform keeps the flags from macros and build scripts: they must run on this processor.
platform=x86_64-unknown-linux-gnu
windows=x86_64-pc-windows-gnu
arm=aarch64-unknown-linux-gnu
mac=x86_64-apple-darwin
mac_arm=aarch64-apple-darwin

build() { # TIER ARGUMENT...
    local tier=$1
    shift
    RUSTFLAGS="-C target-cpu=$tier $flags" cargo build --locked --target "$platform" --target-dir "$target/$tier" "$@"
}

# The standard library is built for each tier, so these are large.
cross() { # PLATFORM TIER ARGUMENT...
    RUSTFLAGS="-C target-cpu=$2 $flags" CARGO_TARGET_DIR=$target/$2 scripts/cross.sh "$1" build --locked "${@:3}"
}

binary() { # TIER
    echo "$target/$1/$platform/$profile/othellier"
}

main=(--profile "$profile" --bin othellier)
launcher_only=(--profile ci --no-default-features --features launcher --bin othellier-launcher)
for tier in "${tiers[@]}"; do
    echo "== othellier $version for $tier, profile $profile"
    build "$tier" "${main[@]}"
done
echo "== launcher"
build x86-64 "${launcher_only[@]}"
if [[ $platforms == *windows* ]]; then
    echo "== Windows"
    for tier in "${windows_tiers[@]}"; do
        cross $windows "$tier" "${main[@]}"
    done
    cross $windows x86-64 "${launcher_only[@]}"
fi
if [[ $platforms == *arm* ]]; then
    echo "== ARM"
    cross $arm generic "${main[@]}"
fi

if [[ $platforms == *macos* ]]; then
    echo "== macOS"
    cross $mac_arm apple-m1 "${main[@]}"
    for tier in "${mac_tiers[@]}"; do
        cross $mac "$tier" "${main[@]}"
    done
    cross $mac x86-64 "${launcher_only[@]}"
fi

echo "== the same nodes from all"
nodes=
compare() { # NAME COMMAND...
    if ! "${@:2}" --version; then
        echo "$1: not run, this processor cannot"
        return
    fi
    found=$("${@:2}" bench | tail -n 1 | tr -d '\r')
    echo "$1: $found"
    [ "${nodes:=$found}" = "$found" ] || fail "$1 searches other nodes: $found, not $nodes"
}
for tier in "${tiers[@]}"; do
    compare "$tier" "$(binary "$tier")"
done
if [[ $platforms == *windows* ]]; then
    for tier in "${windows_tiers[@]}"; do
        compare "$tier for Windows" scripts/wine.sh "$target/$tier/$windows/$profile/othellier.exe"
    done
fi
if [[ $platforms == *arm* ]]; then
    compare ARM qemu-aarch64 "$target/generic/$arm/$profile/othellier"
fi

echo "== nothing of the system is needed"
launcher=$target/x86-64/$platform/ci/othellier-launcher
programs=("$launcher")
for tier in "${tiers[@]}"; do programs+=("$(binary "$tier")"); done
for program in "${programs[@]}"; do
    ldd "$program" 2>&1 | grep -Eq 'statically linked|not a dynamic' || fail "$program needs libraries"
done

if [[ $platforms == *macos* ]]; then
    # They cannot run here. Besides the system's libraries they need nothing; on ARM the system starts signed programs only.
    command -v llvm-objdump >/dev/null || fail "llvm-objdump is missing"
    for program in "$target"/{apple-m1/$mac_arm,x86-64-v[23]/$mac}/"$profile"/othellier "$target/x86-64/$mac/ci/othellier-launcher"; do
        others=$(llvm-objdump --macho --dylibs-used "$program" | tail -n +2 | grep -Ev '^\s/(usr/lib|System/Library)/' || true)
        [ -z "$others" ] || fail "$program needs $others"
        llvm-objdump --macho --private-headers "$program" >"$out.headers"
        [[ $program != *apple-m1* ]] || grep -q LC_CODE_SIGNATURE "$out.headers" || fail "$program is not signed"
    done
    rm "$out.headers"
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
umask 022

echo "== documents"
# The lowest build runs wherever any does.
run=$(binary x86-64-v2)
"$run" man "$work/man"
mkdir "$work/completions"
"$run" completions bash >"$work/completions/othellier.bash"
"$run" completions zsh >"$work/completions/_othellier"
"$run" completions fish >"$work/completions/othellier.fish"
scripts/third_party_licenses.py >"$work/LICENSES-THIRD-PARTY"
cat - /usr/share/common-licenses/LGPL-2.1 >>"$work/LICENSES-THIRD-PARTY" <<'END'

================================================================================
The programs for Linux contain parts of the GNU C Library, https://www.gnu.org/software/libc, under the following license. Whoever
has a package may ask who gave it for the sources of othellier, to link it with another version.
--------------------------------------------------------------------------------
END

rm -rf "$out"
mkdir -p "$out"

# What the documents link to lies beside them as in the repository, so that the links work in the packages as well.
guides=(README.md protocol.md docs/*.md)
linked() { # FILE...: the files of the repository that these link to
    for file in "$@"; do
        grep -ohE '\]\([A-Za-z.][^)#]*' "$file" | cut -c 3- | grep -Ev '^https?:' |
            while read -r target; do realpath -m --relative-to=. "$(dirname "$file")/$target"; done
    done | sort -u
}

install_documents() { # FOLDER
    for file in "${guides[@]}" $(linked "${guides[@]}") scripts/ggs.py scripts/ggs; do
        mkdir -p "$1/$(dirname "$file")"
        cp -r "$file" "$1/$(dirname "$file")"
    done
    find "$1" -name __pycache__ -prune -exec rm -r {} +
}

tarball() { # NAME: a folder of that name in $work
    install_documents "$work/$1"
    install -m 644 CHANGELOG.md LICENSE-MIT LICENSE-APACHE "$work/LICENSES-THIRD-PARTY" "$work/$1"
    cp -r "$work/man" "$work/completions" "$work/$1"
    tar -C "$work" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" -c "$1" |
        gzip -9n >"$out/$1.tar.gz"
}

echo "== tarballs"
for tier in "${tiers[@]}"; do
    name=othellier-$version-linux-$tier
    install -D -m 755 "$(binary "$tier")" "$work/$name/othellier"
    tarball "$name"
done
name=othellier-$version-linux-x86-64
install -D -m 755 "$launcher" "$work/$name/othellier"
for tier in "${tiers[@]}"; do
    install -m 755 "$(binary "$tier")" "$work/$name/othellier-$tier"
done
tarball "$name"
all=$work/$name/othellier
if [[ $platforms == *arm* ]]; then
    name=othellier-$version-linux-aarch64
    install -D -m 755 "$target/generic/$arm/$profile/othellier" "$work/$name/othellier"
    tarball "$name"
fi

if [[ $platforms == *macos* ]]; then
    name=othellier-$version-macos-arm64
    install -D -m 755 "$target/apple-m1/$mac_arm/$profile/othellier" "$work/$name/othellier"
    tarball "$name"
    name=othellier-$version-macos-x86-64
    install -D -m 755 "$target/x86-64/$mac/ci/othellier-launcher" "$work/$name/othellier"
    for tier in "${mac_tiers[@]}"; do
        install -m 755 "$target/$tier/$mac/$profile/othellier" "$work/$name/othellier-$tier"
    done
    tarball "$name"
fi

if [[ $platforms == *windows* ]]; then
    echo "== zip file for Windows"
    name=othellier-$version-windows-x86-64
    install_documents "$work/$name"
    for tier in "${windows_tiers[@]}"; do
        install "$target/$tier/$windows/$profile/othellier.exe" "$work/$name/othellier-$tier.exe"
    done
    install "$target/x86-64/$windows/ci/othellier-launcher.exe" "$work/$name/othellier.exe"
    # Texts that a double click opens.
    for file in README.md CHANGELOG.md LICENSE-MIT LICENSE-APACHE "$work/LICENSES-THIRD-PARTY"; do
        sed 's/$/\r/' "$file" >"$work/$name/$(basename "${file%.md}").txt"
    done
    find "$work/$name" -print0 | xargs -0 touch --date="@$SOURCE_DATE_EPOCH"
    (cd "$work" && TZ=UTC python3 -m zipfile -c "$out/$name.zip" "$name")
    found=$(scripts/wine.sh "$work/$name/othellier.exe" bench | tail -n 1 | tr -d '\r')
    [ "$found" = "$nodes" ] || fail "the launcher for Windows searches other nodes: $found"
fi

echo "== wheels"
# A wheel holds what the tarballs hold. Maturin would build one program more, without a launcher, so Hatchling packs these.
tools=$(realpath -s "$target/wheels")
if [ ! -x "$tools/bin/hatchling" ]; then
    python3 -m venv "$tools"
    "$tools/bin/pip" install --quiet hatchling==1.33.0
fi
wheel() { # PLATFORM NAME: with the programs in the folder of that name in $work
    local folder=$work/wheel
    rm -rf "$folder"
    cp -r scripts/python "$folder"
    cp LICENSE-MIT LICENSE-APACHE "$work/LICENSES-THIRD-PARTY" "$folder"
    mkdir -p "$folder"/{bin,lib/othellier}
    for program in "$work/$2"/othellier*; do
        case ${program##*/} in
        *-x86-64-v*) cp "$program" "$folder/lib/othellier" ;;
        *) cp "$program" "$folder/bin" ;;
        esac
    done
    sed -i "s/VERSION/${version/-dev/.dev0}/" "$folder/pyproject.toml"
    # The other documents are not there.
    sed -E 's/\[([^]]*)\]\([^)]*\.(md|py)[^)]*\)/\1/g' docs/python.md >"$folder/README.md"
    find "$folder" -name __pycache__ -prune -exec rm -r {} +
    (cd "$folder" && WHEEL_PLATFORM=$1 "$tools/bin/hatchling" build -t wheel -d "$out")
}
wheel manylinux_2_17_x86_64.musllinux_1_1_x86_64 othellier-$version-linux-x86-64
if [[ $platforms == *arm* ]]; then wheel manylinux_2_17_aarch64.musllinux_1_1_aarch64 othellier-$version-linux-aarch64; fi
if [[ $platforms == *windows* ]]; then wheel win_amd64 othellier-$version-windows-x86-64; fi
if [[ $platforms == *macos* ]]; then
    wheel macosx_11_0_arm64 othellier-$version-macos-arm64
    wheel macosx_11_0_x86_64 othellier-$version-macos-x86-64
fi

echo "== Debian package"
root=$work/debian/othellier
install -D -m 755 "$launcher" "$root/usr/bin/othellier"
for tier in "${tiers[@]}"; do
    install -D -m 755 "$(binary "$tier")" "$root/usr/lib/othellier/othellier-$tier"
done
documents=$root/usr/share/doc/othellier
install_documents "$documents"
gzip -9n <CHANGELOG.md >"$documents/changelog.gz"
cat - LICENSE-MIT "$work/LICENSES-THIRD-PARTY" >"$documents/copyright" <<'END'
Othellier may be used under the MIT licence, which follows, or under the Apache License 2.0, at your choice:
/usr/share/common-licenses/Apache-2.0 on Debian systems.

END
for page in "$work"/man/*.1; do
    install -d "$root/usr/share/man/man1"
    gzip -9n <"$page" >"$root/usr/share/man/man1/$(basename "$page").gz"
done
install -D -m 644 "$work/completions/othellier.bash" "$root/usr/share/bash-completion/completions/othellier"
install -D -m 644 "$work/completions/_othellier" "$root/usr/share/zsh/vendor-completions/_othellier"
install -D -m 644 "$work/completions/othellier.fish" "$root/usr/share/fish/vendor_completions.d/othellier.fish"
chmod -R u=rwX,go=rX "$root"

size=$(du -sk "$root/usr" | cut -f 1)
maintainer=$(git log -1 --format='%an <%ae>' 2>/dev/null || echo "othellier <othellier@localhost>")
mkdir "$root/DEBIAN"
cat >"$root/DEBIAN/control" <<END
Package: othellier
Version: $version
Architecture: amd64
Maintainer: $maintainer
Installed-Size: $size
Section: games
Priority: optional
Description: Othello engine for NBoard, GTP and Cassio front ends
 Plays behind Quarry, GoGui, NBoard and match tools, or at a board in the
 terminal; analyzes games, plays matches between engines, converts game files
 and learns its own evaluation. Everything is embedded: there is nothing to
 download and nothing to set up.
END
find "$root" -print0 | xargs -0 touch --no-dereference --date="@$SOURCE_DATE_EPOCH"
deb=$out/othellier_${version}_amd64.deb
dpkg-deb --root-owner-group -Zxz --build "$root" "$deb"

echo "== the launcher runs what fits"
best=$("$all" --version)
echo "$best"
[ "$("$all" bench | tail -n 1)" = "$nodes" ] || fail "the launcher's choice searches other nodes"
[ "$("$root/usr/bin/othellier" --version)" = "$best" ] || fail "the Debian package's launcher chooses otherwise"

(cd "$out" && sha256sum ./* >SHA256SUMS)
ls -l "$out"
echo "release: $nodes"
