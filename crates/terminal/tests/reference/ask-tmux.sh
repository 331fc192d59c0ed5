#!/bin/sh
# Shows what tmux makes of a recording, for a second opinion:
#
#     sh ask-tmux.sh NAME
set -eu

case=$(cd "$(dirname "$0")/$1" && pwd)
size=$(sed -n 's/^size //p' "$case/expected.txt")
settings=$(mktemp)
trap 'rm -f "$settings"' EXIT
echo "set -g status off" > "$settings"

ask() {
    tmux -L "nebula-reference-$$" -f "$settings" "$@"
}
ask new-session -d -x "${size%x*}" -y "${size#*x}" \
    "stty raw -echo; cat '$case/output'; tmux wait-for -S shown; exec sleep 60"
ask wait-for shown
ask display-message -p 'cursor line #{e|+:#{cursor_y},1} column #{e|+:#{cursor_x},1}, alternate screen #{alternate_on}'
ask capture-pane -p -e -S -12
ask kill-server
