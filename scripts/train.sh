#!/usr/bin/env bash
# Trains a weights file from scratch.
#
#   train.sh [--quick | --full] [FOLDER]     the folder for games and weights, target/training unless given, with
#                                            --quick target/training-quick, with --full target/training-full
#
# Generation 0 plays by weights of zero, the next by the weights of the one before. Without an option: two small generations and
# a short match, in less than 15 minutes on two cores; --quick does less of everything and no match, in less than two minutes.
# --full makes the files that are built into the program, weights.bin and ranking.bin, in well over half a day on two cores: five
# generations of games, the first two quick ones, the others of 60, 60 and 100 million positions, then the ranking of the solver's
# moves. Generation 4 goes on from the weights of generation 3.
#
# The seeds are fixed: the same program makes the same files anywhere. Run again after an interruption, it continues where it was.
#
# OTHELLIER names the program, target/release/othellier unless set. With --full, GAMES lists files of other games
# to start near, and SCALE divides the numbers of positions, for a trial.
# Exit status: 0 the last generation judges the hold-out positions, of games by the embedded weights, better than the one before;
# 1 not; 2 wrong usage.
set -euo pipefail

usage() { echo "usage: train.sh [--quick | --full] [FOLDER]" >&2; exit 2; }

quick= full=
case "${1:-}" in
--quick) quick=yes; shift ;;
--full) full=yes; shift ;;
esac
case "${1:-}" in -*) usage ;; esac
[ $# -le 1 ] || usage
folder=${1:-$(dirname "$0")/../target/training${quick:+-quick}${full:+-full}}
othellier=${OTHELLIER:-$(dirname "$0")/../target/release/othellier}
if ! command -v "$othellier" >/dev/null; then
    echo "train.sh: no program $othellier (set OTHELLIER)" >&2
    exit 2
fi
mkdir -p "$folder"
"$othellier" weights zero -o "$folder/zero.bin"

step() { printf '== %s (%s s)\n' "$1" "$SECONDS"; }

# play FILE SEED POSITIONS DEPTH EXACT EVALUATION...
play() {
    "$othellier" selfplay -o "$folder/$1" --seed "$2" --positions "$3" --depth "$4" --exact "$5" "${@:6}"
}

# learn GENERATION EPOCHS OPTIONS...
learn() {
    [ -e "$folder/generation-$1.bin" ] || "$othellier" train "$folder/games-$1.bin" --epochs "$2" \
        --hold-out "$folder/hold-out.bin" -o "$folder/generation-$1.bin" "${@:3}"
}

# figure GENERATION FIELD: a number of the training record, as `othellier weights inspect` names it.
figure() { "$othellier" weights inspect "$folder/generation-$1.bin" | sed -n "s/^record\.$2: //p"; }

# games GENERATION SEED POSITIONS OPTIONS...: games of all lengths, then as many positions again of games from short openings on
games() {
    local n=$(($3 / ${SCALE:-1}))
    play "main-$1.bin" "$2" "$n" "${@:4}" ${GAMES:+--games $GAMES}
    play "early-$1.bin" "$(($2 + 1))" "$n" "${@:4}" ${GAMES:+--games $GAMES} --opening-min 4 --opening-max 16
}

# What positions of generation 0 are worth only the games' results say: a search by weights of zero says nothing.
results="--lambda 1"

# fit GENERATION GENERATIONS...: weights from the positions of these generations
fit() {
    local data=() options=
    [ "$1" != 0 ] || options=$results
    for generation in "${@:2}"; do data+=("$folder/main-$generation.bin" "$folder/early-$generation.bin"); done
    [ -e "$folder/generation-$1.bin" ] ||
        "$othellier" train "${data[@]}" $options --epochs 10 --hold-out-one-of 200 --measure "$((2000 / ${SCALE:-1} + 40))" \
            -o "$folder/generation-$1.bin"
}

full() {
    step "generation 0: games of weights of zero"
    games 0 10 30000000 1 14 --weights "$folder/zero.bin"
    step "generation 0: training"
    fit 0 0
    step "generation 1: games of generation 0"
    games 1 15 10000000 2 12 --weights "$folder/generation-0.bin"
    step "generation 1: training"
    fit 1 1
    step "generation 2: games of generation 1"
    games 2 20 30000000 4 12 --weights "$folder/generation-1.bin"
    step "generation 2: training"
    fit 2 1 2
    step "generation 3: games of generation 2"
    games 3 30 30000000 4 12 --weights "$folder/generation-2.bin"
    step "generation 3: training"
    fit 3 2 3
    step "generation 4: games of generation 3"
    play whole-4.bin 40 $((100000000 / ${SCALE:-1})) 4 12 --weights "$folder/generation-3.bin" --opening-min 6 --opening-max 24
    step "generation 4: training"
    [ -e "$folder/generation-4.bin" ] ||
        "$othellier" train "$folder/whole-4.bin" --init "$folder/generation-3.bin" --prior 6 --epochs 4 --hold-out-one-of 200 \
            -o "$folder/generation-4.bin"
    "$othellier" weights pack "$folder/generation-4.bin" -o "$folder/weights.bin"
    step "ranking of moves"
    "$othellier" fit-ranking "$folder/main-3.bin" -o "$folder/ranking.bin"
    step "done"
    echo "to embed them: cp $folder/weights.bin $folder/ranking.bin src/evaluation/"
}

if [ -n "$full" ]; then
    full
    exit
fi
if [ -n "$quick" ]; then
    hold_out=(60000 4 12) first=(3000000 1 8) second=(1000000 2 10) epochs=8
else
    hold_out=(100000 6 14) first=(16000000 2 10) second=(6000000 4 12) epochs=12
fi

step "hold-out games"
play hold-out.bin 1000 "${hold_out[@]}" --opening-min 8
step "generation 0: games of weights of zero"
play games-0.bin 1 "${first[@]}" --weights "$folder/zero.bin"
step "generation 0: training"
learn 0 "$epochs" $results
step "generation 1: games of generation 0"
play games-1.bin 2 "${second[@]}" --weights "$folder/generation-0.bin"
step "generation 1: training"
learn 1 "$epochs" --init "$folder/generation-0.bin"
if [ -z "$quick" ]; then
    step "generation 1 against generation 0"
    "$othellier" match --player "engine:weights=$folder/generation-1.bin,name=generation-1" \
        --player "engine:weights=$folder/generation-0.bin,name=generation-0" --openings random:10 --games 100 --clock nodes:20000
fi

step "done"
echo "hold-out mean absolute error in discs (squared in brackets), $(figure 1 hold_out_file.positions) positions:"
for generation in 0 1; do
    echo "generation $generation $(figure "$generation" hold_out_file.mae) ($(figure "$generation" hold_out_file.mse))"
done
if ! awk -v error="$(figure 1 hold_out_file.mse)" -v before="$(figure 0 hold_out_file.mse)" 'BEGIN { exit !(error < before) }'; then
    echo "train.sh: the last generation is no better than the one before" >&2
    exit 1
fi
