#!/usr/bin/env bash
# What is installed besides the library and its tools: each option of --help is in the tool's man page and is completed,
# the values that completion knows are those of --help, pages are in the form of man pages, and the files are in their
# places. What is looked at is the build in PURETEST_BUILD_DIR.
source "$(dirname "$0")/../support/checks.bash"

man=$PURETEST_BUILD_DIR/man
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

# rows SECTION TERM: of the --help on stdin, the terms of that section that match.
rows() { sed -nE "/^$1/,/^\$/s/^  ($2).*/\1/p"; }
options() { rows 'Options[ :]' '-[^ ]+' | tr ',' '\n'; }

# ---- man pages -----------------------------------------------------------------------------------------------------

# The lines of a page that are no text, in the form that all readers of man pages know.
macros='TH|SH|SS|PP|TP|IP|nf|fi'

page_is_whole() { # page_is_whole PAGE COMMAND...
  local page=$man/$1.1 text option
  shift
  [[ -s $page ]] || { fail "there is no man page $page" && return; }
  text=$(sed -E 's/\\f[BIR]//g; s/\\-/-/g; s/\\&//g; s/\\e/\\/g' "$page")
  "$@" --help > "$work/help"
  for option in $(options < "$work/help"); do
    grep -qE -- "(^|[ ,])$option([ ,]|\$)" <<< "$text" || fail "$page has nothing of $option"
  done
  # No word of --help is lost; titles are in capitals, and some have other names.
  words() { tr -cs 'A-Za-z0-9_/=+%|-' '\n' | tr '[:upper:]' '[:lower:]' | sort -u; }
  comm -23 <(words < "$work/help") <(words <<< "$text") | grep -vxE 'usage|subcommands' > "$work/lost"
  [[ ! -s $work/lost ]] || fail "$page lacks words of --help: $(tr '\n' ' ' < "$work/lost")"

  ! grep -nE '^\.' "$page" | grep -vE "^[0-9]+:\.($macros)( |\$)" || fail "$page: the lines above are no macros"
  ! grep -nE "^'" "$page" || fail "$page: the lines above begin with a quote"
  ! sed 1d "$page" | grep -nE '(^|[^\\])-' || fail "$page: the lines above have a hyphen for a minus"
  ! grep -nE '\\[^fe(&-]' "$page" || fail "$page: the lines above have an escape that is none"
  [[ $(grep -c '^\.nf' "$page") == $(grep -c '^\.fi' "$page") ]] || fail "$page: .nf and .fi do not match"
  [[ $(sed -n '2p' "$page") == '.SH NAME' && $(sed -n '3p' "$page") == *' \- '* ]] || fail "$page: no name for apropos"
  if command -v groff > /dev/null; then
    groff -man -ww -z "$page" 2> "$work/groff" || true
    [[ ! -s $work/groff ]] || fail "groff: $(cat "$work/groff")"
  fi
}

page_is_whole purerun purerun
page_is_whole pure pure
for subcommand in $(pure --help | rows Subcommands: '[a-z]+'); do
  [[ $subcommand == bench ]] || page_is_whole "pure-$subcommand" pure "$subcommand"
done
for subcommand in $(pure bench --help | rows Subcommands: '[a-z]+'); do
  page_is_whole "pure-bench-$subcommand" pure bench "$subcommand"
