#!/usr/bin/env bash
# Builds an opening book into the program, which then plays from it unless --book or --no-book says otherwise.
#
#   embed_book.sh BOOK       after:  othellier book build BOOK --duration 5h
#
# Writes src/book/book.bin, some 5 bytes a position; build and test the program afterwards.
# Leaves out counted games and positions that the start does not lead to.
#
# OTHELLIER names the program that packs the book, target/release/othellier unless set.
# Exit status: 0 done, 1 the book is damaged, 2 wrong usage.
set -euo pipefail

[ $# = 1 ] || { echo "usage: embed_book.sh BOOK" >&2; exit 2; }
root=$(dirname "$0")/..
othellier=${OTHELLIER:-$root/target/release/othellier}
if ! command -v "$othellier" >/dev/null; then
    echo "embed_book.sh: no program $othellier (set OTHELLIER)" >&2
    exit 2
fi
folder=$root/src/book

"$othellier" book check "$1"
"$othellier" book export "$1" "$folder/book.bin" --to packed --force
ls -l "$folder/book.bin"
