// For tests/errors/main_forms.sh: main with three parameters; every rank runs it.
#include <pure.h>

#include <cstdio>
#include <cstring>

int main(int argc, char* argv[], char** environment) {
  bool found = false;
  for (char** each = environment; *each != nullptr; ++each) found |= std::strncmp(*each, "PURE_RANKS=", 11) == 0;
  if (argc < 1 || argv[argc] != nullptr || !found) return 1;
  std::printf("rank %d of %d\n", pure_rank(), pure_size());
  return 0;
}
