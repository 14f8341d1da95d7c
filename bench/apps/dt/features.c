// Arithmetic on parts of arrays, so that a part can be computed by whoever has time: the same bits however an array is
// cut, but for sum_of_squares. What the published checksums depend on, down to rounding, is marked "NPB".
#include "dt.h"

#include <stdint.h>

// ---- numbers that look random ----

// base^exponent mod modulus. NPB has it with products of 32 bits, which wrap for a large base.
static int power_mod(int base, int64_t exponent, int modulus) {
  if (exponent == 0) return 1;
  int32_t square = base;
  int32_t rest = 1;
  while (exponent > 1) {
    if (exponent % 2 == 0) {
      square = (int32_t)((uint32_t)square * (uint32_t)square) % modulus;
      exponent /= 2;
    } else {
      rest = (int32_t)((uint32_t)rest * (uint32_t)square) % modulus;
      --exponent;
    }
  }
  return (int32_t)((uint32_t)rest * (uint32_t)square) % modulus;
}

// NPB's generator, one step from NPB's seed: seed * factor mod 2^46, as a fraction of 2^46.
static double random_fraction(uint64_t factor) {
  const uint64_t mask = ((uint64_t)1 << 46U) - 1;
  return (double)(314159265U * factor & mask) * 0x1p-46;
}

size_t source_samples(const struct size_class* size, int node) {
  const int64_t odd = 2 * (int64_t)node + 1;
  const int base = (int)(1 / random_fraction((uint64_t)odd)) * 'S';
  int more = power_mod(base, odd, (int)(2 * size->deviation));
  if (more < 0) more = -more;
  return size->samples - (size_t)size->deviation + (size_t)more;
}

// NPB: the four fields of sample i are powers of two, and of five, modulo four primes.
void fill_samples(double* values, size_t first, size_t last, size_t length, int node) {
  static const int bases[fields] = {2, 2, 2, 5};
  static const int primes[fields] = {421, 419, 1427, 3527};
  const int64_t start = (int64_t)(length * ((size_t)node + 1) % 3141592);
  int power[fields];
  for (int f = 0; f < fields; ++f) {
    const int before = power_mod(bases[f], (int64_t)first, primes[f]);
    power[f] = power_mod(bases[f], start, primes[f]) * before % primes[f];
  }
  for (size_t i = first; i < last; ++i) {
    for (int f = 0; f < fields; ++f) {
      power[f] = power[f] * bases[f] % primes[f];
      values[i * fields + (size_t)f] = power[f];
    }
  }
}

// ---- two arrays become one ----

// Value i of the shorter array goes in equal parts to the values low(i), ..., low(i + 1) of the longer one, but for the
// ends, which are kept. The whole quotient of the lengths is NPB's.
static size_t low(size_t i, size_t quotient) { return (2 * i - 1) * quotient / 2; }

void stretch(const struct features* from, const struct features* longer, size_t first, size_t last) {
  const size_t quotient = longer->length / from->length;
  for (size_t j = first; j < last; ++j) {
    double sum = 0;
    size_t i = j / quotient > 1 ? j / quotient - 1 : 1;
    while (low(i + 1, quotient) < j) ++i;
    for (; i + 1 < from->length && low(i, quotient) <= j; ++i)
      sum += from->values[i] / (double)(low(i + 1, quotient) - low(i, quotient) + 1);
    longer->values[j] = sum;
  }
  if (first == 0) longer->values[0] = from->values[0];
  if (last == longer->length) longer->values[last - 1] = from->values[from->length - 1];
}

static double distance(const double* a, const double* b) {
  return (a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]) +
         (a[3] - b[3]) * (a[3] - b[3]);
}

// The choice of a sample: `incoming` before it, of its own place, or after it.
enum { before = -1, same = 0, after = 1 };

struct pair {
  const double* old;
  const double* incoming;
  double weight;
};

// How near the sample before this one has come to the incoming one, if its choice was that.
static double nearness_before(const struct pair* p, size_t sample, int choice) {
  const double* const incoming = p->incoming + (sample - 1) * fields;
  const double* const from = incoming + (ptrdiff_t)choice * fields;
  const double next[fields] = {p->weight * from[0], p->weight * from[1], p->weight * from[2], p->weight * from[3]};
  return distance(next, incoming);
}

// NPB: the place at which the two arrays are nearest, and the one before is as it has become already.
static int choose(const struct pair* p, size_t sample, int choice_before) {
  const size_t at = sample * fields;
  double nearest = distance(p->old + at, p->incoming + at);
  const double next = distance(p->old + at + fields, p->incoming + at + fields);
  int choice = same;
  if (next < nearest) {
    choice = after;
    nearest = next;
  }
  // The first sample of all stays as it is.
  const double last = sample == 1 ? distance(p->old, p->incoming) : nearness_before(p, sample, choice_before);
  return last < nearest ? before : choice;
}

// The choice of `sample`, without those of all samples before it: back to where a choice does not depend on them.
static int choice_at(const struct pair* p, size_t sample) {
  size_t known = sample;
  int choice = same;
  for (;; --known) {
    choice = choose(p, known, same);
    if (known == 1 || (choose(p, known, before) == choice && choose(p, known, after) == choice)) break;
  }
  while (known < sample) choice = choose(p, ++known, choice);
  return choice;
}

void filter_samples(const struct features* old, const struct features* incoming, double* next, int node, size_t first,
                    size_t last) {
  const struct pair p = {old->values, incoming->values, (double)(node + 1) / (node + 2)};
  const size_t samples = old->length / fields;
  int choice = first > 1 ? choice_at(&p, first - 1) : same;
  for (size_t i = first; i < last; ++i) {
    double* const to = next + i * fields;
    if (i == 0 || i + 1 == samples) {
      for (int f = 0; f < fields; ++f) to[f] = old->values[i * fields + (size_t)f];
      continue;
    }
    choice = choose(&p, i, choice);
    const double* const from = incoming->values + ((ptrdiff_t)i + choice) * fields;
    for (int f = 0; f < fields; ++f) to[f] = p.weight * from[f];
  }
}

// NPB: whole numbers, by division of whole numbers.
void divide_values(double* values, size_t first, size_t last, int by) {
  for (size_t i = first; i < last; ++i) values[i] = (int)values[i] / by;
}

double sum_of_squares(const struct features* of, size_t first, size_t last) {
  double sum = 0;
  for (size_t i = first; i < last; ++i) sum += of->values[i] * of->values[i] / (double)of->length;
  return sum;
}
