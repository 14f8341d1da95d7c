#!/usr/bin/env bash
# Whatever md cannot use gets one clear message, printed once, and a status that is not zero; nothing hangs.
source "$(dirname "$0")/common.bash"

# refuses RANKS TEXT ARGUMENT...: the message must contain TEXT.
refuses() {
  local ranks=$1 text=$2 status
  shift 2
  on_pure "$ranks" "$md" --steps 2 "$@" > "$work/out" 2> "$work/err"
  status=$?
  ((status != 0 && status != 124)) || fail "md $*: the status is $status"
  [[ $(grep -cF -- "$text" "$work/err") == 1 ]] || fail "md $*: not once '$text' in: $(cat "$work/err")"
  [[ $(grep -c '^md: ' "$work/err") == 1 ]] || fail "md $*: not one message: $(cat "$work/err")"
}

# A small potential file that is right, and what can be wrong with it.
good=$work/good.eam
{
  echo "a comment"
  echo "29 63.55 3.615 fcc"
  echo "6 0.1 6 1.0 4.9"
  echo "0 -1 -2 -3 -4 -5"
  echo "5 4 3 2 1 0"
  echo "1 .8 .6 .4 .2 0"
} > "$good"
on_pure 2 "$md" --nx 3 --ny 3 --nz 3 --steps 0 --potential eam --file "$good" > /dev/null ||
  fail "the good file is refused"

# refuses_file TEXT SED_SCRIPT
refuses_file() {
  sed "$2" "$good" > "$work/bad.eam"
  refuses 2 "$1" --potential eam --file "$work/bad.eam"
}

refuses 3 "there is no such file" --potential eam --file "$work/none.eam"
refuses 2 "Is a directory" --potential eam --file "$work"
refuses 2 "it is empty" --potential eam --file /dev/null
refuses 2 "it is larger than 64 MiB" --potential eam --file /dev/zero
if [[ $(id -u) != 0 ]]; then
  cp "$good" "$work/secret.eam" && chmod 000 "$work/secret.eam"
  refuses 2 "Permission denied" --potential eam --file "$work/secret.eam"
else
  not_tested 'a file that may not be read' 'root may read every file'
fi
refuses_file "line 2: the file ends where atomic number" '2,$d'
refuses_file "line 2: the line ends where the lattice constant should be" '2s/3.615.*//'
refuses_file "line 2: the mass must be positive, not -63.55" '2s/63/-63/'
refuses_file "line 3: the cutoff must be positive, not -4.9" '3s/4.9/-4.9/'
refuses_file "line 3: the cutoff 9.9 is beyond the end of the tables" '3s/4.9/9.9/'
refuses_file "line 3: n_rho must be a whole number from 5 to 1e+06, not 2" '3s/6/2/'
refuses_file "line 3: n_r must be a whole number from 5 to 1e+06, not 6.5" '3s/6 1.0/6.5 1.0/'
refuses_file "line 3: d_r must be positive, not 0" '3s/1.0/0/'
refuses_file "line 4: 'nan' is not finite" '4s/-2/nan/'
refuses_file "line 5: 'x4' is not a number, where Z(r) should be" '5s/4/x4/'
refuses_file "line 6: the file ends after 5 of the 6 values of rho(r)" '6s/ 0$//'
refuses_file "line 6: more numbers than the header promises" '6s/$/ 7/'

refuses 2 "--grid 2x2x1 has 4 ranks, but this job has 2" --grid 2x2x1
refuses 2 "each number must be at least 1" --grid 0x2x1
refuses 2 "must be three numbers such as 2x2x1" --grid 2x1
refuses 2 "must be three numbers such as 2x2x1" --grid 2x1xfoo
refuses 2 "a sub-box would be thinner than the cutoff" --nx 3 --grid 2x1x1
refuses 2 "not even one rank has room" --nx 1
refuses 7 "7 ranks cannot share this box" --nx 3 --ny 3 --nz 3
refuses 2 "--nx: must be a whole number from 1 to 100000, not '0'" --nx 0
refuses 2 "--ny: must be a whole number" --ny 1.5
refuses 2 "--nz: must be a whole number" --nz -3
refuses 2 "are too many for 2 ranks" --nx 1000 --ny 100000 --nz 10000
refuses 2 "is too large for a cutoff" --nx 100 --ny 100 --nz 100 --lattice-constant 50
refuses 2 "--dt: must be a number from 1e-06 to 1000, not 'nan'" --dt nan
refuses 2 "--temperature: must be a number from 0 to 1000000, not '-1'" --temperature -1
refuses 2 "--print-every: must be a whole number" --print-every 0
refuses 2 "--potential: must be lj or eam, not 'morse'" --potential morse
for bad in 1,2 0.5,0.5,0.5 0.5,0.5,0.5,0.1,0.1 0.5,0.5,0.5,1.5 0.5,0.5,nan,0.1 0.5,-0.5,0.5,0.1 0.5.0.5.0.5,1 x; do
  refuses 2 "--void: must be four numbers from 0 to 1 such as 0.5,0.5,0.75,0.4, not '$bad'" --void "$bad"
done
refuses 2 "--void leaves no atom in the box" --nx 4 --ny 4 --nz 4 --void 0.5,0.5,0.5,1
refuses 2 "--tasks: must be none, puretask or parallel_for, not 'all'" --tasks all
refuses 2 "--bogus" --bogus
refuses 2 "--xyz: $work/none/frames.xyz cannot be opened: No such file or directory" --xyz "$work/none/frames.xyz"
refuses 2 "--xyz: /dev/full cannot be written: No space left on device" --nx 4 --ny 4 --nz 4 --xyz /dev/full
refuses 2 "the simulation blew up before step 2" --nx 4 --ny 4 --nz 4 --dt 900

on_pure 3 "$md" --help > "$work/help" || fail "--help has a status"
[[ $(grep -c '^Usage' "$work/help") == 1 ]] || fail "--help is not printed once"
for option in --nx --ny --nz --grid --steps --dt --temperature --delta --lattice-constant --potential --file \
  --print-every --seed --check-forces --void --tasks --drift --xyz; do
  grep -qF -- "$option" "$work/help" || fail "--help lacks $option"
done

compares_with "$md"
for family in $(twins_of "$md"); do
  on_mpi "$family" 2 "$md" --tasks puretask > "$work/out" 2> "$work/err" && fail "$family: --tasks is not refused"
  [[ $(grep -c '^md: --tasks: only Pure has tasks' "$work/err") == 1 ]] || fail "$family: $(cat "$work/err")"
done
finish
