// Must not compile, and say: edge
#include <pure/pure.hpp>

struct edge {
  int from, to;
};

void f(pure::channel<edge> edges) { edges.send(7, 1); }
