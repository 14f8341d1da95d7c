# The ratio of two times that were measured in turn, and how far it can be trusted. Each line of the input has a sample
# of A and the sample of B that was taken right after or before it; a disturbance that lasts meets both.
#
#   awk -f paired_ratio.awk <<< $'0.31 0.30\n0.33 0.30\n0.30 0.31'     prints   1.033 0.067 3 level
#
# The ratio is the median of A / B over the pairs. Behind it is its spread: how far the ends of an interval are from it, at
# most. From six pairs on, the interval lies between two of the ordered ratios, as many from either end as possible so that
# the true median is inside with a certainty of 95 %, whatever the distribution (the sign test: j are cut off at each end if
# at most j heads in as many tosses of a coin as there are pairs have a probability of 2.5 % or less). Fewer pairs allow
# no such interval: then it holds all of them. Behind these, the number of pairs, and a verdict: `level` if 1 is not
# farther from the ratio than the spread, else `more` or `less`.
NF < 2 || $1 + 0 <= 0 || $2 + 0 <= 0 {
  printf "paired_ratio: line %d is not two times: '%s'\n", NR, $0 > "/dev/stderr"
  failed = 1
  exit 2
}

{
  ratio = $1 / $2
  for (i = NR; i > 1 && sorted[i - 1] > ratio; --i) sorted[i] = sorted[i - 1]
  sorted[i] = ratio
}

END {
  if (failed) exit 2
  if (NR == 0) {
    print "paired_ratio: there are no pairs" > "/dev/stderr"
    exit 2
  }
  median = NR % 2 ? sorted[(NR + 1) / 2] : (sorted[NR / 2] + sorted[NR / 2 + 1]) / 2
  cut = cut_off(NR)
  low = sorted[1 + cut]
  high = sorted[NR - cut]
  spread = median - low > high - median ? median - low : high - median
  away = median > 1 ? median - 1 : 1 - median
  verdict = away <= spread ? "level" : (median > 1 ? "more" : "less")
  printf "%.3f %.3f %d %s\n", median, spread, NR, verdict
}

# How many of n ordered ratios are cut off at each end.
function cut_off(n, below, tosses, k) {
  tosses = 0.5 ^ n # of n coins that show no head
  below = tosses
  for (k = 0; below <= 0.025; ++k) {
    tosses *= (n - k) / (k + 1)
    below += tosses
  }
  return k > 0 ? k - 1 : 0
}
