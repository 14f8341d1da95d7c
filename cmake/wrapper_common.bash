# ---- common to the wrappers: cmake/wrapper_common.bash ---------------------------------------------------------------

say() { printf '%s: %s\n' "$wrapper" "$*" >&2; }

quoted() { # quoted WORD...: one line, as a shell reads it
  local word line=
  for word; do
    [[ $word =~ ^[A-Za-z0-9_/.,:=+@%-]+$ ]] || printf -v word %q "$word"
    line+=" $word"
  done
  printf '%s\n' "${line:1}"
}

# chosen_by VARIABLE LANGUAGE...: the compiler that the environment names, by the variable, or as build systems tell other MPIs'
# wrappers. CC, CXX and FC are not read: they are often this wrapper.
chosen_by() {
  local variables=("$1") language variable
  for language in "${@:2}"; do variables+=("MPICH_$language" "OMPI_$language" "I_MPI_$language"); done
  for variable in "${variables[@]}"; do
    [[ -n $chosen ]] || chosen=${!variable:-}
  done
}

# The compiler, as words: a name with blanks in it may be a path, or a launcher and a compiler (ccache g++).
compiler=()
choose_compiler() {
  local name
  for name in "${default_compilers[@]}"; do
    if [[ -z $chosen ]] && command -v "$name" > /dev/null; then chosen=$name; fi
  done
  [[ -n $chosen ]] || chosen=${default_compilers[0]}
  if command -v "$chosen" > /dev/null; then
    compiler=("$chosen")
  else
    read -ra compiler <<< "$chosen"
  fi
  if ! command -v "${compiler[0]}" > /dev/null; then
    say "there is no compiler '${compiler[0]}': install one, or say which one to run: $variable=$example $wrapper ..."
    exit 127
  fi
}

tell_versions() {
  choose_compiler
  printf '%s of Pure %s in %s, which runs\n' "$wrapper" "$pure_version" "$prefix"
  exec "${compiler[@]}" --version
}

# is_question WORD: build systems ask so what an MPI's compiler adds. Sets show; one dash may be two.
show=
is_question() {
  local plain=$1
  [[ $plain != --?* ]] || plain=${plain:1}
  case $plain in
    -show | -showme) show=all ;;
    -compile_info | -compile-info) show='compile' ;;
    -link_info | -link-info) show='link' ;;
    -showme:compile | -showme:link | -showme:incdirs | -showme:libdirs | -showme:libs | -showme:version | \
      -showme:command | -showme:help)
      show=${plain#*:}
      ;;
    *) return 1 ;;
  esac
}

# has_value WORD: whether the next word is the value of this option.
has_value() {
  case $1 in
    -o | -x | -I | -L | -D | -U | -T | -u | -z | -B | -l | -J | -include | -imacros | -isystem | -iquote | -idirafter | \
      -iprefix | -isysroot | -MF | -MT | -MQ | -Xlinker | -Xassembler | -Xpreprocessor | -Xclang | -Xflang | -wrapper | \
      -aux-info | -dumpbase | -dumpdir | -dumpbase-ext | --param | -target | -mllvm | -e | -module | -module-dir) ;;
    *) return 1 ;;
  esac
}

# refuse_static OPTION LIBRARY: where that library is not there.
refuse_static() {
  [[ ! -e $2 ]] || return 0
  say "there is no ${2##*/} for $1, only a shared library: leave $1 away (-static-libgcc and the like may stay)"
  exit 1
}

# The command is: the compiler, what stands before the user's words, these (words), what is there to compile (with folders
# of headers), and to link (with folders of libraries, behind the files that use them).
before=() words=() folders=() compiling=() library_folders=() libraries_to_link=() linking=()
links=1
run_or_show() {
  local command=("${before[@]}" "${words[@]}" "${compiling[@]}")
  [[ -z $links ]] || command+=("${linking[@]}")
  case $show in
    '')
      choose_compiler
      exec "${compiler[@]}" "${command[@]}"
      ;;
    all)
      choose_compiler
      quoted "${compiler[@]}" "${command[@]}"
      ;;
    compile) quoted "${before[@]}" "${compiling[@]}" ;;
    link) quoted "${linking[@]}" ;;
    incdirs) quoted "${folders[@]}" ;;
    libdirs) quoted "${library_folders[@]}" ;;
    libs) quoted "${libraries_to_link[@]#-l}" ;;
    # Two numbers: of several wrappers Meson takes the one with the largest three, and Open MPI's are larger, or else the
    # first one, which is what MPICC, MPICXX and MPIFC say.
    version) printf '%s: Pure %s (Language: %s)\n' "${0##*/}" "${pure_version%.*}" "$wrapper_language" ;;
    command)
      choose_compiler
      quoted "${compiler[@]}"
      ;;
    help) manual ;;
  esac
}
