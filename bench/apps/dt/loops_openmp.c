// The loops over an array, shared among the threads of the rank: what loops.c is, with OpenMP.
#include <omp.h>

#include "dt.h"

// The calling thread's part of `count`.
static void own_part(size_t count, size_t* first, size_t* last) {
  const size_t threads = (size_t)omp_get_num_threads();
  const size_t thread = (size_t)omp_get_thread_num();
  *first = count * thread / threads;
  *last = count * (thread + 1) / threads;
}

void fill_features(struct features* made, int node) {
#pragma omp parallel
  {
    size_t first, last;
    own_part(made->length / fields, &first, &last);
    fill_samples(made->values, first, last, made->length, node);
  }
}

void stretch_features(const struct features* from, struct features* longer) {
  stretch(from, longer, 0, longer->length);
}

void filter_features(const struct features* old, const struct features* incoming, struct features* next, int node) {
#pragma omp parallel
  {
    size_t first, last;
    own_part(old->length / fields, &first, &last);
    filter_samples(old, incoming, next->values, node, first, last);
  }
}

void divide_features(struct features* of, int by) {
#pragma omp parallel
  {
    size_t first, last;
    own_part(of->length, &first, &last);
    divide_values(of->values, first, last, by);
  }
}

double mean_square(const struct features* of) {
  double sum = 0;
#pragma omp parallel reduction(+ : sum)
  {
    size_t first, last;
    own_part(of->length, &first, &last);
    sum += sum_of_squares(of, first, last);
  }
  return sum;
}

const char* loops_are(void) { return ", shared among the threads of a rank"; }
