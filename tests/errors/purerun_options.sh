#!/usr/bin/env bash
# purerun refuses wrong options, settings and mappings before the program starts, with status 2 and a text that helps.
source "$(dirname "${BASH_SOURCE[0]}")/purerun_common.bash"
unset PURE_OTHER_JOBS # no setting, but those that are given

script never << 'END'
#!/bin/sh
echo "this program should not have been started" >&2
exit 99
END
refuses() {
  local text=$1
  shift
  ends 2 "$text" "$@" ./never
  grep -qF 'purerun --help' err || fail "purerun $*: it does not mention --help"
}

refuses '-n 0: the number of ranks is 1 to' -n 0
refuses '-n -3: the number of ranks is 1 to' -n -3
for number in 0 -1 two 65537 ''; do
  refuses "--cpus-per-rank $number: the number of cpus of each rank is 1 to 65536" -n 1 --cpus-per-rank "$number"
done
refuses 'impossible mapping: there is no room for 1 rank of 65536 cpus each' -n 1 --cpus-per-rank 65536
refuses 'impossible mapping: there is no room for 2 ranks of 65536' --ranks-as processes -n 2 --cpus-per-rank 65536
refuses '-n four: the number of ranks is 1 to' -n four
refuses '-n 2.5: the number of ranks is 1 to' -n 2.5
refuses '-n : the number of ranks is 1 to' -n ''
refuses '-n 99999999999999999999: the number' -n 99999999999999999999
refuses 'no option --report-binding (did you mean --report-bindings?)' --report-binding
refuses 'no option --mapby (did you mean --map-by?)' --mapby=core
refuses 'no option --chek (did you mean --check?)' --chek
refuses 'no option --stat (did you mean --stats?)' --stat
refuses 'no option --bananas' --bananas
refuses 'no option -y' -y
refuses 'did you mean numa?' --map-by nuam
refuses 'core, numa, socket, none, or file:PATH' --map-by bananas
refuses 'core, numa, socket, none, or file:PATH' --map-by ''

# What mpirun has, and what to write instead.
habit() {
  local instead=$1
  shift
  refuses "$1 is not an option of purerun: " "$@"
  grep -qF -- "$instead" err || fail "purerun $*: no '$instead' in: $(cat err)"
}
habit '--map-by none binds nothing' --bind-to core
habit '--map-by none binds nothing' -bind-to core
habit 'write --map-by WHAT' -map-by socket
habit 'NAME=VALUE purerun' -x OMP_NUM_THREADS=4
habit 'NAME=VALUE purerun' -genv A 1
habit 'NAME=VALUE purerun' -env A 1
habit 'NAME=VALUE purerun' -envall
habit 'write --hostfile FILE' -f machines
habit 'write --hostfile FILE' -machinefile machines
habit 'write --hostfile FILE' -hostfile machines
habit 'write --hosts LIST' -host a,b
habit 'write --hosts LIST' --host a,b
habit 'write --hosts LIST' -hosts a,b
habit 'write --hosts LIST' -H a,b
habit 'write --ppn K' -ppn 2
habit 'write --ppn K' --npernode 2
habit '(cd DIRECTORY && purerun ...)' -wdir /tmp
habit '(cd DIRECTORY && purerun ...)' --wd /tmp
habit 'more ranks than cores may be asked for' --oversubscribe
habit 'root may' --allow-run-as-root
habit '--map-by file:PATH' --rank-by core
habit '--mpiexec-args' --mca btl tcp,self
habit '--report-bindings' -report-bindings
habit 'pure_rank()' --tag-output
habit 'write -n N' -c 4
refuses '-x is not an option of purerun' -n 2 --stats --set spin_us=5 -x A
refuses '--map-by ppr:2:socket: -n is the number of ranks' --map-by ppr:2:socket
refuses '--map-by slot: ' --map-by slot
refuses '--map-by core:PE=2: modifiers' --map-by core:PE=2
refuses 'write file:PATH' --map-by rankfile
ends 2 'several programs in one job' -n 2 ./never : -n 2 ./never
ends 2 'several programs in one job' ./never a : -np 2 ./never

