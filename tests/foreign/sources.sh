#!/usr/bin/env bash
# Gets programs that none of us wrote, by the names of their packages, into FOLDER (build/foreign):
#
#   tests/foreign/sources.sh FOLDER BUILD
#
#   FOLDER/mpich    Debian's source package mpich, whose test/mpi is the suite
#   FOLDER/mpi4py   the source distribution of mpi4py
#   FOLDER/site     where mpi4py is installed, compiled with BUILD's purecc
#
# apt reads a configuration, lists and a cache of FOLDER's own: the one of the system stays as it is, and nobody needs
# to be root. What is there already stays; to get it again, remove FOLDER.
set -euo pipefail

mpi4py_version=4.1.2 # tests/foreign/expected.txt is about this one

(($# == 2)) || {
  sed -n '2,/^set/p' "$0" | grep '^#' >&2
  exit 2
}
mkdir -p "$1"
folder=$(cd "$1" && pwd)
build=$(cd "$2" && pwd)

fail() {
  echo "tests/foreign/sources.sh: $*" >&2
  exit 1
}

# Debian's archives as this system knows them, and their sources.
mpich() {
  local apt=$folder/apt
  command -v apt-get > /dev/null || fail "there is no apt-get: the suite of MPICH is a source package of Debian"
  command -v dpkg-source > /dev/null || fail "dpkg-source is missing (on Debian: apt install dpkg-dev)"
  rm -rf "$apt" "$folder/mpich.new"
  mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial" "$folder/mpich.new"
  apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' | sort -u |
    sed "s|^|deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] |" > "$apt/sources.list"
  [[ -s $apt/sources.list ]] || fail "apt knows no archive of packages"
  cat > "$apt/apt.conf" << TEXT
Dir::Etc::SourceList "$apt/sources.list";
Dir::Etc::SourceParts "/dev/null";
Dir::State::Lists "$apt/lists";
Dir::Cache "$apt/cache";
APT::Sandbox::User "";
Acquire::Languages "none";
TEXT
  (
    export APT_CONFIG=$apt/apt.conf
    cd "$folder/mpich.new"
    apt-get update --quiet=2 || true # an archive without sources is no matter, if another one has them
    apt-get source --quiet=2 mpich
  ) > "$folder/mpich.log" 2>&1 || fail "apt-get has no source package mpich: see $folder/mpich.log"
  rm -rf "$apt" "$folder/mpich"
  mv "$folder"/mpich.new/mpich-*/ "$folder/mpich"
  rm -rf "$folder/mpich.new"
}

mpi4py() {
  local new=$folder/mpi4py.new
  rm -rf "$new" "$folder/site"
  mkdir -p "$new"
  {
    python3 -m pip download --no-deps --no-binary :all: --dest "$new" "mpi4py==$mpi4py_version" &&
      tar -C "$new" -xf "$new"/mpi4py-*.tar.gz &&
      MPICC=$build/bin/purecc CFLAGS=-O0 python3 -m pip install --no-deps --no-warn-script-location \
        --target "$folder/site" "$new"/mpi4py-*/
  } > "$folder/mpi4py.log" 2>&1 || fail "mpi4py was not built: see $folder/mpi4py.log"
  rm -rf "$folder/mpi4py"
  mv "$new"/mpi4py-*/ "$folder/mpi4py"
  rm -rf "$new"
}

[[ -d $folder/mpich ]] || { echo "Getting the source package mpich" && mpich; }
[[ -d $folder/mpi4py ]] || { echo "Getting mpi4py $mpi4py_version, and building it (some minutes)" && mpi4py; }