done
# mpi2pure is there where CMake has found Clang.
has_mpi2pure=
[[ ! -e $PURETEST_BUILD_DIR/bin/mpi2pure ]] || has_mpi2pure=1
[[ -z $has_mpi2pure ]] || page_is_whole mpi2pure mpi2pure
for page in "$man"/*.1; do
  for other in "$man"/*.1; do
    [[ $page == "$other" ]] || grep -qF "$(basename "$other" .1 | sed 's/-/\\-/g')(1)" "$page" ||
      fail "$page does not name $(basename "$other")"
  done
done
# What troff would take for its own, and forms that --help of today may not have.
cat > "$work/told" << 'END'
Does \this.
Usage: t [OPTIONS]

Options:
  -a,--all N  .dot
              'quote' \x1b

Options (for few):
  --few
      - a

.a-b
'c'

A second
paragraph.

Notes: - d
END
cat > "$work/wanted" << 'END'
.TH T 1 "" "Pure 1.2.3" "User Commands"
.SH NAME
t \- does \ethis
.SH SYNOPSIS
\fBt [OPTIONS]\fR
.SH DESCRIPTION
\&.a\-b
\&'c'
.PP
A second
paragraph.
.SH OPTIONS
.TP
\fB\-a,\fR \fB\-\-all\fR \fIN\fR
\&.dot 'quote' \ex1b
.SS For few
.TP
\fB\-\-few\fR
\- a
.SH NOTES
\- d
.SH SEE ALSO
u(1)
END
awk -v name=t -v version=1.2.3 -v see='u(1)' -f "$top/cmake/man_page.awk" "$work/told" > "$work/t.1"
diff "$work/wanted" "$work/t.1" > "$work/differ" || fail "man_page.awk: $(cat "$work/differ")"
! sh "$top/cmake/man_page.sh" "$work/none.1" 1.2.3 'u(1)' false || fail 'a tool that fails has a man page'
[[ ! -e $work/none.1 ]] || fail 'a tool that fails leaves a man page'
echo 'man pages: compared with --help'

# ---- completion ----------------------------------------------------------------------------------------------------

source "$top/tools/completion/purerun.bash"
source "$top/tools/completion/pure.bash"
source "$top/tools/completion/mpi2pure.bash"
compopt() { :; } # which works in a completion only

# completes EXPECTED WORD...: what is offered for the last word, as one line.
completes() {
  local expected=$1 got
  shift
  COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
  "_$1"
  got=$(printf '%s\n' "${COMPREPLY[@]}" | sort | tr '\n' ' ')
  expected=$(printf '%s\n' $expected | sort | tr '\n' ' ')
  [[ ${got// } == "${expected// }" ]] || fail "completion of '$*': '$got', not '$expected'"
}

completes "$(purerun --help | options)" purerun -
completes "$(pure --help | rows Subcommands: '[a-z]+')" pure ''
completes "$(pure trace --help | options)" pure trace -
completes "$(pure bench tune --help | options)" pure bench tune --output file -
completes '--reproducible-sums --report-bindings' purerun -n 4 --re
completes '' purerun -n 4 ./program --re
completes '' purerun -n ''
completes 'round-robin' purerun --placement r
completes 'round-robin' purerun --placement = r
completes 'auto' pure trace run.json --zoom ''
completes "$(purerun --help | rows 'Settings ' 'PURE_[A-Z_]+' | sed -E 's/^PURE_(.*)/\L\1=/')" purerun --set ''
[[ ${#COMPREPLY[@]} -gt 20 ]] || fail "--set offers ${#COMPREPLY[@]} settings"
COMP_WORDS=(pure attach '') COMP_CWORD=2
_pure
[[ " ${COMPREPLY[*]} " == *[$' \n']$$[$' \n']* ]] || fail "pure attach does not offer $$: ${COMPREPLY[*]}"

if [[ -n $has_mpi2pure ]]; then
  help=$(mpi2pure --help)
  completes "$(rows Subcommands: '[a-z]+' <<< "$help")" mpi2pure ''
  completes 'port' mpi2pure -i p
  completes "$(options <<< "$help")" mpi2pure tasks -
  completes "$(options <<< "$help" | grep -vxF -e --suggest)" mpi2pure port -
  completes '--suggest' mpi2pure tasks -i file.c --s
  mkdir "$work/folders" && cd "$work/folders" && mkdir build 'bin of two' && touch bare.c
  for option in $(sed -nE '/^Options/,/^$/s/^  (-[^ ]+) [A-Z].*/\1/p' <<< "$help"); do
    completes 'build' mpi2pure port "$option" bu
    completes 'build' mpi2pure port "$option" = bu
    completes 'bin of two' mpi2pure port "$option" bi
    [[ ${#COMPREPLY[@]} == 1 ]] || fail "a folder with blanks becomes ${#COMPREPLY[@]} words"
  done
  completes '' mpi2pure port b # files, by bash itself
  completes '' mpi2pure port -p build b
  completes "$(compgen -c ca)" mpi2pure port file.c -- ca
  completes '' mpi2pure port file.c -- cat -
  cd "$work" || exit
fi

# The values that the script keeps: those of --help, and no others.
help=$(purerun --help)
completes "$(rows 'Mappings \(' '[a-z]+(, [a-z]+|:)?' <<< "$help" | tr ',' ' ')" purerun --map-by ''
completes "$(rows 'Placements \(' '[a-z-]+:?' <<< "$help")" purerun --placement ''
completes "$(sed -nE 's/^  --mpi ([^ ]+).*/\1/p' <<< "$help" | tr '|' ' ')" purerun --mpi ''
completes "$(sed -nE 's/^  --ppn K\|([^ ]+).*/\1/p' <<< "$help")" purerun --ppn ''
completes "$(sed -nE 's/^  --helpers N\|([^ ]+).*/\1/p' <<< "$help")" purerun --helpers ''
echo 'completion: compared with --help'

# ---- the files -----------------------------------------------------------------------------------------------------

cmake --install "$PURETEST_BUILD_DIR" --prefix "$work/prefix" > "$work/install.log" || fail "$(cat "$work/install.log")"
for file in man/man1/purerun.1 man/man1/pure-trace.1 bash-completion/completions/{purerun,pure} \
  ${has_mpi2pure:+man/man1/mpi2pure.1 bash-completion/completions/mpi2pure} \
  doc/pure/{LICENSE,README.md,docs/quickstart.md,examples/hello.cpp,examples/mpi/hello.cpp,examples/md/main.cpp}; do
  [[ -s $work/prefix/share/$file ]] || fail "share/$file is not installed"
done
[[ -n $has_mpi2pure || -z $(find "$work/prefix" -name 'mpi2pure*') ]] || fail 'files of mpi2pure, which is not there'
# The documents lead to each other.
cd "$work/prefix/share/doc/pure" || exit
for page in *.md docs/*.md examples/README.md; do
  for link in $(grep -oE '\]\([A-Za-z0-9_./-]+(#[^)]*)?\)' "$page" | sed -E 's/^..([^)#]*).*/\1/' | sort -u); do
    case $link in *include/* | *src/* | *tests/* | *bench/*) continue ;; esac # of the sources only
    [[ -e $(dirname "$page")/$link ]] || fail "the installed $page leads to $link, which is not there"
  done
done
echo 'files: they are there'

# ---- versions (docs/versions.md) -------------------------------------------------------------------------------------

version=$(sed -nE 's/#define PURE_VERSION "(.*)"/\1/p' "$top/include/pure/version.hpp")
if [[ -e $PURETEST_BUILD_DIR/lib/libpure.so ]]; then
  case $version in 0.*) abi=${version%.*} ;; *) abi=${version%%.*} ;; esac
  soname=$(objdump -p "$PURETEST_BUILD_DIR/lib/libpure.so" | sed -nE 's/ *SONAME *//p')
  [[ $soname == "libpure.so.$abi" ]] || fail "the library of $version has the SONAME $soname"
fi
# accepts VERSION: whether find_package(Pure VERSION) takes this one.
cat > "$work/accepts.cmake" << 'END'
set(CMAKE_SIZEOF_VOID_P 8)
string(REGEX REPLACE "^([0-9]+)[.]([0-9]+).*" "\\1;\\2" parts ${PACKAGE_FIND_VERSION})
list(POP_FRONT parts PACKAGE_FIND_VERSION_MAJOR PACKAGE_FIND_VERSION_MINOR)
include(${FILE})
if(NOT PACKAGE_VERSION_COMPATIBLE)
  message(FATAL_ERROR "not compatible")
endif()
END
accepts() {
  cmake -DPACKAGE_FIND_VERSION="$1" -DFILE="$PURETEST_BUILD_DIR/PureConfigVersion.cmake" -P "$work/accepts.cmake" \
    > /dev/null 2>&1
}
IFS=. read -r major minor patch <<< "$version"
for asked in "$major.$minor" "$major.$minor.0" "$version"; do
  accepts "$asked" || fail "find_package(Pure $asked) does not take $version"
done
for asked in "$major.$((minor + 1))" "$((major + 1)).$minor" "$major.$minor.$((patch + 1))"; do
  ! accepts "$asked" || fail "find_package(Pure $asked) takes $version"
done
echo 'versions: as promised'
# ---- make install ----------------------------------------------------------------------------------------------------

# What has to be built before it is installed is built by the target of `make install`, which nobody else asks for first.
if [[ -e $PURETEST_BUILD_DIR/build.ninja ]]; then
  needed=$(ninja -C "$PURETEST_BUILD_DIR" -t graph what_is_installed)
  count=0
  while read -r file; do
    [[ ! -L $PURETEST_BUILD_DIR/$file ]] || continue # made with what it leads to
    ((++count))
    grep -qF "\"$file\"" <<< "$needed" || fail "make install installs $file, and does not build it"
  done < <(sed -nE "s|.*\"$PURETEST_BUILD_DIR/((bin\|lib\|man)/[^\"]+)\".*|\1|p" "$PURETEST_BUILD_DIR/cmake_install.cmake" |
    sort -u)
  ((count > 5)) || fail "make install installs $count files of bin, lib and man"
else
  not_tested 'make install' 'the build is not one of ninja'
fi

finish
