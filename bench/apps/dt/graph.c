// The three graphs of NPB's DT. Comparators take and give at most four arcs.
#include <stdlib.h>
#include <string.h>

#include "dt.h"

static int add_node(struct graph* g, enum node_kind kind) {
  g->nodes[g->node_count] = (struct node){.kind = kind};
  return g->node_count++;
}

static void add_arc(struct graph* g, int tail, int head) {
  struct node* const from = &g->nodes[tail];
  struct node* const to = &g->nodes[head];
  from->out[from->out_count++] = g->arc_count;
  to->in[to->in_count++] = g->arc_count;
  g->arcs[g->arc_count++] = (struct arc){tail, head};
}

// A tree of comparators over `leaves` nodes, and its root: arcs lead to the root.
static void make_tree(struct graph* g, int leaves, enum node_kind leaf, enum node_kind root) {
  for (int i = 0; i < leaves; ++i) add_node(g, leaf);
  int first = 0;
  int count = leaves;
  while (count > most_arcs) {
    const int next = (count + most_arcs - 1) / most_arcs;
    for (int i = 0; i < count; ++i) {
      if (i % most_arcs == 0) add_node(g, comparator);
      add_arc(g, first + i, g->node_count - 1);
    }
    first += count;
    count = next;
  }
  const int top = add_node(g, root);
  for (int i = 0; i < count; ++i) add_arc(g, first + i, top);
}

// Every arc turned around, and the nodes numbered from the last to the first.
static void reverse(struct graph* g) {
  const int last = g->node_count - 1;
  for (int i = 0; i < g->arc_count; ++i) g->arcs[i] = (struct arc){last - g->arcs[i].head, last - g->arcs[i].tail};
  for (int i = 0; i <= last / 2; ++i) {
    const struct node low = g->nodes[i];
    g->nodes[i] = g->nodes[last - i];
    g->nodes[last - i] = low;
  }
  for (int i = 0; i <= last; ++i) {
    struct node* const each = &g->nodes[i];
    const struct node was = *each;
    each->in_count = was.out_count;
    each->out_count = was.in_count;
    memcpy(each->in, was.out, sizeof each->in);
    memcpy(each->out, was.in, sizeof each->out);
  }
}

// Layer after layer each node takes from the two nodes before whose numbers differ in one bit: a butterfly.
static void make_shuffle(struct graph* g, int sources) {
  for (int i = 0; i < sources; ++i) add_node(g, source);
  int first = 0;
  for (int bit = 1; bit < sources; bit <<= 1) {
    const enum node_kind kind = bit << 1 < sources ? comparator : sink;
    for (int i = 0; i < sources; ++i) {
      const int made = add_node(g, kind);
      add_arc(g, first + (i & ~bit), made);
      add_arc(g, first + (i | bit), made);
    }
    first += sources;
  }
}

int make_graph(const char* name, int sources, struct graph* made) {
  size_t layers = 2;
  for (int left = sources; left > 1; left /= 2) ++layers;
  const size_t most_nodes = (size_t)sources * layers;
  *made = (struct graph){.nodes = malloc(most_nodes * sizeof(struct node)),
                         .arcs = malloc(2 * most_nodes * sizeof(struct arc))};
  if (made->nodes == NULL || made->arcs == NULL) abort();
  if (strcmp(name, "BH") == 0) {
    make_tree(made, sources, source, sink);
  } else if (strcmp(name, "WH") == 0) {
    make_tree(made, sources, sink, source);
    reverse(made);
  } else if (strcmp(name, "SH") == 0) {
    make_shuffle(made, sources);
  } else {
    free_graph(made);
    return 0;
  }
  return 1;
}

void free_graph(struct graph* old) {
  free(old->nodes);
  free(old->arcs);
}
