#!/usr/bin/env bash
# Gets programs that none of us wrote, by the names of their packages, into FOLDER (build/foreign):
#
#   tests/foreign/sources.sh FOLDER BUILD
#
#   FOLDER/mpich    Debian's source package mpich, whose test/mpi is the suite
#   FOLDER/mpi4py   the source distribution of mpi4py
#   FOLDER/site     where mpi4py is installed, compiled with BUILD's purecc
#   FOLDER/hpcc     HPC Challenge, and in FOLDER/mrbayes, FOLDER/lammps, FOLDER/tachyon, FOLDER/lapack, FOLDER/hypre and
#                   FOLDER/sundials what has these names: what its authors have published, as Debian's source packages
#                   have it
#   FOLDER/arpack, FOLDER/mumps, FOLDER/mpgrafic and FOLDER/fftw   the same, for programs in Fortran
#   FOLDER/liblinear   the source distribution of liblinear-multicore
#   FOLDER/shipped     packages of Debian as they are, unpacked: lammps and others that were built for Open MPI or MPICH
#   FOLDER/wheel, FOLDER/mpi4py-3.1.4   PyPI's wheel of mpi4py, and the tests for the version that Debian has
#
# apt reads a configuration, lists and a cache of FOLDER's own: the one of the system stays as it is, and nobody needs
# to be root. What is there already stays; to get it again, remove FOLDER.
set -euo pipefail

mpi4py_version=4.1.2     # tests/foreign/expected.txt is about this one
debian_mpi4py_version=3.1.4 # that of Debian 12's python3-mpi4py
liblinear_version=2.50.0 # tests/foreign/ported.py counts the loops of this one

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

# ask_debian: what calls apt-get here asks Debian's archives as this system knows them, for sources; with $release set
# that release's, where this system's is Debian 12.
ask_debian() {
  local apt=$folder/apt$release
  export APT_CONFIG=$apt/apt.conf
  [[ ! -e $APT_CONFIG ]] || return 0
  command -v apt-get > /dev/null || fail "there is no apt-get: the programs are source packages of Debian"
  command -v dpkg-source > /dev/null || fail "dpkg-source is missing (on Debian: apt install dpkg-dev)"
  mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial"
  APT_CONFIG='' apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' | sort -u |
    sed "s|^|deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] |" > "$apt/sources.list"
  [[ -z $release ]] || sed -i "s/ bookworm / $release /; / bookworm-/d" "$apt/sources.list"
  [[ -s $apt/sources.list ]] || fail "apt knows no archive of packages"
  cat > "$APT_CONFIG" << TEXT
Dir::Etc::SourceList "$apt/sources.list";
Dir::Etc::SourceParts "/dev/null";
Dir::State::Lists "$apt/lists";
Dir::Cache "$apt/cache";
APT::Sandbox::User "";
Acquire::Languages "none";
TEXT
  apt-get update --quiet=2 || true # an archive without sources is no matter, if another one has them
}

# debian NAME: the source package as Debian builds it. original NAME FILES...: of what its authors have published only
# these files, since the rest of the package may not be had.
debian() { get_package "$1" apt-get source --quiet=2 "$1"; }

original() {
  get_package "$1" bash -c 'name=$1 && shift && apt-get source --quiet=2 --tar-only "$name" &&
    mkdir "$name-" && tar -C "$name-" --strip-components=1 --wildcards -xf "$name"_*.orig.tar.* "$@"' - "$@"
}

# get_package NAME COMMAND...: the command leaves a folder NAME-*, which becomes FOLDER/NAME.
get_package() {
  local name=$1 new=$folder/$1.new
  shift
  rm -rf "$new" "${folder:?}/$name"
  mkdir -p "$new"
  (ask_debian && cd "$new" && "$@") > "$folder/$name.log" 2>&1 ||
    fail "apt-get has no source package $name: see $folder/$name.log"
  mv "$new/$name"-*/ "$folder/$name"
  rm -rf "$new"
}

mpi4py() {
  local new=$folder/mpi4py.new
  rm -rf "$new" "$folder/site"
  mkdir -p "$new"
  {
    python3 -m pip download --no-deps --no-binary mpi4py --dest "$new" "mpi4py==$mpi4py_version" &&
      tar -C "$new" -xf "$new"/mpi4py-*.tar.gz &&
      MPICC=$build/bin/purecc CFLAGS=-O0 python3 -m pip install --no-deps --no-warn-script-location \
        --target "$folder/site" "$new"/mpi4py-*/
  } > "$folder/mpi4py.log" 2>&1 || fail "mpi4py was not built: see $folder/mpi4py.log"
  rm -rf "$folder/mpi4py"
  mv "$new"/mpi4py-*/ "$folder/mpi4py"
  rm -rf "$new"
}

