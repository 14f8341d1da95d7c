// Data traffic: feature arrays flow along the arcs of a graph from sources through comparators to sinks (NAS Parallel
// Benchmarks, DT; M. Frumkin, "Data traffic", NPB 3.3). Written from the benchmark's definition; the numbers that make
// its verification values are marked "NPB".
//
//   graph.c             the three graphs
//   features.c          arithmetic on parts of arrays
//   loops*.c            who computes the parts: the rank (loops.c), ranks that wait (_tasks), its threads (_openmp)
//   traffic.c           messages along the arcs
//   main.c, classes.c   options, classes, memory, verification
//
// A rank uses its own objects only. Functions that can run out of memory end the job with a sentence.
#ifndef DT_H
#define DT_H

#include <stddef.h>

enum { fields = 4 }; // of a sample: x, y, z, f

// `length` doubles, a multiple of `fields`.
struct features {
  size_t length;
  double* values;
};

// ---- classes.c ----

struct size_class {
  char name;
  size_t samples;
  long deviation; // of a source's number of samples
  int sources;
};

// NULL: there is none of that name.
const struct size_class* find_class(char name);
// The published checksum of a graph and class; 0: none is published.
double published_checksum(const char* graph, char class_name);
// Bytes of the longest array of a class.
size_t array_bytes(const struct size_class* size);

// ---- graph.c ----

enum node_kind { source, comparator, sink };

enum { most_arcs = 4 };

struct node {
  enum node_kind kind;
  int in_count, out_count;
  int in[most_arcs]; // arcs, in the order in which they are combined
  int out[most_arcs];
};

struct arc {
  int tail, head; // nodes; the tail comes first
};

struct graph {
  int node_count, arc_count;
  struct node* nodes; // in topological order
  struct arc* arcs;
};

// BH (black hole: sources come together in one sink), WH (white hole: the reverse) or SH (shuffle). Returns 0 if there is
// no such graph.
int make_graph(const char* name, int sources, struct graph* made);
void free_graph(struct graph* old);

// ---- features.c: parts of arrays; samples first, ..., last - 1 ----

// How many samples source `node` has.
size_t source_samples(const struct size_class* size, int node);
void fill_samples(double* values, size_t first, size_t last, size_t length, int node);
// longer[i] for i in [first, last) of an array that `from` is stretched to.
void stretch(const struct features* from, const struct features* longer, size_t first, size_t last);
// What `old` becomes when `incoming`, of the same length, is combined with it in `node`.
void filter_samples(const struct features* old, const struct features* incoming, double* next, int node, size_t first,
                    size_t last);
void divide_values(double* values, size_t first, size_t last, int by);
// The part's share of the mean square.
double sum_of_squares(const struct features* of, size_t first, size_t last);

// ---- loops.c, loops_tasks.c, loops_openmp.c ----

void fill_features(struct features* made, int node);
void stretch_features(const struct features* from, struct features* longer);
void filter_features(const struct features* old, const struct features* incoming, struct features* next, int node);
void divide_features(struct features* of, int by);
double mean_square(const struct features* of);
// "", or how loops are shared.
const char* loops_are(void);

// ---- traffic.c ----

struct features new_features(size_t length);
void free_features(struct features* old);
// Collective: the sum of what the sinks say; on rank 0. Nodes are dealt to ranks in turn.
double run_traffic(const struct graph* g, const struct size_class* size, int rank, int ranks);

#endif
