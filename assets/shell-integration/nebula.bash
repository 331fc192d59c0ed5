# Nebula's shell integration for bash 4.4 and newer.
#
# Started as `bash --rcfile` this file, or, for a login shell, as `bash --posix -l` with it in ENV.
# It first does what bash would have done by itself, then reports the working directory (OSC 7) and
# the prompts and commands (OSC 133). It sets no trap and leaves the user's prompt commands in place.

if [[ -n ${NEBULA_BASH_LOGIN-} ]]; then
  # A login shell in POSIX mode read nothing but this file. Leave that mode, then read the rest.
  unset NEBULA_BASH_LOGIN
  set +o posix
  shopt -u inherit_errexit 2>/dev/null
  unset ENV
  if [[ -n ${NEBULA_BASH_ENV+x} ]]; then
    export ENV=$NEBULA_BASH_ENV
    unset NEBULA_BASH_ENV
  fi
  # The name of the history file depends on the mode at the start.
  [[ ${HISTFILE-} == "$HOME/.sh_history" ]] && HISTFILE=$HOME/.bash_history
  [[ -r /etc/profile ]] && . /etc/profile
  for __nebula_file in ~/.bash_profile ~/.bash_login ~/.profile; do
    if [[ -r $__nebula_file ]]; then
      . "$__nebula_file"
      break
    fi
  done
  unset __nebula_file
elif [[ -r ~/.bashrc ]]; then
  . ~/.bashrc
fi

if ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 404)) && [[ $- == *i* && -z ${__nebula_ran+x} ]]; then
  __nebula_ran=0     # a command was started since the last prompt
  __nebula_history=  # the last history entry at the last prompt
  __nebula_none=     # set, so that `set -u` allows the expansion in PS0

  # Percent-encodes what would end a mark or be taken for a part of it; sets REPLY.
  __nebula_encode() {
    REPLY=${1//'%'/%25}
    REPLY=${REPLY//' '/%20}
    REPLY=${REPLY//';'/%3B}
    REPLY=${REPLY//'#'/%23}
    REPLY=${REPLY//'?'/%3F}
    REPLY=${REPLY//$'\n'/%0A}
    REPLY=${REPLY//$'\t'/%09}
    REPLY=${REPLY//[[:cntrl:]]/}
  }

  # Runs in a subshell from PS0, after Enter and before the command.
  __nebula_preexec() {
    local REPLY entry
    entry=$(HISTTIMEFORMAT='' builtin history 1)
    # A command that history did not take is unknown, unless it only repeats the one before.
    if [[ $entry != "$__nebula_history" || ${HISTCONTROL-} == *@(dups|both)* ]]; then
      entry=${entry#*[0-9][ *] }
      __nebula_encode "${entry:0:4096}"
      builtin printf '\e]133;C;cmdline_url=%s\a' "$REPLY"
    else
      builtin printf '\e]133;C\a'
    fi
  }

  # Runs before all other prompt commands, which find the exit code unchanged.
  __nebula_precmd() {
    local code=$? REPLY
    # The directory comes before the end of the command: who waited for that end may use it.
    __nebula_encode "$PWD"
    builtin printf '\e]7;file://%s%s\a' "${HOSTNAME-}" "$REPLY"
    if ((__nebula_ran)); then
      __nebula_ran=0
      builtin printf '\e]133;D;%s\a' "$code"
    fi
    __nebula_history=$(HISTTIMEFORMAT='' builtin history 1)
    builtin printf '\e]133;A\a'
    __nebula_prompt
    return "$code"
  }

  # Marks the end of the prompt, and the start of a command, in whatever prompt is set.
  __nebula_prompt() {
    local code=$?
    [[ ${PS1-} == *'133;B'* ]] || PS1=${PS1-}'\[\e]133;B\a\]'
    [[ ${PS0-} == *__nebula_preexec* ]] ||
      PS0='${__nebula_none:$((__nebula_ran=1,0)):0}$(__nebula_preexec)'${PS0-}
    return "$code"
  }

  # Prompt tools set PS1 in a prompt command of theirs, so ours is also the last one, unless a DEBUG
  # trap would mistake it for the user's command.
  __nebula_last=
  [[ -n $(trap -p DEBUG) ]] || __nebula_last=__nebula_prompt
  if [[ $(declare -p PROMPT_COMMAND 2>/dev/null) == 'declare -a'* ]]; then
    PROMPT_COMMAND=(__nebula_precmd ${PROMPT_COMMAND[@]+"${PROMPT_COMMAND[@]}"} $__nebula_last)
  else
    PROMPT_COMMAND=__nebula_precmd${PROMPT_COMMAND:+$'\n'$PROMPT_COMMAND}${__nebula_last:+$'\n'$__nebula_last}
  fi
  unset __nebula_last
fi
