# Nebula's shell integration for zsh, second part: reports the working directory (OSC 7) and the
# prompts and commands (OSC 133).
#
# Marks go to the terminal itself: tools that show a prompt before the shell is ready redirect the
# standard output meanwhile.

typeset -gi _nebula_ran=0  # a command was started since the last prompt

# Percent-encodes what would end a mark or be taken for a part of it; sets REPLY.
_nebula_encode() {
  emulate -L zsh -o no_multibyte
  REPLY=${1[1,4096]}
  REPLY=${REPLY//\%/%25}
  REPLY=${REPLY// /%20}
  REPLY=${REPLY//;/%3B}
  REPLY=${REPLY//\#/%23}
  REPLY=${REPLY//\?/%3F}
  REPLY=${REPLY//$'\n'/%0A}
  REPLY=${REPLY//$'\t'/%09}
  REPLY=${REPLY//[[:cntrl:]]/}
}

_nebula_preexec() {
  local REPLY
  _nebula_ran=1
  _nebula_encode "${1:-${3-}}"
  builtin print -rn -- $'\e]133;C;cmdline_url='"$REPLY"$'\a' >"$TTY"
}

_nebula_precmd() {
  local code=$? marks='' REPLY
  emulate -L zsh
  # The directory comes before the end of the command: who waited for that end may use it.
  _nebula_encode "$PWD"
  marks=$'\e]7;file://'${HOST-}$REPLY$'\a'
  if (( _nebula_ran )); then
    _nebula_ran=0
    marks+=$'\e]133;D;'$code$'\a'
  fi
  marks+=$'\e]133;A\a'
  builtin print -rn -- "$marks" >"$TTY"

  # Prompt tools set PS1 in a hook of theirs; be behind them the next time.
  if [[ ${precmd_functions[-1]} != _nebula_precmd ]]; then
    precmd_functions=(${precmd_functions:#_nebula_precmd} _nebula_precmd)
  fi
  # Mark the end of the prompt; a single % at its end would swallow the mark's first character.
  if [[ $PS1 != *'133;B'* && $PS1 != (|*[^%])% ]]; then
    PS1+=$'%{\e]133;B\a%}'
  fi
}

typeset -ga precmd_functions preexec_functions
precmd_functions+=(_nebula_precmd)
preexec_functions+=(_nebula_preexec)
