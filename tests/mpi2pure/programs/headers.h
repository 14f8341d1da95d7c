/* Loops of every kind of header. Each writes which iterations were done, in what order does not matter. */
#pragma once
static unsigned long checksum(const unsigned char* done, int count) {
  unsigned long sum = 0;
  for (int i = 0; i < count; ++i) sum = sum * 31 + done[i];
  return sum;
}
static void all_headers(int low, int high, int says) {
  static unsigned char done[4096];
  int i;
  unsigned u;
  long k;
  short s;
  unsigned char c;
  size_t z;
  const size_t length = (size_t)high;
  const int by = 3;
#pragma omp parallel for
  for (i = low; i < high; i++) done[i] += 1;
#pragma omp parallel for
  for (i = low; i <= high; ++i) done[i] += 2;
#pragma omp parallel for
  for (i = high; i > low; i--) done[i] += 3;
#pragma omp parallel for
  for (i = high; low <= i; --i) done[i] += 4;
#pragma omp parallel for
  for (i = low; i != high; ++i) done[i] += 5;
#pragma omp parallel for schedule(static, 5)
  for (i = low; i < high; i += by) done[i] += 6;
#pragma omp parallel for schedule(guided, 2)
  for (i = high - 1; i >= low; i -= 7) done[i] += 7;
#pragma omp parallel for
  for (i = low; i < high; i = i + 2) done[i] += 8;
#pragma omp parallel for schedule(runtime)
  for (i = high; i > low; i = i - by) done[i] += 9;
#pragma omp parallel for
  for (u = 10; u < (unsigned)high; u += 4) done[u] += 10;
#pragma omp parallel for
  for (k = -5; k < high; ++k) done[k + 5] += 11;
#pragma omp parallel for
  for (s = 100; s > -100; s--) done[s + 100] += 12;
#pragma omp parallel for
  for (c = 3; c <= 250; c += 2) done[c] += 13;
#pragma omp parallel for
  for (z = length; z >= 1; z--) done[z] += 14;
#pragma omp parallel for
  for (int in = low; in < length; in++) done[in] += 15;
#pragma omp parallel for
  for (i = high; i < low; i++) done[i] += 16;
#pragma omp parallel for
  for (unsigned char* p = done + 5; p < done + 70; ++p) *p += 18;
#pragma omp parallel for if (high > 100000) num_threads(2)
  for (i = low; i < high; i++) done[i] += 19;
#pragma omp parallel for
  for (long long w = 5; w <= high - 1; w += 2 * by) { if (w % 4 == 1) continue; done[w] += 20; }
  if (says) printf("headers %lu\n", checksum(done, 4096));
}