refuses '/no/such/file cannot be read' --map-by file:/no/such/file
refuses 'is a directory' --map-by "$work"
refuses '/dev/zero is neither a file nor a pipe' --map-by file:/dev/zero
truncate -s 17M endless
refuses 'endless has more than 16 MiB' --map-by file:endless
refuses 'endless has more than 16 MiB' -N 2 --placement file:endless -n 2
refuses 'endless: it has more than 16 MiB' --hostfile endless
refuses 'did you mean PURE_SPIN_US?' --set PURE_SPIN=3
refuses 'did you mean PURE_SPIN_US?' --set spin=3
refuses 'PURE_SPIN_US=soon' --set spin_us=soon
refuses 'PURE_STEAL_FROM=far' --set steal_from=far
refuses 'PURE_TRACE_EVENTS=10' --set trace_events=10
refuses 'write it as NAME=VALUE' --set spin_us
refuses 'for purerun itself' --set launch_fd=3
refuses 'PURE_RING_BYTES to 512 KiB or more' --set eager_limit=64K
ends 2 'needs a value' -n
ends 2 'needs a value' --set
ends 2 'which program?'
ends 2 'which program?' -n 4
ends 2 'which program?' --

# Each numeric option, and settings, with what is no number of theirs: the range, in one short line.
for bad in abc -1 99999999999999999999 1e9 5x 0x10 1.5 +5; do
  for option in -n -N --ppn --hang-timeout --helpers '--set ranks' '--set spin_us' '--set ring_bytes' '--set processes'; do
    if [[ $option == --set* ]]; then words=(--set "${option#--set }=$bad"); else words=("$option" "$bad"); fi
    ends 2 "$bad" "${words[@]}" ./never
    (($(head -1 err | wc -c) < 200)) || fail "purerun ${words[*]}: a line of $(head -1 err | wc -c)"
  done
done
for option in -n -N --ppn; do refuses "$option 0: " $option 0; done

PURE_RANK=3 refuses 'did you mean PURE_RANKS?'
PURE_RANKS=0 refuses 'PURE_RANKS=0'
PURE_MAP_BY=x refuses 'mapped by "x"'
PURE_NET_WITHOUT=bare,far refuses 'PURE_NET_WITHOUT: "far" is none of direct, bare,'
refuses '"far" is none of direct, bare,' -n 2 --set net_without=far

printf '0 0\n1 x\n' > bad_map
refuses 'bad_map:2:' -n 2 --map-by file:bad_map
printf '0 0\n' > short_map
refuses 'no line for rank 1' -n 2 --map-by ./short_map

# What is right reaches the program: settings, and its own arguments as they are.
script show << 'END'
#!/bin/sh
env | grep '^PURE_' | grep -v '^PURE_LAUNCH_FD=' | sort
for argument; do echo "<$argument>"; done
exit 42
END
shows() {
  local expected=$1
  shift
  ends 42 '' --ranks-as threads "$@"
  [[ $(cat out) == "$expected" ]] || fail "purerun $*: it shows $(cat out)"
}
shows $'PURE_RANKS=4\n<-n>\n<0>\n<--help>\n<a b>\n<>\n<-->' -n 4 ./show -n 0 --help 'a b' '' --
shows $'PURE_RANKS=3' -n3 ./show
shows $'PURE_RANKS=5' --ranks=5 ./show
shows $'PURE_RANKS=4' -np 4 ./show
shows $'PURE_RANKS=4' --np=4 ./show
shows $'PURE_RANKS=4\n<-x>\n<-np>\n<:>\n<-host>' -n 4 ./show -x -np : -host
shows $'PURE_RANKS=4\n<:>\n<-n>' -n 4 -- ./show : -n
shows $'PURE_MAP_BY=node' --map-by node ./show
shows $'PURE_STATS=on\nPURE_TRACE='"$work"'/-x' --trace -x --stats ./show
shows $'PURE_RANKS=2' -n 4 -n 2 -- ./show
shows $'PURE_MAP_BY=none\nPURE_REPORT_BINDINGS=on' --report-bindings --map-by none ./show
shows $'PURE_CHECK=on' --check ./show
PURE_CHECK=off shows $'PURE_CHECK=on\nPURE_REPRODUCIBLE_SUMS=on' --check --reproducible-sums ./show
shows $'PURE_RING_BYTES=128K\nPURE_SPIN_US=5' --set spin_us=5 --set PURE_RING_BYTES=128K ./show
shows $'PURE_HELPERS=auto\nPURE_RANKS=1\nPURE_STATS=on\nPURE_TRACE='"$work"'/t.json' -n 1 --helpers auto --stats \
  --trace folder/../t.json ./show
PURE_HELPERS=auto shows $'PURE_HELPERS=0' --helpers 0 ./show
PURE_RANKS=7 PURE_SPIN_US=9 shows $'PURE_RANKS=1\nPURE_SPIN_US=9' -n 1 ./show
printf '0 0\n' > map
shows $'PURE_MAP_BY=file:'"$work"$'/map\nPURE_RANKS=1' -n 1 --map-by file:map ./show

