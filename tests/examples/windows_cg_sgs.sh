#!/usr/bin/env bash
# Conjugate gradients: the residuals of a serial program, bit for bit, by all preconditioners, on any number of ranks and on
# both systems; a shared subdomain takes the iterations of one subdomain. Bad options are refused.
source "$(dirname "$0")/windows.bash"

program=$windows/windows_cg_sgs

# Method, subdomains, iterations and hash of each line.
results() {
  awk '$1 ~ /^(own|levels|doacross)$/ && NF == 8 { print $1, $2, $3, $8 }'
}

# The paper's figure 4: iterations by number of ranks, and how many the shared subdomain takes. By one rank, for the
# residuals are the same with more: that is checked below, on grids that are small, because level sets wait for all ranks at
# each of nx + 2 ny + 4 nz levels, and a strip for its neighbours at each plane. On a busy machine a wait is long.
verified 8 "24 x 24 x 64" on_pure 1 "$program" --subdomains 1,2,4,8,16,32,64 --methods own,doacross --verify
results < "$work/out" > "$work/figure"
cp "$work/out" "$work/figure_4"
own=$(awk '$1 == "own" { printf "%s ", $3 }' "$work/figure")
[[ $own == "31 38 38 38 41 47 61 " ]] || fail "iterations on 1 to 64 subdomains: $own"
[[ $(awk '$1 == "doacross" { print $3, $4 }' "$work/figure") == $(awk '$1 == "own" && $2 == 1 { print $3, $4 }' "$work/figure") ]] ||
  fail "a shared subdomain is not one subdomain: $(cat "$work/figure")"
awk 'NF == 8 && $7 + 0 > 1e-6 { bad = 1 } END { exit bad }' "$work/out" || fail "the solution is wrong: $(cat "$work/out")"
echo "figure 4: own $own"

# same RANKS NX NY NZ: all methods have the residuals of one rank, which are in $work/one_$NX$NY$NZ; and of a serial program.
same() {
  local ranks=$1 points="$2 $3 $4"
  local run=(--nx "$2" --ny "$3" --nz "$4" --subdomains 1,3,5 --diagonal 26.5 --verify)
  verified 5 "$points, $ranks ranks" on_pure "$ranks" "$program" "${run[@]}"
  results < "$work/out" > "$work/many"
  if ((ranks == 1)); then
    cp "$work/many" "$work/one_${points// /_}"
    [[ $(awk '$2 == 1 { print $3, $4 }' "$work/many" | sort -u | wc -l) == 1 ]] || fail "$points: $(cat "$work/many")"
  else
    cmp "$work/one_${points// /_}" "$work/many" || fail "$points: $ranks ranks differ: $(cat "$work/many")"
  fi
}
for ranks in 1 2 3 4 8; do same "$ranks" 4 8 5; done
for ranks in 1 3 8; do same "$ranks" 4 3 5; done  # ranks without rows along y, or without planes
for ranks in 1 2 4; do same "$ranks" 1 1 5; done
# Without --subdomains each rank has its own.
for ranks in 1 2 3; do
  verified 1 "$ranks ranks" on_pure "$ranks" "$program" --nx 8 --ny 8 --nz 12 --methods own --verify
  [[ $(results < "$work/out" | cut -d' ' -f2) == "$ranks" ]] || fail "$ranks ranks: $(cat "$work/out")"
done
echo "compared with one rank and with a serial program"

compares_with "$program"
run=(--nx 3 --ny 4 --nz 5 --subdomains 1,2,5 --verify)
verified 5 "1 rank" on_pure 1 "$program" "${run[@]}"
results < "$work/out" > "$work/one"
for family in $(twins_of "$program"); do
  for ranks in 1 2; do
    verified 5 "$family, $ranks ranks" on_mpi "$family" "$ranks" "$program" "${run[@]}"
    results < "$work/out" | cmp "$work/one" - || fail "$family: $ranks ranks differ: $(cat "$work/one" "$work/out")"
  done
  echo "compared with $family"
done

draws 14 "$work/figure_4"

helps "$program" --nx --ny --nz --diagonal --tolerance --iterations --subdomains --methods --verify
refuses "$program" 5 "4 planes along z are too few for subdomains of 5 ranks: --nz must be at least 5" --nz 4
refuses "$program" 2 "--subdomains 65: there are only 64 planes along z" --subdomains 2,65
refuses "$program" 2 "4096 x 4096 x 64 points are more than" --nx 4096 --ny 4096
refuses "$program" 2 "--nx: must be a whole number from 1 to 4096, not '0'" --nx 0
refuses "$program" 2 "--diagonal: must be a number from 26 to 1000, not '25'" --diagonal 25
refuses "$program" 2 "--tolerance: must be a number from 1e-15 to 1, not 'nan'" --tolerance nan
refuses "$program" 2 "--methods: must be of own, levels, doacross, not 'all'" --methods all
refuses "$program" 2 "--bogus" --bogus
refuses "$program" 2 "doacross: the residual is not below 1e-08 of the first one after 3 iterations" \
  --iterations 3 --methods doacross
finish
