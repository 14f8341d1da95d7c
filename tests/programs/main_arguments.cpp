// For tests/errors/main_forms.sh: every rank has its own argc and argv, and may do with them what it likes.
//
// usage: main_arguments first=1 second=2 third=3
#include <pure.h>

#include <cstdio>
#include <cstring>
#include <string>
#include <utility>

namespace {

bool is(const char* argument, const char* expected) { return std::strcmp(argument, expected) == 0; }

void meet() {  // every rank has got here
  const int token = 0;
  int in = 0;
  for (int other = 0; other < pure_size(); ++other) {
    pure_sendrecv_msg(&token, 1, PURE_INT, other, 0, &in, 1, PURE_INT, other, 0, PURE_COMM_WORLD);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4 || argv[argc] != nullptr) return 1;
  if (!is(argv[1], "first=1") || !is(argv[2], "second=2") || !is(argv[3], "third=3")) return 2;
  meet();
  const std::string mine = "rank " + std::to_string(pure_rank());
  std::strtok(argv[1], "=");                              // writes into the text
  std::memcpy(argv[2], mine.c_str(), mine.size() + 1);    // over the text
  if (pure_rank() % 2 == 0) std::swap(argv[1], argv[3]);  // permutes
  argv[0] = nullptr;                                      // cuts
  argc = 0;
  meet();
  const bool even = pure_rank() % 2 == 0;
  if (!is(argv[even ? 3 : 1], "first") || !is(argv[even ? 1 : 3], "third=3") || !is(argv[2], mine.c_str())) return 3;
  std::printf("rank %d of %d\n", pure_rank(), pure_size());
  return argc;
}