# A variable of somebody's own: a warning, once, and the program starts; without purerun by the program itself, once.
PURE_HOME=/x PURE_STATUS=1 ends 42 'purerun: warning: PURE_' --ranks-as threads ./show
[[ $(grep -c 'warning' err) == 1 ]] && grep -q 'PURE_HOME' err && grep -q 'PURE_STATUS (did you mean PURE_STATS?)' err || fail "PURE_HOME: $(cat err)"
PURE_HOME=/x ends 0 'purerun: warning: PURE_HOME is not a setting of Pure, and counts for nothing' -n 2 main_plain
[[ $(grep -c 'PURE_HOME' err) == 1 ]] || fail "PURE_HOME, a program under purerun: $(cat err)"
PURE_HOME=/x PURE_RANKS=2 main_plain > out 2> err || fail "PURE_HOME, a program by itself: $(cat err)"
[[ $(cat err) == 'pure: warning: PURE_HOME is not a setting of Pure, and counts for nothing; `pure info` lists them all.' ]] ||
  fail "PURE_HOME, a program by itself: $(cat err)"
PURE_RANK=2 main_plain > out 2> err && fail 'PURE_RANK, a program by itself: it runs'
says 'PURE_RANK, a program by itself' 'did you mean PURE_RANKS?'

# What comes from elsewhere is shown, and no terminal obeys it; nor does it make lines of its own.
evil=$'a\e[31m\npure: b'
shown='a\x1b[31m\npure: b'
printf '%s\n' '0 0' $'x\e[31m 1' > "$evil"
refuses "-n $shown: " -n "$evil"
refuses "by \"$shown\"" --map-by "$evil"
refuses "/$shown:2: \"x\\x1b[31m\" is not" -n 2 --map-by "./$evil"
refuses "$shown/none cannot be read" --map-by "file:$evil/none"
refuses "PURE_SPIN_US=$shown is" --set "spin_us=$evil"
refuses "PURE_STEAL_FROM=$shown is" --set "steal_from=$evil"
refuses "\"$shown\" is none of" --set "net_without=$evil"
refuses "PURE_HELPERS=$shown is" --helpers "$evil"
refuses "--set $shown: " --set "$evil"
refuses "--mpi $shown: " -N 2 --mpi "$evil"
refuses "--hostfile $shown/none: " --hostfile "$evil/none"
refuses "'-a\\x1b' is no name" --hosts $'-a\e'
refuses "no option --$shown" "--$evil"
ends 127 "$shown/none: there is no such file" "./$evil/none"
ends 126 "$shown is not an executable file" "./$evil"
PURE_RANKS=$evil main_plain > out 2> err && fail 'PURE_RANKS is wrong, and a program runs'
grep -qF "PURE_RANKS=$shown is not possible" err || fail "a program by itself: $(cat err)"
PURE_TRACE="no/$evil" main_plain > out 2> err && fail 'PURE_TRACE is wrong, and a program runs'
grep -qF "no/$shown: the file cannot be written" err || fail "a program by itself: $(cat err)"
PURE_TRACE=$evil pure info > out 2> err || fail "pure info: $(cat err)"
if grep -q $'\e' out err; then fail "pure info: an escape: $(cat -v out)"; fi
ends 0 '' --dry-run --ranks-as threads -n 2 env true "$evil"
[[ $(bash -c "printf '%s\n' $(sed 's/.* true //' out)") == "$evil" ]] || fail "--dry-run: bash reads no such word in $(cat out)"
if grep -q $'\e' out; then fail "--dry-run: an escape"; fi

# --help is complete: every option, every setting, every status; --version is one line.
ends 0 '' --help
for word in -n --ranks --map-by --report-bindings --check --reproducible-sums --helpers --stats --trace --set --version --help --processes -N --ppn --hosts --hostfile --mpi --mpiexec --mpiexec-args \
  --network-interface --placement --dry-run PURE_PROCESSES PURE_RANKS \
  PURE_MAP_BY PURE_EAGER_LIMIT PURE_RING_BYTES PURE_SPIN_US PURE_STACK_BYTES 'Exit status' 'Examples' '  126' '  127' '128+N' '  2 ' '  3 '; do
  grep -qF -- "$word" out || fail "--help does not mention '$word'"
done
if grep -q PURE_LAUNCH_FD out; then fail '--help shows an internal setting'; fi
ends 0 '' --version
[[ $(cat out) =~ ^purerun\ [0-9]+\.[0-9]+\.[0-9]+$ ]] || fail "--version: $(cat out)"

finish
