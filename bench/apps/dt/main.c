// dt: data traffic along a graph. The command line, what there must be before it starts, and what it says at the end.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../available_memory.h"
#include "dt.h"

static const char help[] =
    "usage: dt [GRAPH [CLASS]] [--repeat N]\n"
    "\n"
    "Arrays of features flow from the sources of a graph through comparators to its sinks (NAS Parallel Benchmarks, DT).\n"
    "\n"
    "  GRAPH       BH: many sources, one sink; WH: one source, many sinks; SH: a shuffle, in which each takes from two\n"
    "              (SH)\n"
    "  CLASS       S, W, A, B, C or D: each has eight times the data of the one before, per node (S)\n"
    "  --repeat N  that many times, one after the other; the time is that of one (1)\n"
    "\n"
    "Any number of ranks: nodes are dealt to ranks in turn. With as many ranks as nodes it is NPB's benchmark.\n";

struct options {
  char graph[3];
  const struct size_class* size;
  int repeat;
};

// 0: run; else the status to end with.
static int parse(int argc, char** argv, int rank, struct options* o, int* is_over) {
  char error[200] = "";
  int given = 0;
  strcpy(o->graph, "SH");
  o->size = find_class('S');
  o->repeat = 1;
  *is_over = 0;
  for (int i = 1; i < argc && error[0] == '\0'; ++i) {
    const char* const word = argv[i];
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
      if (rank == 0) fputs(help, stdout);
      *is_over = 1;
      return 0;
    }
    if (strcmp(word, "--repeat") == 0) {
      char* end = NULL;
      const long number = i + 1 < argc ? strtol(argv[i + 1], &end, 10) : 0;
      if (number < 1 || number > 1000000 || *end != '\0')
        snprintf(error, sizeof error, "--repeat takes a whole number from 1 to 1000000");
      o->repeat = (int)number;
      ++i;
    } else if (given == 0) {
      if (strcmp(word, "BH") != 0 && strcmp(word, "WH") != 0 && strcmp(word, "SH") != 0)
        snprintf(error, sizeof error, "there is no graph '%.20s'; there are BH, WH and SH", word);
      else
        strcpy(o->graph, word);
      ++given;
    } else if (given == 1) {
      o->size = strlen(word) == 1 ? find_class(word[0]) : NULL;
      if (o->size == NULL)
        snprintf(error, sizeof error, "there is no class '%.20s'; there are S, W, A, B, C and D", word);
      ++given;
    } else {
      snprintf(error, sizeof error, "'%.20s' is one argument too many", word);
    }
  }
  if (error[0] == '\0') return 0;
  if (rank == 0) fprintf(stderr, "dt: %s\n    (dt --help lists the arguments)\n", error);
  *is_over = 1;
  return 2;
}

// Whether every machine has memory for its ranks' nodes: an array for each, and three for the one that is computed, beside
// one that arrives.
static int fits(const struct graph* g, const struct options* o, int rank, int ranks) {
  const size_t bytes = array_bytes(o->size);
  const int nodes = g->node_count / ranks + (rank < g->node_count % ranks);
  const double own = (double)bytes * (nodes == 0 ? 0 : nodes + 4);
  MPI_Comm machine;
  double here = 0;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &machine);
  MPI_Allreduce(&own, &here, 1, MPI_DOUBLE, MPI_SUM, machine);
  MPI_Comm_free(&machine);
  double missing[2] = {here, -available_bytes()};
  const int is_short = here + missing[1] > 0;
  int is_any_short = 0;
  MPI_Allreduce(&is_short, &is_any_short, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (!is_any_short) return 1;
  double most[2];
  if (!is_short) missing[0] = 0, missing[1] = -1e300;
  MPI_Reduce(missing, most, 2, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    fprintf(stderr,
            "dt: class %c of %s needs %.2f GiB of memory on a machine with its ranks, where %.2f GiB are available: "
            "take a smaller class, or more machines\n",
            o->size->name, o->graph, most[0] / 0x1p30, -most[1] / 0x1p30);
  }
  return 0;
}

static int report(const struct graph* g, const struct options* o, int ranks, double seconds, double checksum) {
  const double expected = published_checksum(o->graph, o->size->name);
  const int is_right = expected == 0 || expected == checksum;
  const double bytes = (double)(o->size->samples * fields * sizeof(double)) * g->arc_count;
  printf("dt %s, class %c: %d nodes, %d arcs, %d ranks%s\n", o->graph, o->size->name, g->node_count, g->arc_count,
         ranks, loops_are());
  printf("time %.6f s, %.1f MB/s along the arcs\n", seconds, bytes / seconds / 1e6);
  if (expected == 0)
    printf("checksum %.0f; none is published for this class\n", checksum);
  else
    printf("checksum %.0f: %s %.0f\n", checksum, is_right ? "verified, as published:" : "WRONG; published is", expected);
  printf("result: seconds=%.9f checksum=%.0f verified=%s\n", seconds, checksum,
         expected == 0 ? "unpublished" : is_right ? "yes" : "no");
  return is_right ? 0 : 1;
}

int main(int argc, char** argv) {
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  struct options o;
  int is_over = 0;
  int status = parse(argc, argv, rank, &o, &is_over);
  struct graph g;
  if (!is_over && make_graph(o.graph, o.size->sources, &g)) {
    if (fits(&g, &o, rank, ranks)) {
      double checksum = 0;
      run_traffic(&g, find_class('S'), rank, ranks); // the libraries, threads and pages that a first one needs
      MPI_Barrier(MPI_COMM_WORLD);
      const double begin = MPI_Wtime();
      for (int i = 0; i < o.repeat; ++i) checksum = run_traffic(&g, o.size, rank, ranks);
      MPI_Barrier(MPI_COMM_WORLD);
      const double seconds = (MPI_Wtime() - begin) / o.repeat;
      if (rank == 0) status = report(&g, &o, ranks, seconds, checksum);
      MPI_Bcast(&status, 1, MPI_INT, 0, MPI_COMM_WORLD);
    } else {
      status = 1;
    }
    free_graph(&g);
  }
  MPI_Finalize();
  return status;
}
