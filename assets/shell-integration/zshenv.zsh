# Nebula's shell integration for zsh, first part: read as .zshenv from a ZDOTDIR of our own.
#
# It gives ZDOTDIR back before anything of the user's is read, so that zsh finds all other files by
# itself and child shells never see our directory.

if [[ -n ${NEBULA_ZDOTDIR+x} ]]; then
  export ZDOTDIR=$NEBULA_ZDOTDIR
  unset NEBULA_ZDOTDIR
else
  unset ZDOTDIR
fi

# The hooks come first: the user's .zshenv may end the reading of this file.
if [[ -o interactive ]]; then
  builtin source -- "${${(%):-%x}:A:h}/nebula.zsh"
fi

if [[ -r ${ZDOTDIR-$HOME}/.zshenv ]]; then
  builtin source -- "${ZDOTDIR-$HOME}/.zshenv"
fi
