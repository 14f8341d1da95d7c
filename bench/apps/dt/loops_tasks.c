// The loops over an array, shared with ranks that wait: what loops.c is, for Pure.
#include <pure/tasks.h>

#include "dt.h"

struct part {
  const struct features* old;
  const struct features* incoming;
  struct features* next;
  int number; // the node, or what is divided by
};

static void fill(size_t first, size_t last, void* context) {
  const struct part* const p = context;
  fill_samples(p->next->values, first, last, p->next->length, p->number);
}

void fill_features(struct features* made, int node) {
  struct part p = {.next = made, .number = node};
  pure_parallel_for(made->length / fields, fill, &p, NULL);
}

void stretch_features(const struct features* from, struct features* longer) {
  stretch(from, longer, 0, longer->length);
}

static void filter(size_t first, size_t last, void* context) {
  const struct part* const p = context;
  filter_samples(p->old, p->incoming, p->next->values, p->number, first, last);
}

void filter_features(const struct features* old, const struct features* incoming, struct features* next, int node) {
  struct part p = {old, incoming, next, node};
  pure_parallel_for(old->length / fields, filter, &p, NULL);
}

static void divide(size_t first, size_t last, void* context) {
  const struct part* const p = context;
  divide_values(p->next->values, first, last, p->number);
}

void divide_features(struct features* of, int by) {
  struct part p = {.next = of, .number = by};
  pure_parallel_for(of->length, divide, &p, NULL);
}

static void add(size_t first, size_t last, void* sum, void* context) {
  *(double*)sum += sum_of_squares(context, first, last);
}

static void combine(void* left, const void* right, void* context) {
  (void)context;
  *(double*)left += *(const double*)right;
}

double mean_square(const struct features* of) {
  double sum = 0;
  struct features all = *of;
  pure_parallel_reduce(of->length, &sum, sizeof sum, add, combine, &all, NULL);
  return sum;
}

const char* loops_are(void) { return ", shared with ranks that wait"; }
