#!/bin/sh
# A GTP engine that answers everything properly until it is asked for a move, and then does what its first argument names. It knows
# no rules, so its proper moves are those of a game against nobody: it is only good for faults. `tell` repeats what it is told on
# the error output, and speaks NBoard as well.
fault=$1
case $fault in
hang-at-start) sleep 1000 ;;
exit-at-start) exit 0 ;;
zeros-at-start) exec cat /dev/zero ;;
child-at-start) sleep 1000 & ;;
esac
while read -r command rest; do
    [ "$fault" != tell ] || echo "$command $rest" >&2
    case $command in
    name) printf '= fake\n\n' ;;
    list_commands)
        if [ "$fault" = tell ]; then printf '= set_level\ntime_settings\ntime_left\n\n'; continue; fi
        printf '= name\nlist_commands\nboardsize\nclear_board\nplay\ngenmove\nquit\n\n'
        ;;
    boardsize | clear_board | play | set_level | time_settings | time_left) printf '= \n\n' ;;
    ping) printf 'pong %s\n' "$rest" ;;
    go) printf '=== A1\n' ;;
    genmove)
        case $fault in
        illegal | tell) printf '= A1\n\n' ;;
        once) echo moved >&2; printf '= D3\n\n' ;;
        leave) sleep 0.3; exit 0 ;;
        resign) sleep 0.3; printf '= resign\n\n' ;;
        crash) kill -SEGV $$ ;;
        status) exit 3 ;;
        exit) exit 0 ;;
        stall) echo thinking >&2; sleep 1000 ;;
        late) sleep 1; printf '= D3\n\n' ;;
        refuse) printf '? cannot move\n\n' ;;
        nonsense) printf '= banana\n\n' ;;
        no-sign) printf 'D3\n\n' ;;
        half) printf '= D'; sleep 1000 ;;
        binary) printf '\377\376\000\001\n\n' ;;
        zeros) exec cat /dev/zero ;;
        flood) while :; do echo flood flood flood flood flood flood flood; done ;;
        errors) echo 'something is wrong' >&2; printf '= A1\n\n' ;;
        child) sleep 1001 & printf '= A1\n\n' ;;
        family) sleep 1002 & echo "$$ $!" >&2; wait ;;
        deaf) trap '' TERM INT HUP; while :; do sleep 1; done ;;
        esac
        ;;
    quit)
        # One that ignores quit.
        if [ "$fault" = illegal ]; then sleep 1000; fi
        printf '= \n\n'
        exit 0
        ;;
    *) printf '? unknown command\n\n' ;;
    esac
done
