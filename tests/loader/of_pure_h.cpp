// What cases.h takes of pure.h, for programs in C as well. With it in the program every rank runs main.
#include <pure.h>

extern "C" {
int rank_here(void);
int ranks_here(void);
void wait_for_all(void);
}

int rank_here() { return pure_rank(); }
int ranks_here() { return pure_size(); }
void wait_for_all() { pure_barrier(PURE_COMM_WORLD); }
