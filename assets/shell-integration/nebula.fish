# Nebula's shell integration for fish 3: reports the working directory (OSC 7) and the prompts and
# commands (OSC 133). fish 4 reports them by itself.
#
# Read as a vendor configuration file from a data directory of our own, which is given back first.

if set -q NEBULA_XDG_DATA_DIRS
    set -gx XDG_DATA_DIRS $NEBULA_XDG_DATA_DIRS
else if set -q NEBULA_PANE_FISH
    set -e XDG_DATA_DIRS
end
set -e NEBULA_XDG_DATA_DIRS
set -e NEBULA_PANE_FISH

if not status is-interactive; or string match -qr '^[4-9]|^\d\d' -- $version
    exit
end

function __nebula_preexec --on-event fish_preexec
    set -l line (string sub --length 4096 -- "$argv[1]" | string collect | string escape --style=url)
    printf '\e]133;C;cmdline_url=%s\a' "$line"
end

function __nebula_postexec --on-event fish_postexec
    set -l code $status
    # The directory comes before the end of the command: who waited for that end may use it.
    printf '\e]7;file://%s%s\a\e]133;D;%s\a' $hostname (string escape --style=url -- $PWD) $code
end

function __nebula_prompt --on-event fish_prompt
    printf '\e]7;file://%s%s\a\e]133;A\a' $hostname (string escape --style=url -- $PWD)
    # The user's prompt is defined by now; mark its end.
    if not functions -q __nebula_user_prompt; and functions -q fish_prompt
        functions --copy fish_prompt __nebula_user_prompt
        function fish_prompt
            __nebula_user_prompt
            printf '\e]133;B\a'
        end
    end
end
