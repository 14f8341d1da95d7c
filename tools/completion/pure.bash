# Completion of pure for bash: its subcommands, their options, and what they look at.
#
# Subcommands and options are those that --help of the same installation names, of pure and of each subcommand. For
# zsh: packaging/README.md.

_pure() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} help names
  local -a chosen=("${COMP_WORDS[0]}")

  # How far the words before name a subcommand, as in: pure bench tune.
  local at
  for ((at = 1; at < COMP_CWORD; ++at)); do
    help=$("${chosen[@]}" --help 2> /dev/null) || return
    names=$(sed -nE '/^Subcommands:/,/^$/s/^  ([a-z]+).*/\1/p' <<< "$help")
    grep -qxF -e "${COMP_WORDS[at]}" <<< "$names" || break
    chosen+=("${COMP_WORDS[at]}")
  done
  help=$("${chosen[@]}" --help 2> /dev/null) || return

  local IFS=$'\n'
  compopt -o default 2> /dev/null # files, where nothing else is known
  COMPREPLY=()
  if grep -qE "^  (-[^ ]+,)?$before [^ ]" <<< "$help" && [[ $before == -* ]]; then
    [[ $before != --zoom ]] || COMPREPLY=($(compgen -W auto -- "$word")) # the value of an option
  elif [[ $word == -* ]]; then
    COMPREPLY=($(compgen -W "$(sed -nE '/^Options[ :]/,/^$/s/^  (-[^ ]+).*/\1/p' <<< "$help" | tr ',' '\n')" -- "$word"))
  elif [[ ${chosen[*]: -1} == attach ]]; then
    COMPREPLY=($(compgen -W "$(ps -o pid= -u "$(id -u)" 2> /dev/null | tr -d ' ')" -- "$word"))
  else
    COMPREPLY=($(compgen -W "$(sed -nE '/^Subcommands:/,/^$/s/^  ([a-z]+).*/\1/p' <<< "$help")" -- "$word"))
  fi
}
complete -F _pure pure
