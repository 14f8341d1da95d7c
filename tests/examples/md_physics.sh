#!/usr/bin/env bash
# md computes the right energies and forces, and conserves energy and momentum.
source "$(dirname "$0")/common.bash"

# The energy per atom of a perfect crystal, summed here over the neighbours of one atom.
lattice_energy_lj() {
  awk 'BEGIN {
    a = 3.615; epsilon = 0.167; sigma = 2.315; cutoff = 2.5 * sigma
    shift = (sigma / cutoff)^12 - (sigma / cutoff)^6
    for (i = -8; i <= 8; ++i) for (j = -8; j <= 8; ++j) for (k = -8; k <= 8; ++k) {
      r = a / 2 * sqrt(i * i + j * j + k * k)     # sites of the fcc lattice: i + j + k is even
      if ((i + j + k) % 2 == 0 && r > 0 && r < cutoff) sum += (sigma / r)^12 - (sigma / r)^6 - shift
    }
    printf "%.10f", 0.5 * 4 * epsilon * sum
  }'
}

# The same from the tables of a potential file, by linear interpolation.
lattice_energy_eam() {
  awk '
    function at(first, steps,   k) {
      k = int(steps)
      return v[first + k] + (steps - k) * (v[first + k + 1] - v[first + k])
    }
    NR == 2 { a = $3 }
    NR == 3 { n_rho = $1; d_rho = $2; n_r = $3; d_r = $4; cutoff = $5 }
    NR > 3 { for (i = 1; i <= NF; ++i) v[n++] = $i }
    END {
      for (i = -8; i <= 8; ++i) for (j = -8; j <= 8; ++j) for (k = -8; k <= 8; ++k) {
        r = a / 2 * sqrt(i * i + j * j + k * k)
        if ((i + j + k) % 2 != 0 || r == 0 || r >= cutoff) continue
        z = at(n_rho, r / d_r)
        pairs += 27.2 * 0.529 * z * z / r
        rho += at(n_rho + n_r, r / d_r)
      }
      printf "%.10f", 0.5 * pairs + at(0, rho / d_rho)
    }' "$1"
}

# check_energy NAME WANTED TOLERANCE ARGUMENT...
check_energy() {
  local name=$1 wanted=$2 tolerance=$3 found
  shift 3
  found=$(on_pure 2 "$md" --nx 4 --ny 4 --nz 4 --steps 0 "$@" | table | cut -d' ' -f4)
  echo "$name: potential energy of the crystal $found eV/atom, lattice sum $wanted"
  holds "(${found:-1e9}) - ($wanted) < $tolerance && ($wanted) - (${found:-1e9}) < $tolerance" ||
    fail "$name: the energy of the perfect crystal is $found, not $wanted"
}

# Halving the time step must quarter the error of velocity Verlet: only forces that belong to the energy do that.
check_conservation() {
  local name=$1 coarse fine momentum
  shift
  on_pure 2 "$md" --nx 4 --ny 4 --nz 4 --dt 2 --steps 100 --print-every 100 "$@" > "$work/coarse" || fail "$name: dt 2"
  on_pure 2 "$md" --nx 4 --ny 4 --nz 4 --dt 1 --steps 200 --print-every 200 "$@" > "$work/fine" || fail "$name: dt 1"
  coarse=$(number_after "energy drift" < "$work/coarse")
  fine=$(number_after "energy drift" < "$work/fine")
  echo "$name: energy drift $coarse eV/atom at 2 fs, $fine at 1 fs"
  holds "($fine)^2 < 4e-10 && ($coarse) / ($fine) > 3 && ($coarse) / ($fine) < 5" ||
    fail "$name: energy is not conserved"
  momentum=$(sed -nE 's/^ *momentum .*, ([-+0-9.e]+) of the sum.*/\1/p' "$work/fine")
  echo "$name: momentum $momentum of the sum of the atoms' momenta"
  holds "${momentum:-1} < 1e-13" || fail "$name: momentum is not zero"
}

check_forces() {
  local ranks
  for ranks in 1 3; do
    on_pure "$ranks" "$md" --nx 5 --ny 5 --nz 5 --delta 0.2 --check-forces 5 "$@" || fail "forces: $* on $ranks ranks"
  done
}

check_energy "Lennard-Jones" "$(lattice_energy_lj)" 1e-9
check_conservation "Lennard-Jones"
check_forces --potential lj
if has_potential; then
  eam=(--potential eam --file "$potential")
  check_energy "embedded atom" "$(lattice_energy_eam "$potential")" 5e-4 "${eam[@]}"
  check_energy "embedded atom, the cohesive energy of copper" -3.54 1e-3 "${eam[@]}"
  check_conservation "embedded atom" "${eam[@]}"
  check_forces "${eam[@]}"
  check_forces "${eam[@]}" --void 0.3,0.5,0.6,0.3 --tasks parallel_for
fi
finish
