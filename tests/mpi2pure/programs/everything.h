/* What loops do with the variables around them. */
#pragma once
#define TWICE(x) ((x) * 2)
typedef struct { double sum; int parts[6]; } part;
static double factor = 1.5;
static int scratch;

static double apply(double (*f)(double), double x) { return f(x); }
static double half(double x) { return x / 2; }

static void all_clauses(int n, double grid[][6], int says) {
  int i, j, k, hits = 0, odd = 0, even_bits = 0, all = 1, any = 0, last = -1;
  double t = 0, product = 1, least = 1e9, most = -1e9, total = 10;
  unsigned bits = 0, mask = ~0u;
  double values[200], pair[2] = {3, 4};
  const double weights[3] = {1, 2, 4};
  part whole = {0, {1, 2, 3, 4, 5, 6}};
  part* at = &whole;
  double (*function)(double) = half;
  int histogram[5] = {0};
  float small[8] = {0};
#pragma omp parallel for private(j, t) default(shared)
  for (i = 0; i < n; i++) {
    for (j = 0; j < 6; j++) {
      t = i * 6 + j;
      grid[i][j] = TWICE(t) * weights[j % 3] + at->parts[j];
    }
  }
#pragma omp parallel for firstprivate(t, pair, factor) private(scratch)
  for (i = 0; i < n; i++) {
    t = apply(function, i);
    scratch = i % 2;
    values[i] = t * pair[scratch] + factor;  // "values[i]" stays
  }
#pragma omp parallel for lastprivate(last)
  for (i = 0; i < n; i++) last = i * 3;
#pragma omp parallel for reduction(+ : total, hits) reduction(* : product) reduction(min : least) reduction(max : most)
  for (i = 0; i < n; i++) {
    total += grid[i][3];
    hits++;
    if (i % 50 == 0) product *= 2;
    if (values[i] < least) least = values[i];
    most = values[i] > most ? values[i] : most;
  }
#pragma omp parallel for reduction(& : mask) reduction(| : bits) reduction(^ : even_bits)
  for (i = 0; i < n; i++) {
    mask &= ~(1u << (i % 3));
    bits |= 1u << (i % 7);
    even_bits ^= i;
  }
#pragma omp parallel for reduction(&& : all) reduction(|| : any) reduction(- : odd) schedule(dynamic, 1)
  for (i = 0; i < n; i++) {
    all = all && values[i] < 1e6;
    any = any || i == 77;
    odd -= i & 1;
  }
#pragma omp parallel for collapse(2)
  for (i = 0; i < n; i++) {
    for (j = 5; j >= 0; j--) {
      grid[i][j] += i - j;
    }
  }
#pragma omp parallel for collapse(3) reduction(+ : hits) private(t)
  for (i = 0; i < 7; i += 2)
    for (j = 0; j < 5; j++)
      for (k = 10; k > 1; k -= 3) {
        t = i + j * k;
        if (t > 12) continue;
        hits += (int)t;
      }
#pragma omp parallel for
  for (i = 0; i < n; i++) {
#pragma omp atomic
    histogram[i % 5]++;
#pragma omp atomic
    whole.sum += i;
#pragma omp atomic update
    small[i % 8] = 1 + small[i % 8];
  }
#pragma omp parallel for simd safelen(8) private(t)
  for (i = 0; i < n; i++) {
    t = values[i];
    values[i] = t + 1;
  }
#pragma omp parallel private(t)
  {
    const int rows = n / 2;
    double own;
#pragma omp for nowait
    for (int r = 0; r < rows; r++) {
      t = r;
      own = t + 1;
      grid[r][0] = own * 2;
    }
#pragma omp for schedule(static)
    for (int r = rows; r < n; r++) grid[r][0] = -r;
#pragma omp barrier
    for (int step = 0; step < 3; step++) {
#pragma omp for
      for (int r = 0; r < rows; r++) grid[r][1] += grid[r][0] + step;
    }
  }
  double sum = 0;
  for (i = 0; i < n; i++) sum += values[i] + grid[i][0] + 2 * grid[i][1] + 3 * grid[i][4];
  if (!says) return;
  printf("%g %d %d %d %d %u %u\n", sum, hits, odd, even_bits, all * 2 + any, bits, mask);
  printf("%g %g %g %g %d %d %g %g\n", product, least, most, total, last, histogram[2], whole.sum, small[3]);
}
