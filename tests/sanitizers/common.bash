# For the scripts of this folder: programs that are built as a user builds them, over the library of this build.

source "$(dirname "${BASH_SOURCE[0]}")/../support/checks.bash"
sources="$support/../sanitizers"
cd "$work" || exit 1
[[ -e $PURETEST_BUILD_DIR/lib/libpure.so ]] || skip 'it needs the shared library'
cxx=$(sed -n 's/^CMAKE_CXX_COMPILER:[A-Z]*=//p' "$PURETEST_BUILD_DIR/CMakeCache.txt")

# build NAME STANDARD OPTION...: the program NAME of NAME.cpp.
build() {
  "$cxx" -std="$2" -g -O1 "${@:3}" -I "$support/../../include" "$sources/$1.cpp" -o "$1" -L "$PURETEST_BUILD_DIR/lib" \
    -lpure -pthread -Wl,-rpath,"$PURETEST_BUILD_DIR/lib" || fail "$cxx $*"
}

# lines NAME KIND: the numbers of the lines of NAME.cpp that are marked //@ KIND, each between blanks.
lines() {
  local found
  found=$(grep -nE "//@ $2\$" "$sources/$1.cpp" | cut -d: -f1 | tr '\n' ' ')
  [[ -n $found ]] || fail "no line of $1.cpp is marked $2"
  echo " $found"
}

# alone COMMAND...: at the fixed addresses that ThreadSanitizer of GCC 12 and earlier wants to have.
alone() {
  if setarch -R true 2> /dev/null; then setarch -R "$@"; else "$@"; fi
}