liblinear() {
  local new=$folder/liblinear.new
  rm -rf "$new"
  mkdir -p "$new"
  {
    python3 -m pip download --no-deps --no-binary liblinear-multicore --dest "$new" "liblinear-multicore==$liblinear_version" &&
      tar -C "$new" -xf "$new"/liblinear_multicore-*.tar.gz
  } > "$folder/liblinear.log" 2>&1 || fail "liblinear-multicore is not there: see $folder/liblinear.log"
  mv "$new"/liblinear_multicore-*/ "$folder/liblinear"
  rm -rf "$new"
}

# Programs as they are shipped (tests/foreign/shipped.py), with the libraries that this system has not got.
packages=(lammps hpcc gromacs quantum-espresso nwchem-openmpi nwchem-mpich scalapack-mpi-test python3-mpi4py
  python3-petsc4py-real3.18)

shipped() {
  local new=$folder/shipped.new file
  rm -rf "$new" "$folder/shipped.debs"
  mkdir -p "$new" "$folder/shipped.debs/partial"
  # As if none of them were installed: their own files are wanted here.
  if ! apt-get install --yes --quiet=2 --no-install-recommends --reinstall --download-only -o Debug::NoLocking=1 \
    -o Dir::Cache::archives="$folder/shipped.debs" -o APT::Sandbox::User= "${packages[@]}" > "$folder/shipped.log" 2>&1; then
    fail "the packages ${packages[*]} are not to be had: see $folder/shipped.log"
  fi
  for file in "$folder/shipped.debs"/*.deb; do dpkg-deb --extract "$file" "$new"; done
  rm -rf "$folder/shipped.debs"
  mv "$new" "$folder/shipped"
}

wheel() {
  python3 -m pip install --quiet --no-deps --only-binary mpi4py --no-warn-script-location --target "$folder/wheel" \
    "mpi4py==$mpi4py_version" > "$folder/wheel.log" 2>&1 || fail "mpi4py's wheel is not to be had: see $folder/wheel.log"
}

mpi4py_of_debian() {
  local new=$folder/mpi4py-$debian_mpi4py_version.new
  rm -rf "$new" && mkdir -p "$new"
  {
    python3 -m pip download --no-deps --no-binary mpi4py --dest "$new" "mpi4py==$debian_mpi4py_version" &&
      tar -C "$new" -xf "$new"/mpi4py-*.tar.gz
  } > "$folder/mpi4py-$debian_mpi4py_version.log" 2>&1 ||
    fail "mpi4py's sources are not there: see $folder/mpi4py-$debian_mpi4py_version.log"
  mv "$new"/mpi4py-*/ "$folder/mpi4py-$debian_mpi4py_version"
  rm -rf "$new"
}

# once NAME COMMAND...: unless it is there.
once() {
  [[ ! -d $folder/$1 ]] || return 0
  echo "Getting $1"
  "${@:2}"
}

release=
once mpich debian mpich
once hpcc original hpcc '*'
once mrbayes original mrbayes '*/src/*' '*/examples/*'
once lammps original lammps '*/src/*.h' '*/src/*.cpp'
once tachyon original tachyon '*/src/*' '*/demosrc/*' '*/scenes/*'
once lapack original lapack '*/TESTING/*.in' '*/TESTING/EIG/*' '*/TESTING/MATGEN/*'
once hypre original hypre '*/src/*'
once sundials original sundials '*/src/*' '*/include/*' '*/examples/*'
once mumps original mumps '*/src/*' '*/include/*' '*/PORD/*' '*/examples/*'
once mpgrafic original mpgrafic '*/src/*'
once fftw original fftw '*/fftw/*' '*/rfftw/*' '*/mpi/*'
once "mpi4py-$debian_mpi4py_version" mpi4py_of_debian
# Debian 12's arpack is listed, but its files are not in the archive.
release=trixie once arpack original arpack '*/SRC/*' '*/UTIL/*' '*/ICB/*' '*/PARPACK/*' '*/*.f' '*/*.h' '*/*.in'
rm -rf "$folder/apt" "$folder/apttrixie"
once liblinear liblinear
once shipped shipped
once wheel wheel
[[ -d $folder/mpi4py ]] || { echo "Getting mpi4py $mpi4py_version, and building it (some minutes)" && mpi4py; }
