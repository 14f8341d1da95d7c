# Completion of purerun for bash: its options, their values, and then a program and its files.
#
# Options and settings are those that `purerun --help` of the same installation names. The values are kept here; a test
# compares them with that text. For zsh: packaging/README.md.

_purerun() {
  local word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[0]} help options with_value
  help=$("$command" --help 2> /dev/null) || return
  # Rows of options: "  -n,--ranks N   how many ranks". Those that are followed by a word take a value.
  options=$(sed -nE '/^Options[ :]/,/^$/s/^  (-[^ ]+).*/\1/p' <<< "$help" | tr ',' '\n')
  with_value=$(sed -nE '/^Options[ :]/,/^$/s/^  (-[^ ]+) [^ ].*/\1/p' <<< "$help" | tr ',' '\n')

  # Where the program is, and the option whose value is being written; "=" is a word of its own in COMP_WORDS.
  local at option='' program=''
  for ((at = 1; at < COMP_CWORD; ++at)); do
    local before=${COMP_WORDS[at]}
    if [[ $before == = ]]; then
      continue
    elif [[ -n $option ]]; then
      option=''
    elif [[ $before != -* ]]; then
      program=$before
      break
    elif grep -qxF -e "$before" <<< "$with_value"; then
      option=$before
    fi
  done
  [[ $word != = ]] || word=''

  local IFS=$'\n' values=''
  compopt -o default 2> /dev/null # files, where nothing else is known
  COMPREPLY=()
  if [[ -n $program ]]; then
    return # the program's own arguments
  elif [[ -n $option ]]; then
    case $option in
      --map-by) values=$'core\nnuma\nnode\nsocket\nnone\nfile:' ;;
      --placement) values=$'block\nround-robin\nfile:\norder:' ;;
      --mpi) values=$'auto\nnone\nmpich\nopenmpi' ;;
      --globals) values=$'private\nshared' ;;
      --ranks-as) values=$'threads\nprocesses\nauto' ;;
      --ppn) values='numa' ;;
      --helpers) values='auto' ;;
      --network-interface) values=$(command ls /sys/class/net 2> /dev/null) ;;
      --set) values=$(sed -nE 's/^  PURE_([A-Z_]+) .*/\L\1=/p' <<< "$help") ;;
      --hostfile | --mpiexec | --trace) return ;; # files
    esac
    compopt +o default 2> /dev/null
    COMPREPLY=($(compgen -W "$values" -- "$word"))
  elif [[ $word == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$word"))
  else
    COMPREPLY=($(compgen -c -- "$word")) # the program: of PATH, or a file
    [[ $word != */* && -n $word ]] || COMPREPLY=()
  fi
  [[ ${#COMPREPLY[@]} != 1 || ${COMPREPLY[0]} != *[=:] ]] || compopt -o nospace 2> /dev/null
}
complete -F _purerun purerun
