#!/usr/bin/env bash
# purefc as the compiler of Fortran programs of MPI, under its own name and those of an MPI: what it adds for which compiler, what
# it answers, where it makes modules and what it says when it cannot. (Build systems: fortran_builds.sh.)
source "$(dirname "${BASH_SOURCE[0]}")/../support/checks.bash"
build=${PURETEST_BUILD_DIR:?the build directory}
bin=$build/bin mpi_bin=$build/mpi/bin
cd "$work" || exit 1
unset "${!MPICH_@}" "${!OMPI_@}" "${!I_MPI_@}" FC
export XDG_CACHE_HOME=$work/cache

# A compiler that prints what it is given, calls itself as the file says.VERSION has it, and makes modules, but for those that
# the file fails names. It notes in the file made which it has made.
cat > compiler << 'END'
#!/bin/bash
here=$(dirname "$0")
if [[ $* == --version ]]; then
  cat "$here/says"
elif [[ $* == "-c "*/fortran/mpi*.F90 ]]; then
  module=${2##*/} module=${module%.F90}
  echo "$module" >> "$here/made"
  sleep "$(cat "$here/takes" 2> /dev/null || echo 0)"
  if grep -qsx "$module" "$here/fails"; then echo "$module: no room" && exit 1; fi
  cp "$2" "$module.mod"
else
  printf '[%s]' "$@" && echo
fi
END
chmod +x compiler
export PURE_FC=$work/compiler
is_called() { echo "$*" > says; }
is_called 'GNU Fortran (Debian) 12.2.0'

gives() { # gives EXPECTED COMMAND...
  local got
  got=$("${@:2}" 2> err) || fail "${*:2} ends with status $?: $(cat err)"
  [[ $got == "$1" ]] || fail "${*:2} gives $got, not $1"
}
ends() { # ends STATUS COMMAND...: what it says is in the file err
  local status
  "${@:2}" > out 2> err
  status=$?
  [[ $status == "$1" ]] || fail "${*:2}: status $status, not $1; it says: $(cat out err)"
}
says() { grep -qF -- "$1" err || fail "it does not say '$1', but: $(cat err)"; }
count() { [[ $(wc -l < made) == "$1" ]] || fail "$2: $(wc -l < made) modules have been made, not $1"; }
folder_of_modules() { "$bin/purefc" -showme:incdirs 2> /dev/null | cut -d' ' -f2; }
headers=$build/mpi/include libraries=$build/lib

echo 'what is added'
for name in a.f b.F90 c.c; do : > $name; done
ends 0 "$bin/purefc" -c a.f
[[ $(cat err) == 'purefc: making the modules mpi and mpi_f08 for gfortran 12.2.0, once (about a second)' ]] || fail "purefc says $(cat err)"
count 2 'at first use'
modules=$(folder_of_modules)
[[ $modules == "$XDG_CACHE_HOME/pure/fortran/gfortran-12.2.0-"* && -e $modules/mpi.mod && -e $modules/mpi_f08.mod ]] ||
  fail "modules are in $modules: $(ls -A "$XDG_CACHE_HOME/pure/fortran" "$modules")"
allow='[-fallow-argument-mismatch][-fallow-invalid-boz]' compiling="[-I$headers][-I$modules]"
linking="[-L$libraries][-Wl,-rpath,$libraries][-lpure_mpifort][-lmpi_abi]"
for wrapper in "$bin/purefc" "$mpi_bin/mpifort" "$mpi_bin/mpif90" "$mpi_bin/mpif77"; do
  gives "${allow}[-O2][a.f][-o][a]$compiling$linking" "$wrapper" -O2 a.f -o a
  [[ ! -s err ]] || fail "${wrapper##*/} says $(cat err)"
  gives "${allow}[-c][b.F90]$compiling" "$wrapper" -c b.F90
done
gives "[a.o][-o][a][-I$headers]$linking" "$bin/purefc" a.o -o a
gives "[-c][c.c][-I$headers]" "$bin/purefc" -c c.c # gfortran would say that C has no such option
gives "[-v][-I$headers]" "$bin/purefc" -v
gives "${allow}[-E][-cpp][-][-I$headers]" "$bin/purefc" -E -cpp - # no modules for what is not compiled
gives "${allow}[-fno-allow-argument-mismatch][-c][a.f]$compiling" "$bin/purefc" -fno-allow-argument-mismatch -c a.f
echo '-c "a.f" -O2' > response
gives "${allow}[@response]$compiling" "$bin/purefc" @response
count 2 'later'
for version in 9.4.0 10.2.1; do
  is_called "GNU Fortran (GCC) $version"
  [[ $version == 1* ]] && expected=$allow || expected=
  gives "${expected}[-c][a.f][-I$headers][-I$(folder_of_modules)]" "$bin/purefc" -c a.f
done
count 6 'for other versions'
is_called 'flang-new version 19.1.7 (3)'
gives "[-c][a.f][-I$headers][-I$(folder_of_modules)]" "$bin/purefc" -c a.f
[[ $(folder_of_modules) == */flang-19.1.7-* ]] || fail "flang's modules are in $(folder_of_modules)"
is_called $'\nsomefort 24.1-0 64-bit'
[[ $(folder_of_modules) == */compiler-24.1-* ]] || fail "those of an unknown compiler are in $(folder_of_modules)"
is_called 'GNU Fortran (Debian) 12.2.0'

echo 'which compiler'
for family in MPICH OMPI I_MPI; do
  for language in FC F90 F77; do
    gives "[c.c][-c][-I$headers]" env -u PURE_FC "${family}_$language=$work/compiler" "$mpi_bin/mpifort" c.c -c
  done
done
gives "[c.c][-c][-I$headers]" env MPICH_FC=/none OMPI_F77=/none "$mpi_bin/mpif77" c.c -c # Pure's own comes first
gives "[c.c][-c][-I$headers]" env -u PURE_FC MPICH_FC=/none "$bin/purefc" -fc="$work/compiler" c.c -c
gives "[c.c][-c][-I$headers]" env -u PURE_FC MPICH_FC=/none MPICH_F77="$work/compiler" "$mpi_bin/mpif77" c.c -c
gives "[c.c][-c][-I$headers]" env FC="$bin/purefc" "$bin/purefc" c.c -c # FC is often this wrapper
ends 127 env PURE_FC=/none "$bin/purefc" a.f
says "there is no compiler '/none': install one, or say which one to run: PURE_FC=gfortran purefc ..."

echo 'what build systems ask'
rm -r "$XDG_CACHE_HOME"
: > made
flags='-fallow-argument-mismatch -fallow-invalid-boz'
link="-L$libraries -Wl,-rpath,$libraries -lpure_mpifort -lmpi_abi"
for option in -showme:link --showme:link -link_info -link-info; do gives "$link" "$bin/purefc" $option; done
gives "$libraries" "$bin/purefc" -showme:libdirs
gives 'pure_mpifort mpi_abi' "$bin/purefc" -showme:libs
gives "$work/compiler" "$bin/purefc" -showme:command
gives "$work/compiler a.o -I$headers $link" "$bin/purefc" -show a.o
count 0 'for questions about linking'
for option in -showme:compile --showme:compile -compile_info -compile-info; do
  gives "$flags -I$headers -I$modules" "$bin/purefc" $option
  [[ ! -s err ]] || fail "purefc $option says what CMake takes for options: $(cat err)"
done
count 2 'for a question about compiling'
[[ -e $modules/mpi.mod ]] || fail 'the folder that -showme:compile names is not there'
for option in -show -showme --showme; do
  gives "$work/compiler $flags -I$headers -I$modules $link" "$bin/purefc" $option
done
gives "$headers $modules" "$bin/purefc" -showme:incdirs
# Three numbers, and Meson would take Open MPI's mpifort, whose are larger, even where MPIFC says purefc.
[[ $("$bin/purefc" -showme:version) =~ ^'purefc: Pure '[0-9]+\.[0-9]+' (Language: Fortran)'$ ]] || fail "$("$bin/purefc" -showme:version)"
[[ $("$bin/purefc" --version) == *'which runs'*'GNU Fortran'* && $("$bin/purefc" --help) == *'Usage: purefc'* ]] || fail '--version, --help'

echo 'integers of 8 bytes'
for options in -fdefault-integer-8 -finteger-4-integer-8 -i8 -qintsize=8 '-integer-size 64'; do
  ends 1 "$bin/purefc" $options -c a.f
  says "purefc: $options: MPI's INTEGER has 4 bytes"
done
ends 1 "$bin/purefc" @<(echo -fdefault-integer-8 -c a.f)
gives "${allow}[-fdefault-real-8][-c][a.f]$compiling" "$bin/purefc" -fdefault-real-8 -c a.f

echo 'where modules are'
: > made
echo 1 > takes
rm -r "$XDG_CACHE_HOME"
for number in 1 2 3; do "$bin/purefc" -c a.f > "out.$number" 2> "err.$number" & done
wait
for number in 1 2 3; do [[ $(cat out.$number) == *"$modules"* ]] || fail "one of three at once: $(cat out.$number err.$number)"; done
[[ $(cat err.? | wc -l) == 1 ]] || fail "three at once say: $(cat err.?)"
count 2 'by three at once'
[[ $(ls -A "$XDG_CACHE_HOME/pure/fortran") == "${modules##*/}" ]] || fail "left behind: $(ls -A "$XDG_CACHE_HOME/pure/fortran")"
rm -r "$XDG_CACHE_HOME" takes
echo 30 > takes
setsid "$bin/purefc" -c a.f > out 2> err &
until [[ -s err && $(wc -l < made) == 4 ]]; do sleep 0.05; done
kill -KILL -- -$!
wait $! 2> /dev/null
rm takes
: > made
ends 0 "$bin/purefc" -c a.f
count 2 'after one that was killed'

: > made
mkdir tmp
for home in "HOME=/proc XDG_CACHE_HOME=" "HOME=$work/compiler XDG_CACHE_HOME=" "HOME= XDG_CACHE_HOME=" "HOME=/none XDG_CACHE_HOME=none"; do
  rm -rf tmp/*
  ends 0 env $home TMPDIR="$work/tmp" "$bin/purefc" -c a.f
  [[ $(cat out) == *"[-I$work/tmp/pure-fortran-$UID/gfortran-12.2.0-"* ]] || fail "$home: $(cat out err)"
done
[[ $(stat -c %a "tmp/pure-fortran-$UID") == 700 ]] || fail "the folder in TMPDIR is $(ls -ld tmp/*)"
ends 0 env HOME=/proc XDG_CACHE_HOME= TMPDIR=/proc "$bin/purefc" -c a.f
says "there is no place for the modules mpi and mpi_f08 (8 MB): /proc/.cache/pure/fortran or /proc/pure-fortran-$UID cannot be written."
says 'PURE_FORTRAN_MODULES=FOLDER'
[[ $(cat out) == "${allow}[-c][a.f][-I$headers]" ]] || fail "without modules: $(cat out)"
ln -s "$work" "tmp/link" && rm -r "tmp/pure-fortran-$UID" && mkdir tmp/others && ln -s others "tmp/pure-fortran-$UID"
ends 0 env HOME=/proc XDG_CACHE_HOME= TMPDIR="$work/tmp" "$bin/purefc" -c a.f
says 'there is no place' # a link that anybody may have put there
ends 0 env PURE_FORTRAN_MODULES="$work/own place" "$bin/purefc" -c a.f
[[ $(cat out) == *"[-I$work/own place/gfortran-12.2.0-"* ]] || fail "PURE_FORTRAN_MODULES: $(cat out)"
[[ $(PURE_FORTRAN_MODULES="$work/own place" "$bin/purefc" -showme:compile) == *"-I$work/own\\ place/"* ]] || fail 'a blank in -showme:compile'
ends 0 env PURE_FORTRAN_MODULES=/proc "$bin/purefc" -c a.f
says '/proc cannot be written'
if [[ $(id -u) == 0 ]] && mkdir full && mount -t tmpfs -o size=64k none full 2> /dev/null; then
  ends 0 env XDG_CACHE_HOME="$work/full" TMPDIR="$work/tmp2" "$bin/purefc" -c a.f
  [[ $(cat out) == *"[-I$work/tmp2/pure-fortran-$UID/"* ]] || fail "a full disk: $(cat out err)"
  [[ -z $(find full -name '*.mod') ]] || fail "on the full disk: $(find full)"
  umount full
else
  not_tested 'a full disk' 'only root makes one'
fi

echo 'a compiler that fails'
printf '      program p\n      use mpi_f08\n      end\n' > uses_f08.f
is_called 'GNU Fortran (GCC) 8.1.0'
echo mpi_f08 > fails
ends 0 "$bin/purefc" -c uses_f08.f
says 'gfortran 8.1.0 does not compile the module mpi_f08:'
says '  mpi_f08: no room'
log=$(sed -n 's/^  all of it: \(.*\.log\)\. .*/\1/p' err)
[[ $(cat "$log") == 'mpi_f08: no room' ]] || fail "all of it is in $log: $(cat err)"
[[ -e $(folder_of_modules)/mpi.mod ]] || fail "one of two: $(ls "$(folder_of_modules)")"
: > made
ends 0 "$bin/purefc" -c a.f
[[ ! -s err ]] || fail "a program that does not use the module: $(cat err)"
ends 0 "$bin/purefc" -c uses_f08.f
says 'does not compile the module mpi_f08'
count 0 'after one has failed'
is_called 'GNU Fortran (GCC) 4.8.5'
echo mpi >> fails
ends 0 "$bin/purefc" -c a.f
says 'gfortran 4.8.5 does not compile the modules mpi and mpi_f08:'
says 'Programs with mpif.h are compiled without'
[[ $(cat out) == "[-c][a.f][-I$headers]" ]] || fail "with no module: $(cat out)"
gives "-I$headers" "$bin/purefc" -showme:compile
rm fails
ends 0 "$bin/purefc" -c a.f
[[ -e $(folder_of_modules)/mpi_f08.mod ]] || fail 'a compiler that has been put right'
finish
