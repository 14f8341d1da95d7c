#!/usr/bin/env bash
# The Debian packages of the build in PURETEST_BUILD_DIR: made by CPack, looked at, and unpacked into a folder in which
# programs are then built and run. deb.sh COMPILER
source "$(dirname "$0")/../support/checks.bash"
compiler=$1
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

for tool in cpack dpkg-deb dpkg-shlibdeps file; do
  command -v "$tool" > /dev/null || skip "$tool is not there: packages are made on Debian and the like"
done
[[ -e $PURETEST_BUILD_DIR/CPackConfig.cmake ]] || skip 'this build makes no packages: it lacks tools or libpure.so'

# Not compressed, which is not looked at. With an umask that must not matter.
(umask 077 && cpack --config "$PURETEST_BUILD_DIR/CPackConfig.cmake" -B "$work/build" \
  -D CPACK_OUTPUT_FILE_PREFIX="$work/debs" -D CPACK_DEBIAN_COMPRESSION_TYPE=none > "$work/log" 2>&1) ||
  { fail "cpack: $(cat "$work/log")" && finish; }
! grep -q 'CMake Warning' "$work/log" || fail "cpack warns: $(cat "$work/log")"

version=$(sed -nE 's/#define PURE_VERSION "(.*)"/\1/p' "$top/include/pure/version.hpp")
runtime=libpure$(objdump -p "$PURETEST_BUILD_DIR/lib/libpure.so" | sed -nE 's/ *SONAME *libpure\.so\.//p')
root=$work/root

# package NAME ARCHITECTURE: takes its fields and the list of its files, and unpacks it.
package() {
  local file
  name=$1
  file=$(echo "$work/debs/$name"_"$version"-1_*.deb)
  [[ -e $file ]] || { fail "there is no package $name: $(ls "$work/debs")" && return; }
  dpkg-deb --info "$file" > "$work/info"
  dpkg-deb --contents "$file" | awk '{ print $1, $2, $6 }' > "$work/files"
  dpkg -x "$file" "$root"
  [[ $(field Package) == "$name" && $(field Version) == "$version-1" ]] || fail "$name: $(cat "$work/info")"
  [[ $(field Architecture) == "$2" ]] || fail "$name is for $(field Architecture)"
  [[ $(field Description) == 'message passing'* ]] || fail "$name describes itself as '$(field Description)'"
  ! grep -v ' root/root ' "$work/files" || fail "$name: files of others than root"
  ! grep -vE '^(drwxr-xr-x|-rw-r--r--|l.*) |^-rwxr-xr-x .*/(bin/[a-z0-9]+|pure_ranks_[a-z]+)$' "$work/files" || fail "$name: unusual rights"
  ! grep -vE ' \./(usr/.*)?$' "$work/files" || fail "$name: files outside /usr"
  has "usr/share/doc/$name/copyright" && has "usr/share/doc/$name/changelog.Debian.gz"
}
field() { sed -nE "s/^ $1: (.*)/\1/p" "$work/info"; }
has() { grep -qE " \./$1\$" "$work/files" || fail "$name has no $1"; }
has_not() { ! grep -E " \./$1" "$work/files" || fail "$name has $1"; }
needs() { # needs PACKAGE [Recommends]
  [[ ", $(field "${2:-Depends}"), " =~ ,\ $1(\ \([^,]*\))?, ]] || fail "$name: no $1 in: $(field "${2:-Depends}")"
}

here=$(dpkg --print-architecture)
library='usr/lib(/[a-z0-9_-]+)?'

package "$runtime" "$here"
has "$library/libpure\.so\.$version" && has "$library/libpure\.so\.[0-9.]+"
has_not "$library/libpure\.so\$"
door=
[[ ! -e $PURETEST_BUILD_DIR/lib/libmpi_abi.so.1 ]] || door=1
[[ -z $door ]] || has "$library/pure/mpi/lib/libmpi_abi\.so\.1"
# Programs that were built for other MPIs find these by purerun alone: no system has them where it looks for libraries.
if [[ -n $door ]]; then
  for file in 'openmpi/libmpi\.so\.40' 'openmpi/libmpi_mpifh\.so\.40' 'mpich/libmpi\.so\.12' 'mpich/libmpich\.so\.12'; do
    has "$library/pure/doors/$file"
  done
fi
if [[ $here == amd64 ]]; then # what loads programs for each rank
  has "$library/pure_ranks_h"
  [[ -z $door ]] || has "$library/pure/mpi/lib/pure_ranks_mpi"
fi
for other in libc6 'libhwloc[0-9a-z]+'; do needs "$other"; done # libstdc++ and fmt are inside
! field Depends | grep -iE 'mpi|cairo' || fail "$runtime needs more than every program does"
dpkg-deb --ctrl-tarfile "$work/debs/$runtime"_*.deb | tar -xO ./shlibs > "$work/shlibs"
[[ $(cat "$work/shlibs") == "libpure ${runtime#libpure} $runtime (>= $version)" ]] || fail "$(cat "$work/shlibs")"

for family in mpich openmpi; do
  [[ -e $PURETEST_BUILD_DIR/lib/libpure_net_$family.so ]] || continue
  package "libpure-net-$family" "$here"
  has "$library/libpure_net_$family\.so"
  needs "$runtime" && needs "lib$family[0-9a-z]+" && needs "$family(-bin)?" Recommends
done

