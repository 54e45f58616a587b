#!/usr/bin/env python3
"""Prints the licenses of all crates linked into the program, each text once.

Usage: scripts/third_party_licenses.py [PLATFORM FEATURES] > LICENSES-THIRD-PARTY
"""

import json
import pathlib
import subprocess
import sys

PLATFORMS = ("x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu", "x86_64-pc-windows-gnu")
NAMES = ("licen", "copying", "notice", "unlicense")


def linked_packages(platform, features):
    """The packages linked into the program for a platform, by their identifiers."""
    command = ["cargo", "metadata", "--format-version", "1", "--locked", "--filter-platform", platform, *features]
    metadata = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    packages = {package["id"]: package for package in metadata["packages"]}
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    linked, waiting = {}, [metadata["resolve"]["root"]]
    while waiting:
        for dependency in nodes[waiting.pop()]["deps"]:
            is_linked = any(kind["kind"] is None for kind in dependency["dep_kinds"])
            if is_linked and dependency["pkg"] not in linked:
                linked[dependency["pkg"]] = packages[dependency["pkg"]]
                waiting.append(dependency["pkg"])
    return linked


def main():
    linked, platforms, features = {}, PLATFORMS, []
    if len(sys.argv) == 3:
        platforms, features = sys.argv[1:2], ["--no-default-features", "--features", sys.argv[2]]
    for platform in platforms:
        linked.update(linked_packages(platform, features))
    texts, without = {}, []
    for package in sorted(linked.values(), key=lambda package: package["name"]):
        # Macros run while the program is built and are no part of it.
        if any("proc-macro" in target["kind"] for target in package["targets"]):
            continue
        title = f"{package['name']} {package['version']} ({package['license']})"
        folder = pathlib.Path(package["manifest_path"]).parent
        files = [path for path in sorted(folder.iterdir()) if path.name.lower().startswith(NAMES)]
        files = [path for path in files if path.is_file()]
        for path in files:
            text = path.read_text(encoding="utf-8", errors="replace").strip()
            texts.setdefault(text, []).append(title)
        if not files:
            without.append(title)
    print("Othellier is linked with these third-party crates, under these licenses.")
    for text, titles in texts.items():
        print("\n" + "=" * 80, *titles, "-" * 80, text, sep="\n")
    if without:
        print("\n" + "=" * 80, "Crates whose packages contain no license text:", *without, sep="\n")
    print(f"{len(texts)} texts, {len(without)} crates without one", file=sys.stderr)


main()
