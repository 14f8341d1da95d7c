// For tests/errors/main_forms.sh: main with a trailing return type; every rank runs it.
#include <pure.h>

#include <cstdio>

auto main(int, char**) -> int {
  std::printf("rank %d of %d\n", pure_rank(), pure_size());
  return 0;
}
