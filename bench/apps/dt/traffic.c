// What each rank does for its nodes, one after the other in their order: receive, compute, send. NPB deals one node to each
// rank; here a rank may have several, so that a graph runs with few ranks, too, and sends do not wait for their receivers.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "dt.h"

// Of one rank.
struct traffic {
  const struct graph* graph;
  const struct size_class* size;
  int rank, ranks;
  struct features* of_nodes; // of the rank's nodes that have been computed
  MPI_Request* sends;
  int* lengths; // that are being sent, by arc
  int send_count;
};

static void* allocate(size_t bytes) {
  void* const memory = malloc(bytes);
  if (memory == NULL && bytes != 0) {
    fprintf(stderr, "dt: there is no memory for %zu more bytes\n", bytes);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  return memory;
}

struct features new_features(size_t length) {
  return (struct features){length, allocate(length * sizeof(double))};
}

void free_features(struct features* old) {
  free(old->values);
  *old = (struct features){0, NULL};
}

static int rank_of(const struct traffic* t, int node) { return node % t->ranks; }

static void send_features(struct traffic* t, int node) {
  const struct node* const from = &t->graph->nodes[node];
  const struct features* const features = &t->of_nodes[node];
  for (int i = 0; i < from->out_count; ++i) {
    const int arc = from->out[i];
    const int to = rank_of(t, t->graph->arcs[arc].head);
    if (to == t->rank) continue;
    t->lengths[arc] = (int)features->length;
    MPI_Isend(&t->lengths[arc], 1, MPI_INT, to, arc, MPI_COMM_WORLD, &t->sends[t->send_count++]);
    MPI_Isend(features->values, t->lengths[arc], MPI_DOUBLE, to, arc, MPI_COMM_WORLD, &t->sends[t->send_count++]);
  }
}

// What comes along an arc; *is_new: the caller frees it.
static struct features receive_features(const struct traffic* t, int arc, int* is_new) {
  const int tail = t->graph->arcs[arc].tail;
  const int from = rank_of(t, tail);
  *is_new = from != t->rank;
  if (!*is_new) return t->of_nodes[tail];
  int length = 0;
  MPI_Recv(&length, 1, MPI_INT, from, arc, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  const struct features made = new_features((size_t)length);
  MPI_Recv(made.values, length, MPI_DOUBLE, from, arc, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return made;
}

// *of, which *is_new says the caller's, as long as `length`.
static void lengthen(struct features* of, int* is_new, size_t length) {
  if (of->length >= length) return;
  struct features longer = new_features(length);
  stretch_features(of, &longer);
  if (*is_new) free_features(of);
  *of = longer;
  *is_new = 1;
}

static struct features combine_streams(const struct traffic* t, int node) {
  const struct node* const at = &t->graph->nodes[node];
  struct features result = new_features(t->size->samples * fields);
  for (size_t i = 0; i < result.length; ++i) result.values[i] = 0; // the published checksums are those of zeros
  int is_own = 1;
  for (int i = 0; i < at->in_count; ++i) {
    int is_new = 0;
    struct features incoming = receive_features(t, at->in[i], &is_new);
    lengthen(&result, &is_own, incoming.length);
    lengthen(&incoming, &is_new, result.length);
    struct features next = new_features(result.length);
    filter_features(&result, &incoming, &next, node);
    free_features(&result);
    result = next;
    if (is_new) free_features(&incoming);
  }
  divide_features(&result, at->in_count);
  return result;
}

// NPB: whole numbers on the way.
static double reduce_streams(const struct traffic* t, int node) {
  const struct node* const at = &t->graph->nodes[node];
  double sum = 0;
  for (int i = 0; i < at->in_count; ++i) {
    int is_new = 0;
    struct features incoming = receive_features(t, at->in[i], &is_new);
    sum += (double)(long long)((node + 1) * mean_square(&incoming));
    if (is_new) free_features(&incoming);
  }
  return (double)((long long)sum / at->in_count) * (node + 1);
}

static double process_nodes(struct traffic* t) {
  double of_sinks = 0;
  for (int node = t->rank; node < t->graph->node_count; node += t->ranks) {
    switch (t->graph->nodes[node].kind) {
      case source:
        t->of_nodes[node] = new_features(source_samples(t->size, node) * fields);
        fill_features(&t->of_nodes[node], node);
        break;
      case comparator: t->of_nodes[node] = combine_streams(t, node); break;
      case sink: of_sinks += reduce_streams(t, node); continue;
    }
    send_features(t, node);
  }
  return of_sinks;
}

double run_traffic(const struct graph* g, const struct size_class* size, int rank, int ranks) {
  const size_t nodes = (size_t)g->node_count;
  const size_t arcs = (size_t)g->arc_count;
  struct traffic t = {.graph = g,
                      .size = size,
                      .rank = rank,
                      .ranks = ranks,
                      .of_nodes = allocate(nodes * sizeof(struct features)),
                      .sends = allocate(2 * arcs * sizeof(MPI_Request)),
                      .lengths = allocate(arcs * sizeof(int))};
  for (size_t i = 0; i < nodes; ++i) t.of_nodes[i] = (struct features){0, NULL};
  const double own = process_nodes(&t);
  MPI_Waitall(t.send_count, t.sends, MPI_STATUSES_IGNORE);
  double all = 0; // of whole numbers below 2^53: the order does not matter
  MPI_Reduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  for (size_t i = 0; i < nodes; ++i) free_features(&t.of_nodes[i]);
  free(t.of_nodes);
  free(t.sends);
  free(t.lengths);
  return all;
}
