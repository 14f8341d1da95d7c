# For demo.sh, which has the variables build and potential: on how many ranks it runs, which systems there are, and how a
# program is launched on one.

purerun=$build/bin/purerun
for file in "$purerun" "$build/examples/md/md" "$build/examples/random_stencil/random_stencil"; do
  [[ -x $file ]] || die "$file is not there: build first (make demo)"
done

# As many as purerun takes by itself: nproc counts hardware threads.
said=$("$purerun" "$build/examples/random_stencil/random_stencil" --size 10 --iterations 1 2>&1) ||
  die "no job can start here:"$'\n'"$said"
ranks=$(sed -nE '1s/.*: ([0-9]+) ranks?, .*/\1/p' <<< "$said")
[[ $ranks ]] || die "random_stencil does not say how many ranks it has:"$'\n'"$said"

mpis=() hybrids=()
for mpi in mpich openmpi mpi; do
  launcher=mpiexec.$mpi
  command -v "$launcher" > /dev/null || launcher=mpiexec
  command -v "$launcher" > /dev/null || continue
  [[ ! -x $build/examples/md/md_$mpi ]] || mpis+=("$mpi")
  [[ ! -x $build/examples/md/md_hybrid_$mpi ]] || hybrids+=("hybrid_$mpi")
done

# MPI with OpenMP: ranks of up to eight threads.
threads=8
while ((ranks % threads != 0)); do threads=$((threads - 1)); done

has_potential=1
[[ -r $potential ]] || has_potential=

declare -A system_name=([pure]=Pure [mpich]=MPICH [openmpi]="Open MPI" [mpi]=MPI
  [messages]="Pure, messages only" [puretask]="Pure, PureTask" [parallel_for]="Pure, parallel_for"
  [hybrid_mpich]="MPICH + OpenMP" [hybrid_openmpi]="Open MPI + OpenMP" [hybrid_mpi]="MPI + OpenMP")

# launch SYSTEM PROGRAM ARGUMENT...: one run on all cores. The system "pure" is the program by that name; others are
# versions of the example.
launch() {
  local system=$1 program=$2
  shift 2
  local example=${program%_messages}
  local path=$build/examples/$example/$example
  case $system in
    pure) "$purerun" -n "$ranks" "$build/examples/$example/$program" "$@" ;;
    messages | puretask | parallel_for)
      case $program in
        md) "$purerun" -n "$ranks" "$path" --tasks "${system/messages/none}" "$@" ;;
        random_stencil)
          [[ $system == puretask ]] || path+=_$system
          "$purerun" -n "$ranks" "$path" "$@"
          ;;
      esac
      ;;
    hybrid_*)
      OMP_NUM_THREADS=$threads OMP_PROC_BIND=close launch_mpi "${system#hybrid_}" "$((ranks / threads))" "$threads" \
        "${path}_$system" "$@"
      ;;
    *) launch_mpi "$system" "$ranks" 1 "${path}_$system" "$@" ;;
  esac
}

# launch_mpi FAMILY RANKS CORES_OF_EACH PROGRAM ARGUMENT...
launch_mpi() {
  local family=$1 ranks=$2 cores=$3
  shift 3
  case $family in
    mpich) "$(first_of mpiexec.mpich mpiexec)" -bind-to "core:$cores" -n "$ranks" "$@" ;;
    openmpi)
      local root=()
      [[ $(id -u) != 0 ]] || root=(--allow-run-as-root)
      "$(first_of mpiexec.openmpi mpiexec)" "${root[@]}" --map-by "slot:PE=$cores" --bind-to core -n "$ranks" "$@"
      ;;
    mpi) mpiexec -n "$ranks" "$@" ;;
  esac
}

first_of() {
  command -v "$1" || command -v "$2"
}
