# Completion of mpi2pure for bash: its subcommands, their options, files, and, behind --, the compiler and its flags.
#
# Subcommands and options are those that `mpi2pure --help` of the same installation names. An option whose text begins
# with a subcommand, as in "tasks: also list", is that one's. For zsh: packaging/README.md.

_mpi2pure() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} help names options
  help=$("${COMP_WORDS[0]}" --help 2> /dev/null) || return
  names=$(sed -nE '/^Subcommands:/,/^$/s/^  ([a-z]+).*/\1/p' <<< "$help")

  # Where the subcommand is, and whether flags of the compiler have begun; "=" is a word of its own in COMP_WORDS.
  local at subcommand='' flags=''
  for ((at = 1; at < COMP_CWORD; ++at)); do
    if [[ ${COMP_WORDS[at]} == -- ]]; then
      flags=$at
      break
    elif [[ -z $subcommand ]] && grep -qxF -e "${COMP_WORDS[at]}" <<< "$names"; then
      subcommand=${COMP_WORDS[at]}
    fi
  done
  [[ $before != = ]] || before=${COMP_WORDS[COMP_CWORD - 2]}
  [[ $word != = ]] || word=''

  local IFS=$'\n'
  compopt -o default 2> /dev/null # files, where nothing else is known
  COMPREPLY=()
  if [[ -n $flags ]]; then
    ((COMP_CWORD == flags + 1)) && [[ -n $word && $word != [-/.]* ]] || return
    COMPREPLY=($(compgen -c -- "$word")) # the compiler
  elif [[ $before == -* ]] && grep -qE "^  $before [A-Z]" <<< "$help"; then
    compopt +o default -o filenames 2> /dev/null # the value of an option: a folder
    COMPREPLY=($(compgen -d -- "$word"))
  elif [[ $word == -* ]]; then
    options=$(sed -nE '/^Options:/,/^$/p' <<< "$help")
    [[ -z $subcommand ]] || options=$(grep -vE " ($(grep -vxF "$subcommand" <<< "$names" | paste -sd '|')): " <<< "$options")
    COMPREPLY=($(compgen -W "$(sed -nE 's/^  (-[^ ]+).*/\1/p' <<< "$options" | tr ',' '\n')" -- "$word"))
  elif [[ -z $subcommand ]]; then
    COMPREPLY=($(compgen -W "$names" -- "$word"))
  fi
}
complete -F _mpi2pure mpi2pure
