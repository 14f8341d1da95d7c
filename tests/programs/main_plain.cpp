// For tests/errors/main_forms.sh: main without parameters; every rank runs it.
#include <pure.h>

#include <cstdio>

int main() { std::printf("rank %d of %d\n", pure_rank(), pure_size()); }