package libpure-dev "$here"
for file in include/pure.h include/pure/pure.hpp share/pure/pure.mk bin/purecxx; do has "usr/$file"; done
for file in 'libpure\.so' pkgconfig/pure.pc cmake/Pure/PureConfig.cmake; do has "$library/$file"; done
if [[ -n $door ]]; then
  for file in purecc purefc; do has "usr/bin/$file"; done
  for file in lib/libmpi_abi.so include/mpi.h bin/mpicc bin/mpicxx bin/mpifort bin/mpiexec; do has "$library/pure/mpi/$file"; done
  for file in pure-mpi.pc pure-mpi-fort.pc; do has "$library/pkgconfig/$file"; done
fi
needs "$runtime" && needs libc6-dev

package pure-tools "$here"
for file in bin/purerun bin/pure share/man/man1/purerun.1.gz share/man/man1/pure-trace.1.gz \
  share/bash-completion/completions/purerun; do has "usr/$file"; done
has_not "$library/lib"
has_not 'usr/share/.*mpi2pure'
needs libc6 && needs 'libhwloc[0-9a-z]+'

if [[ -e $PURETEST_BUILD_DIR/bin/mpi2pure ]]; then
  package pure-mpi2pure "$here"
  for file in bin/mpi2pure share/man/man1/mpi2pure.1.gz share/bash-completion/completions/mpi2pure; do has "usr/$file"; done
  needs 'libclang-cpp[0-9.]+' && needs libpure-dev Recommends
fi

package pure-doc all
for file in README.md LICENSE CHANGELOG.md CITATION.cff docs/quickstart.md examples/hello.cpp; do
  has "usr/share/doc/pure/$file"
done

# No file is in two packages.
for deb in "$work"/debs/*.deb; do
  dpkg-deb --contents "$deb" | awk '$1 !~ /^d/ { print $6 }'
done | sort | uniq -d > "$work/twice"
[[ ! -s $work/twice ]] || fail "in two packages: $(cat "$work/twice")"
# What is installed below a prefix is in the packages.
cmake --install "$PURETEST_BUILD_DIR" --prefix "$work/prefix" > /dev/null
diff <(cd "$work/prefix" && find . ! -type d | sed -E 's,(man1/.*)$,\1.gz,' | sort) \
  <(cd "$root/usr" && find . ! -type d ! -path './share/doc/*/copyright' ! -name changelog.Debian.gz \
    ! -path './share/lintian/*' | sort) > "$work/differ" || fail "installed (<) and packaged (>): $(cat "$work/differ")"
echo "packages: $(ls "$work/debs" | tr '\n' ' ')"

# ---- programs, with what is in the packages --------------------------------------------------------------------------

export PKG_CONFIG_PATH
PKG_CONFIG_PATH=$(dirname "$(find "$root/usr" -name pure.pc)")
read -ra flags < <(pkg-config --cflags pure)
read -ra libraries < <(pkg-config --libs pure)
examples=$root/usr/share/doc/pure/examples
"$compiler" -std=c++20 "${flags[@]}" "$examples/hello.cpp" -o "$work/hello" "${libraries[@]}" || fail 'hello.cpp'
"$compiler" -std=c++17 "${flags[@]}" "$examples/ring_pure_h.cpp" -o "$work/ring" "${libraries[@]}" || fail 'ring'
said=$("$root/usr/bin/purerun" -n 3 "$work/hello" | sort | tail -n 1)
[[ $said == 'the ranks add up to 3' ]] || fail "hello says '$said'"
said=$("$root/usr/bin/purerun" -n 3 "$work/ring")
[[ $said == 'after 3 rounds of 3 ranks the token is 9' ]] || fail "ring says '$said'"
if [[ -n $door ]]; then
  PURE_CXX=$compiler "$root/usr/bin/purecxx" "$examples/mpi/hello.cpp" -o "$work/hello_mpi" || fail 'mpi/hello.cpp'
  said=$("$root/usr/bin/purerun" -n 3 "$work/hello_mpi" 2> "$work/note" | sort | tail -n 1)
  [[ $said == 'the ranks add up to 3' ]] || fail "hello of MPI says '$said'"
  [[ $here != amd64 ]] || grep -qF 'ranks are threads with globals of their own' "$work/note" || fail "$(< "$work/note")"
  for interface in openmpi mpich; do
    if ! "mpicxx.$interface" -w "$examples/mpi/hello.cpp" -o "$work/hello_of_another" 2> "$work/note"; then
      not_tested "a program of $interface" "mpicxx.$interface does not compile it"
      continue
    fi
    said=$("$root/usr/bin/purerun" -n 3 "$work/hello_of_another" 2> "$work/note" | sort | tail -n 1)
    [[ $said == 'the ranks add up to 3' ]] || fail "hello of $interface says '$said': $(< "$work/note")"
  done
fi
for family in mpich openmpi; do # the plug-in is found
  [[ -e $PURETEST_BUILD_DIR/lib/libpure_net_$family.so ]] || continue
  said=$("$root/usr/bin/purerun" -N 2 -n 4 --mpi "$family" "$work/ring")
  [[ $said == 'after 3 rounds of 4 ranks the token is 18' ]] || fail "ring in two processes over $family says '$said'"
done
for page in "$PURETEST_BUILD_DIR/man"/{purerun,mpi2pure}.1; do
  [[ ! -e $page ]] || gzip -dc "$root/usr/share/man/man1/${page##*/}.gz" | cmp - "$page" || fail "another man page than $page"
done
echo 'programs: built and run'
finish
