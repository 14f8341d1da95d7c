// The loops over an array, by the rank alone.
#include "dt.h"

void fill_features(struct features* made, int node) {
  fill_samples(made->values, 0, made->length / fields, made->length, node);
}

void stretch_features(const struct features* from, struct features* longer) {
  stretch(from, longer, 0, longer->length);
}

void filter_features(const struct features* old, const struct features* incoming, struct features* next, int node) {
  filter_samples(old, incoming, next->values, node, 0, old->length / fields);
}

void divide_features(struct features* of, int by) { divide_values(of->values, 0, of->length, by); }

double mean_square(const struct features* of) { return sum_of_squares(of, 0, of->length); }

const char* loops_are(void) { return ""; }
